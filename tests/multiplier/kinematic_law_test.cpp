// The law m v = f: what is pulled moves as long as it is pulled, as far as its constraints let it.

#include <ligament/simulation.h>

#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

const SimulationOptions dragging{.formulation = "multiplier", .multiplier = {.law = Law::kinematic}};

constexpr const char* slope = R"(
<mujoco><option timestep="0.01"/><compiler angle="radian"/>
  <worldbody><body name="car" euler="0 -0.5 0">
    <joint name="rail" type="slide" axis="1 0 0" range="-1 0.5" limited="true"/>
    <geom size="0.1" mass="2"/></body></worldbody>
</mujoco>)";

}  // namespace

TEST_CASE("kinematic law: on a rail a force gives its own share as velocity, and weight none") {
    const auto model = compile(scene_of(slope));
    Simulation sim(model, dragging);
    REQUIRE(sim.step(0.01).status == StepStatus::ok);
    CHECK(sim.state().q[0] == 0.0);
    // 6 N along x on 2 kg, of which the rail takes cos 0.5: m v = f cos 0.5 · 1 s.
    sim.inputs().xfrc_applied[1] = {{0, 0, 0}, {6, 0, 0}};
    for (int k = 0; k < 10; ++k) REQUIRE(sim.step(0.01).status == StepStatus::ok);
    CHECK(sim.state().v[0] == doctest::Approx(3 * std::cos(0.5)).epsilon(1e-12));
    CHECK(sim.state().q[0] == doctest::Approx(0.1 * 3 * std::cos(0.5)).epsilon(1e-12));
    // Without the force it stands still at once.
    sim.inputs().xfrc_applied[1] = Force<double>::zero();
    const double q = sim.state().q[0];
    REQUIRE(sim.step(0.01).status == StepStatus::ok);
    CHECK(sim.state().v[0] == 0.0);
    CHECK(sim.state().q[0] == q);
}

TEST_CASE("kinematic law: a limit is where it ends") {
    Simulation sim(compile(scene_of(slope)), dragging);
    sim.inputs().qfrc_applied[0] = 4;  // 2 m/s
    for (int k = 0; k < 50; ++k) REQUIRE(sim.step(0.01).status == StepStatus::ok);
    CHECK(std::abs(sim.state().q[0] - 0.5) < 1e-9);
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
}

TEST_CASE("kinematic law: a figure follows the hand that drags it") {
    constexpr const char* figure = R"(
<mujoco><option timestep="0.01"/>
  <worldbody>
    <body name="hand" mocap="true" pos="1.5 0 0"/>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/>
      <body name="lower" pos="1 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/>
    </body></body>
  </worldbody>
  <equality><loop name="grip" type="ball" body1="lower" pos1="1 0 0" body2="hand" pos2="0 0 0"/></equality>
  <keyframe><key qpos="0.7227342478134157 -1.4454684956268313"/></keyframe>
</mujoco>)";
    // cos 0.7227… = 0.75: both links at that angle reach 1.5 m.
    const auto model = compile(scene_of(figure));
    Simulation sim(model, dragging);
    sim.reset(0);
    const int hand = model->find_body("hand");
    const auto pull = [&](double speed) {
        BaseMotion<double> motion = sim.state().kinematic[0];
        motion.velocity = {{0, 0, 0}, {-speed, 0, 0}};
        sim.set_kinematic(hand, motion);
    };
    pull(0.5);
    double error = 0;
    for (int k = 0; k < 100; ++k) {
        const StepReport report = sim.step(0.01);
        REQUIRE(report.status == StepStatus::ok);
        error = std::max(error, report.equality_error);
    }
    // The hand is 1 m away now: cos of the angles is a half.
    CHECK(error < 1e-9);
    CHECK(std::abs(std::abs(sim.state().q[0]) - std::acos(0.5)) < 1e-8);
    CHECK(std::abs(std::abs(sim.state().q[1]) - 2 * std::acos(0.5)) < 1e-8);
    pull(0);
    REQUIRE(sim.step(0.01).status == StepStatus::ok);
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
    CHECK(std::abs(sim.state().v[1]) < 1e-9);
}

TEST_CASE("kinematic law: what cannot be combined with it is refused by name") {
    const auto model = compile(scene_of(slope));
    SimulationOptions smooth = dragging;
    smooth.stepping = Stepping::smooth;
    CHECK_THROWS_WITH_AS(Simulation(model, smooth),
                         doctest::Contains("the kinematic law with smooth stepping"), std::invalid_argument);
}
