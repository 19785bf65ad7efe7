// A heap of characters with hard contact.

#include "support/implicit_runs.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: five characters fall onto a heap, and impulses are found in all steps") {
    const scenes::Setting settings[] = {{"count", 5.0}};
    Simulation sim(compile(scenes::generate(scenes::pile, settings)), implicit_options());
    run(sim, 3, 1.0 / 60, [&](const StepReport& report) {
        CHECK(report.status == StepStatus::ok);
        CHECK(report.penetration < 5e-3);
    });
}
