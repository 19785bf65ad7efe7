// G2 of the benchmark scenes: 1000 kg at the end of 100 links of 1 kg, swinging from the horizontal for 10 s
// in frames of 60 Hz with the default options. The tension makes the zig-zag modes of the chain stiff, about
// 1600 rad/s, so that many sub-steps are needed; the step finds out how many by itself.

#include "scenes/generator_list.h"
#include "support/simulation_runs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>

using namespace lig;
using namespace lig::test;

TEST_CASE("the heavy chain keeps its energy") {
    Simulation sim(compile(scenes::generate(scenes::chain, {})));
    REQUIRE(sim.model().nv == 303);
    const double start = total(sim.energy()), scale = (1000 * 20.5 + 100 * 10) * gravity;
    double worst = 0, fastest = 0;
    int substeps = 0, most = 0;
    const auto begin = std::chrono::steady_clock::now();
    run(sim, 10, frame, [&](const StepReport& report) {
        worst = std::max(worst, std::abs(total(sim.energy()) - start) / scale);
        fastest = std::max(fastest, sim.energy().kinetic / scale);
        substeps += report.substeps;
        most = std::max(most, report.substeps);
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    MESSAGE("heavy chain, 10 s: energy off by " << worst << " of the scale at most, " << substeps
                                                << " sub-steps, " << most << " in one frame, " << seconds
                                                << " s");
    CHECK(worst < 1e-3);
    CHECK(fastest > 0.9);  // it has swung
}
