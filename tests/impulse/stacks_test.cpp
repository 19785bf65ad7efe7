// Stacks, pyramids and piles of the benchmark scenes (G4, G1) under `impulse`: default options, 60 Hz, all
// errors measured from where bodies are. The large ones are in stacks_long_test.cpp.

#include "support/allocating_steps.h"
#include "support/impulse_benchmarks.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("impulse: a stack of 20 boxes stands") { check_standing(scenes::stack, 20); }

TEST_CASE("impulse: a pyramid of base 10 stands") {
    CHECK(check_standing(scenes::pyramid, 10).kinetic < 1e-6);
}

TEST_CASE("impulse: each level of a stack carries what is above it") {
    Simulation sim(generated(scenes::stack, 5), usual());
    run(sim, 5);
    CHECK(sim.energy().kinetic < 1e-12);
    Vec3d carried = Vec3d::zero();
    for (int body = 5; body >= 1; --body) {
        carried += contact_force_on(sim, body);
        const double load = (6 - body) * 100 * gravity;
        CHECK(std::hypot(carried.x, carried.y) < 1e-6 * load);
        CHECK(std::abs(carried.z / load - 1) < 1e-6);
    }
}

TEST_CASE("impulse: a pile of 20 characters holds together") { check_pile(20); }

// Contacts come and go here, and what is reported is of those that are there: limbs are 7 cm thick.
TEST_CASE("impulse: the depth that is reported is one that there is") {
    Simulation sim(generated(scenes::pile, 20), usual());
    double deepest = 0;
    for (int k = 0; k < 180; ++k) {
        const StepReport report = sim.step(frame);
        REQUIRE(report.status == StepStatus::ok);
        deepest = std::max(deepest, report.penetration);
    }
    CHECK(deepest > 1e-4);
    CHECK(deepest < 0.07);
}

TEST_CASE("impulse: settled stacks and piles do not allocate") {
    Simulation stack(generated(scenes::stack, 10), usual());
    CHECK(allocating_steps(stack, frame, 120, 60) == 0);
    Simulation pile(generated(scenes::pile, 5), usual());
    CHECK(allocating_steps(pile, frame, 480, 60) == 0);
}

// Saved while characters fall on each other, restored into a simulation of two threads. Solvers other than
// split-step do not hold all limits of a pile, and say so (not_converged); their steps are still taken.
TEST_CASE("impulse: a falling pile goes on bit for bit from a snapshot, on any number of threads") {
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        SimulationOptions options = usual();
        options.solver = solver;
        const auto model = generated(scenes::pile, 8);
        Simulation sim(model, options);
        for (int k = 0; k < 42; ++k) REQUIRE(was_taken(sim.step(frame)));
        REQUIRE(!sim.contacts().manifolds.empty());
        options.threads = 2;
        Simulation other(model, options);
        other.restore(sim.save());
        for (int k = 0; k < 30; ++k) {
            REQUIRE(was_taken(sim.step(frame)));
            REQUIRE(was_taken(other.step(frame)));
            REQUIRE(same_bits(sim, other));
        }
    }
}
