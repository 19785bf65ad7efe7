// What hangs on a base that moves at constant velocity does what it does on one that stands still.

#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A cart with a four-bar that is driven by its weight, an arm that falls on a post of the cart, and a ball
// that rolls on its floor.
std::shared_ptr<const Model> cart() {
    Scene scene;
    const BodyId base = scene.add_body(world, {.name = "cart", .kinematic = true});
    scene.add_geom(
        base, {.name = "floor", .shape = ShapeType::box, .pose = {.pos = {0, 0, -1.1}}, .size = {4, 4, 0.1}});
    scene.add_geom(
        base,
        {.name = "post", .shape = ShapeType::box, .pose = {.pos = {0.7, 2, -0.5}}, .size = {0.1, 0.1, 0.5}});
    const InertialSpec rod{1, {.pos = {0.5, 0, 0}}, Sym3d::diagonal(0.01, 0.1, 0.1), {}};
    BodyId parent = base;
    for (int k = 0; k < 3; ++k) {
        parent = scene.add_body(parent, {.name = "bar" + std::to_string(k),
                                         .pose = {.pos = {k == 0 ? 0.0 : 1.0, 0, 0}},
                                         .inertial = rod});
        scene.add_joint(parent, {.name = "bar" + std::to_string(k), .axis = {0, 1, 0}});
    }
    scene.add_loop({.name = "pin",
                    .type = JointType::ball,
                    .body_a = base,
                    .body_b = parent,
                    .frame_a = {.pos = {1, 0, 0}},
                    .frame_b = {.pos = {1, 0, 0}}});
    const BodyId arm = scene.add_body(base, {.name = "arm", .pose = {.pos = {0, 2, 0.4}}, .inertial = rod});
    scene.add_joint(arm, {.name = "arm", .axis = {0, 1, 0}});
    scene.add_geom(arm, {.name = "rod",
                         .shape = ShapeType::capsule,
                         .pose = {.pos = {0.5, 0, 0}, .quat = {std::sqrt(0.5), 0, std::sqrt(0.5), 0}},
                         .size = {0.05, 0.45, 0}});
    const BodyId ball = scene.add_body(base, {.name = "ball", .pose = {.pos = {0, -2, -0.9}}});
    for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}})
        scene.add_joint(ball, {.name = "slide" + std::to_string(static_cast<int>(axis.y + 2 * axis.z)),
                               .type = JointType::slide,
                               .axis = axis});
    scene.add_joint(ball, {.name = "turn", .type = JointType::ball});
    scene.add_geom(ball, {.name = "ball", .shape = ShapeType::sphere, .size = {0.1, 0, 0}});
    return compile(scene);
}

}  // namespace

TEST_CASE("nothing on a cart tells how fast it goes") {
    const auto model = cart();
    const auto run = [&](const Vec3d& velocity, Stepping stepping) {
        SimulationOptions options;
        options.stepping = stepping;
        Simulation sim(model, options);
        JointState<double> state = sim.state();
        // The bars stand as a parallelogram.
        state.q[0] = 1;
        state.q[1] = -1;
        state.q[2] = 1 + std::numbers::pi;
        state.v[4] = 1.5;  // the ball slides at first
        state.kinematic[0].velocity.lin = velocity;
        sim.set_state(state);
        for (int k = 0; k < 100; ++k) {
            const StepReport report = sim.step(0.01);
            INFO(report.where);
            REQUIRE(report.status == StepStatus::ok);
        }
        return sim.state();
    };
    for (const Stepping stepping : {Stepping::velocity, Stepping::automatic}) {
        const JointState<double> still = run(Vec3d::zero(), stepping);
        CHECK(still.v[3] == doctest::Approx(0).epsilon(1e-3));  // the arm rests on the post
        CHECK(std::abs(still.v[0]) > 0.1);  // the bars swing
        CHECK(still.v[4] > 0.5);  // the ball rolls
        const JointState<double> moving = run({3, -2, 1}, stepping);
        // Positions up to 4 m from the start round by 1e-15; the accuracy of impulses is 1e-5 m/s.
        for (std::size_t k = 0; k < still.v.size(); ++k) {
            CAPTURE(k);
            CHECK(std::abs(still.v[k] - moving.v[k]) < 1e-4);
        }
    }
}

TEST_CASE("a plane that rises and turns takes along what lies on it") {
    const auto model = model_of(R"(<mujoco>
  <worldbody>
    <body name="lift" mocap="true"><geom type="plane" size="0 0 1"/></body>
    <body name="crate" pos="0.3 0 0.11"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
</mujoco>)");
    Simulation sim(model, {});
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.velocity = {{0, 0, 0.5}, {0, 0, 0.2}};
    sim.set_kinematic(model->find_body("lift"), motion);
    for (int k = 0; k < 120; ++k) {
        const StepReport report = sim.step(1.0 / 60);
        INFO(report.where);
        REQUIRE(report.status == StepStatus::ok);
    }
    // 0.075 m/s² to the middle, far below what friction holds: the crate turns with the plane.
    const JointState<double>& state = sim.state();
    CHECK(state.kinematic[0].pos.z == doctest::Approx(0.4).epsilon(1e-12));
    CHECK(state.q[2] == doctest::Approx(0.5).epsilon(1e-3));
    CHECK(state.v[2] == doctest::Approx(0.2).epsilon(1e-3));
    CHECK(state.v[5] == doctest::Approx(0.5).epsilon(1e-2));
    CHECK(std::hypot(state.v[0], state.v[1]) ==
          doctest::Approx(0.5 * std::hypot(state.q[0], state.q[1])).epsilon(1e-2));
}
