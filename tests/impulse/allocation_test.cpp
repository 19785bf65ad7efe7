// After warm-up a step does not allocate. The global operator new of this whole program counts.

#include "support/allocating_steps.h"
#include "support/allocation_counter.h"
#include "support/deforming_scenes.h"
#include "support/impulse_runs.h"
#include "support/loop_scenes.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("impulse allocation: loops, drives, a walker in contact, a moving table") {
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        const SimulationOptions options = impulse_options(0, 0, solver);
        CHECK(allocating_again(model_of(four_bar), options, 0.005, 60) == 0);
        CHECK(allocating_again(model_of(walker), options, 0.005, 60) == 0);
        CHECK(allocating_again(model_of(moving_table), options, 0.005, 60) == 0);
    }
    CHECK(allocating_again(character(), impulse_options(), frame, 60) == 0);
    Simulation bars(compile(heavy_four_bar_scene()), impulse_options());
    CHECK(allocating_steps(bars, 0.005, 3, 30) == 0);
    Simulation driven(character(), impulse_options());
    const JointState<double> start = driven.state();
    driven.drive_to_pose(start.q, {}, 10, 1, 30);
    const Snapshot begin = driven.save();
    run(driven, 0.3, 0.005);
    driven.restore(begin);
    CHECK(allocating_steps(driven, 0.005, 0, 60) == 0);
}

TEST_CASE("impulse allocation: falling asleep and waking up") {
    SimulationOptions options = impulse_options();
    options.accuracy = 1e-6;
    options.impulse.sleeping = true;
    Simulation sim(model_of(moving_table), options);
    Force<double>& push = sim.inputs().xfrc_applied[sim.model().find_body("top")];
    for (int round = 0; round < 3; ++round) {
        push.lin = {1, 0, 0};
        CHECK(step_ok(sim, frame).sleeping < 2);
        push.lin = Vec3d::zero();
        if (round < 2) run(sim, 3);
    }
    CHECK(allocating_steps(sim, frame, 0, 180) == 0);
    CHECK(step_ok(sim, frame).sleeping >= 2);
}

TEST_CASE("impulse allocation: bodies that deform, free, on loops and in contact") {
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        const SimulationOptions options = impulse_options(0, 0, solver);
        CHECK(allocating_again(free_jelly(BodyKind::affine), options, 0.005, 60) == 0);
        CHECK(allocating_again(falling_jellies(), options, 0.005, 120) == 0);
    }
}
