// After warm-up a step does not allocate. The global operator new of this whole program counts.

#include "support/allocating_steps.h"
#include "support/allocation_counter.h"
#include "support/deforming_scenes.h"
#include "support/loop_scenes.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

TEST_CASE("multiplier allocation: smooth motion of chains, loops and nets") {
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation})
        for (const Coordinates coordinates : {Coordinates::maximal, Coordinates::joint})
            for (const SmoothIntegrator integrator :
                 {SmoothIntegrator::rattle, SmoothIntegrator::rk4, SmoothIntegrator::rk45}) {
                const SimulationOptions options{.formulation = "multiplier",
                                                .coordinates = coordinates,
                                                .integrator = integrator,
                                                .multiplier = {.equalities = loops}};
                CAPTURE(int(integrator));
                CAPTURE(loops == EqualityMethod::direct);
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
    CHECK(allocating_again(character(), {.formulation = "multiplier"}, 1.0 / 60, 90) == 0);
    CHECK(allocating_again(model_of(walker), {.formulation = "multiplier"}, 0.005, 100) == 0);
    CHECK(allocating_again(model_of(moving_table), {.formulation = "multiplier"}, 0.01, 60) == 0);
}

TEST_CASE("multiplier allocation: bodies that deform, free and in contact") {
    for (const SmoothIntegrator integrator :
         {SmoothIntegrator::rattle, SmoothIntegrator::rk4, SmoothIntegrator::rk45}) {
        Simulation sim(free_jelly(BodyKind::affine), {.formulation = "multiplier", .integrator = integrator});
        CHECK(allocating_steps(sim, 0.002, 3, 30) == 0);
    }
    CHECK(allocating_again(falling_jellies(), {.formulation = "multiplier"}, 0.005, 100) == 0);
    CHECK(allocating_again(falling_jellies(), {.formulation = "implicit"}, 0.005, 100) == 0);
}
