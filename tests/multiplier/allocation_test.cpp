// After warm-up a step does not allocate. The global operator new of this whole program counts.

#include "support/allocation_counter.h"
#include "support/loop_scenes.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Steps that allocate, of so many after warm-up.
int allocating_steps(Simulation& sim, double dt, int warm_up, int count) {
    for (int k = 0; k < warm_up; ++k) REQUIRE(was_taken(sim.step(dt)));
    int steps = 0;
    for (int k = 0; k < count; ++k) {
        StepReport report;
        const long made = count_allocations([&] { report = sim.step(dt); });
        REQUIRE(was_taken(report));
        if (made != 0) ++steps;
    }
    return steps;
}

// The same again and again, so that the greatest number of contacts has been met.
int allocating_again(const std::shared_ptr<const Model>& model, double dt, int count) {
    Simulation sim(model, {.formulation = "multiplier"});
    for (double& u : sim.inputs().ctrl) u = 0.3;
    const Snapshot start = sim.save();
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < count; ++k) REQUIRE(was_taken(sim.step(dt)));
        sim.restore(start);
    }
    return allocating_steps(sim, dt, 0, count);
}

}  // namespace

TEST_CASE("multiplier allocation: smooth motion of chains, loops and nets") {
    for (const LoopMethod loops : {LoopMethod::direct, LoopMethod::anticipation})
        for (const Coordinates coordinates : {Coordinates::maximal, Coordinates::joint})
            for (const SmoothIntegrator integrator :
                 {SmoothIntegrator::rattle, SmoothIntegrator::rk4, SmoothIntegrator::rk45}) {
                const SimulationOptions options{.formulation = "multiplier",
                                                .coordinates = coordinates,
                                                .loops = loops,
                                                .integrator = integrator};
                CAPTURE(int(integrator));
                CAPTURE(loops == LoopMethod::direct);
                CAPTURE(coordinates == Coordinates::joint);
                Simulation chain(reference_chain10(), options), bars(model_of(four_bar), options),
                    net(compile(net_scene(4)), options);
                bars.inputs().ctrl[0] = 0.5;
                CHECK(allocating_steps(chain, 0.005, 3, 30) == 0);
                CHECK(allocating_steps(bars, 0.005, 3, 30) == 0);
                CHECK(allocating_steps(net, 0.002, 3, 30) == 0);
            }
}

TEST_CASE("multiplier allocation: a character and a driven walker in contact") {
    CHECK(allocating_again(character(), 1.0 / 60, 90) == 0);
    CHECK(allocating_again(model_of(walker), 0.005, 100) == 0);
    CHECK(allocating_again(model_of(moving_table), 0.01, 60) == 0);
}
