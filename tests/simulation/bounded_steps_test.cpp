// Steps whose cost has a bound: what they cannot do within it, they say.

#include "support/random_model.h"
#include "support/simulation_runs.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

// Draped chains and meshes of light links. Once energy ran away within a step of these, contact points turned
// so fast that sub-steps became too short to change the time, and the step did not end.
TEST_CASE("bounded steps: chains that are struck hard cost a bounded number of sub-steps") {
    for (const int seed : {34, 144})
        for (const char* formulation : {"reduced", "multiplier"}) {
            CAPTURE(seed);
            CAPTURE(formulation);
            SimulationOptions options;
            options.formulation = formulation;
            Simulation simulation(random_model(seed), options);
            simulation.reset(0);
            const double start = total(simulation.energy());
            double kinetic = 0;
            for (int k = 0; k < 30; ++k) {
                const StepReport report = simulation.step(frame);
                CHECK(report.substeps + report.rejected < 20000);
                if (!was_taken(report)) {
                    CHECK(!report.where.empty());
                    break;
                }
                // Nothing drives it; the guard lets methods make a hundredth of the energy in motion.
                kinetic = std::max(kinetic, simulation.energy().kinetic);
                REQUIRE(total(simulation.energy()) <= start + 0.01 * kinetic);
            }
        }
}

// Rolling friction that can do little: its lengths are a ten-thousandth of the coefficient of sliding. Bodies
// are pressed into each other at the start.
TEST_CASE("bounded steps: impulses are found where rolling friction is small") {
    const auto model = model_of(R"(<mujoco>
        <default><geom condim="6" friction="1 .005 .0001"/></default><worldbody>
        <geom type="plane" size="5 5 .1" euler="0 8 0"/>
        <body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
        <body pos=".05 .05 .52"><freejoint/><geom type="sphere" size=".1" mass="50"/></body>
        <body pos="-.18 0 .3"><freejoint/><geom type="box" size=".08 .08 .08" mass="2"/></body>
        <body pos="-.15 .05 .55"><freejoint/>
            <geom type="capsule" fromto="-.2 0 0 .2 0 0" size=".05" mass="3"/></body></worldbody></mujoco>)");
    for (const char* formulation : {"reduced", "multiplier", "implicit"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation simulation(model, options);
        run(simulation, 2);
    }
}
