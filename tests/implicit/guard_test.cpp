// The guard of the energy holds for `implicit`, and wind is not taken for energy that the method makes.

#include "formulations/promises.h"
#include "support/implicit_runs.h"
#include "support/simulation_scenes.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit: the guard acts by default") {
    CHECK(formulations::guard_share(implicit_options()) == SimulationOptions().energy_guard);
    SimulationOptions off = implicit_options();
    off.energy_guard = 0;
    CHECK(formulations::guard_share(off) == 0);
}

// The paper's single solution without geometric stiffness makes energy without bounds on a heavy chain.
TEST_CASE("implicit: a chain that would gain energy is held, or its step is not ok") {
    SimulationOptions options = implicit_options();
    options.implicit.newton = 1;
    options.implicit.geometric_stiffness = false;
    double risen[2] = {};
    for (const bool guarded : {false, true}) {
        if (!guarded) options.energy_guard = 0;
        if (guarded) options.energy_guard = SimulationOptions().energy_guard;
        Simulation sim(heavy_chain(100, 1000), options);
        const double start = total(sim.energy());
        double lowest = start;
        for (int k = 0; k < 120; ++k) {
            const StepReport report = sim.step(frame);
            if (report.status != StepStatus::ok) break;
            lowest = std::min(lowest, total(sim.energy()));
            risen[guarded] = std::max(risen[guarded], total(sim.energy()) - lowest);
        }
    }
    MESSAGE("risen by " << risen[0] << " J without the guard, " << risen[1] << " J with it");
    CHECK(risen[0] > 1e4);
    CHECK(risen[1] < 0.5 * risen[0]);
}

TEST_CASE("a leaf in the wind gains energy, and the guard lets it") {
    for (const char* formulation : {"reduced", "multiplier", "implicit"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation sim(model_of(R"(<mujoco><option gravity="0 0 0" density="1.2" wind="8 0 0"/><worldbody>
            <body pos="0 0 1"><joint axis="0 1 0" stiffness="0.1" damping="0.001"/>
            <geom type="box" size=".005 .1 .15" pos="0 0 .15" mass=".05"/></body></worldbody></mujoco>)"),
                       options);
        run(sim, 0.2, 0.005, [&](const StepReport& report) { REQUIRE(report.guarded == 0); });
        CHECK(sim.state().v[0] > 0.1);
    }
}
