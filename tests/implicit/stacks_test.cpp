// Hard contact where much rests on much: impulses are found tree by tree, not in one dense matrix.

#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: towers, a heavy weight and a pyramid rest, by Newton's method on impulses") {
    Diagnostics log;
    const auto model = compile(load_scene(LIG_SOURCE_DIR "/scenes/stack.xml", {}, log), log);
    Simulation sim(model, implicit_options());
    double iterations = 0, deepest = 0;
    int steps = 0;
    run(sim, 0.5, 1.0 / 60, [&](const StepReport& report) {
        REQUIRE(report.status == StepStatus::ok);
        CHECK(report.residual < 1e-5);
        iterations += report.iterations;
        deepest = std::max(deepest, report.penetration);
        ++steps;
    });
    CHECK(deepest < 1e-5);
    // By sweeps alone, which large islands are left to, it would be a hundred.
    CHECK(iterations / steps < 60);
}
