// After warm-up a step does not allocate. The global operator new of this whole program counts.

#include "support/allocating_steps.h"
#include "support/allocation_counter.h"
#include "support/implicit_runs.h"
#include "support/loop_scenes.h"
#include "support/simulation_scenes.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("implicit allocation: chains, loops, drives") {
    for (const SmoothIntegrator integrator : {SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2}) {
        const SimulationOptions options = implicit_options(integrator);
        Simulation chain(heavy_chain(20, 100), options), bars(model_of(four_bar), options);
        bars.inputs().ctrl[0] = 0.5;
        CHECK(allocating_steps(chain, frame, 3, 30) == 0);
        CHECK(allocating_steps(bars, 0.005, 3, 30) == 0);
    }
}

TEST_CASE("implicit allocation: a character and a driven walker in contact") {
    for (const Touching touching : {Touching::penalty, Touching::hard}) {
        SimulationOptions options = implicit_options();
        options.touching = touching;
        CHECK(allocating_again(character(), options, frame, 60) == 0);
        CHECK(allocating_again(model_of(walker), options, 0.005, 60) == 0);
    }
}
