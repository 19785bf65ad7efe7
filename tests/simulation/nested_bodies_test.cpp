// Bodies that deform in the tree: joints of theirs, and on them, are loops with all that joints have.

#include "support/simulation_scenes.h"

#include <ligament/drives.h>
#include <ligament/dynamics.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

constexpr const char* formulations[] = {"multiplier", "implicit"};

// A jelly on a hinge with a spring and a motor, and a rigid hand on a hinge at its end.
const char* const arm = R"(<mujoco><compiler angle="radian"/><worldbody>
  <body name="jelly" kind="affine" young="4e4" poisson="0.3" damping="0.05" pos="0.3 0 1">
    <joint name="shoulder" axis="0 1 0" pos="-0.3 0 0" stiffness="6" springref="-0.2" damping="0.6"/>
    <geom type="box" size="0.3 0.05 0.05" mass="0.5" contype="0" conaffinity="0"/>
    <body name="hand" pos="0.4 0 0">
      <joint name="wrist" axis="0 1 0" pos="-0.1 0 0" range="-0.1 0.15" damping="0.05"/>
      <geom type="box" size="0.1 0.03 0.03" mass="0.2" contype="0" conaffinity="0"/>
      <site name="tip" pos="0.1 0 0"/>
    </body>
  </body></worldbody>
  <actuator><motor name="pull" joint="shoulder" gear="2"/></actuator>
  <sensor><jointpos joint="shoulder"/><jointvel joint="wrist"/></sensor></mujoco>)";

double angle_of(const Simulation& simulation, const char* name) {
    double q[1], v[1];
    simulation.loop_coordinates(simulation.model().find_loop(name), q, v);
    return q[0];
}

}  // namespace

TEST_CASE("nested bodies: a jelly arm comes to rest where the moments about its joints balance") {
    for (const char* formulation : formulations) {
        CAPTURE(formulation);
        const auto model = model_of(arm);
        CHECK(model->loops.size() == 2);
        SimulationOptions options;
        options.formulation = formulation;
        if (options.formulation == "implicit") options.touching = Touching::hard;
        Simulation simulation(model, options);
        constexpr double control = -0.4;
        simulation.inputs().ctrl[0] = control;
        StepReport report;
        for (int k = 0; k < 60 * 20; ++k) {
            report = simulation.step(1.0 / 60);
            CAPTURE(report.where);
            REQUIRE(report.status == StepStatus::ok);
        }
        std::vector<Transformd> poses(model->bodies.size());
        simulation.body_poses(poses);
        const int jelly = model->find_body("jelly"), hand = model->find_body("hand");
        const auto com = [&](int b) { return poses[b] * model->bodies[b].com; };
        // About +y a weight at x in front of an axis turns with m g x; the hinge of the wrist pushes where its
        // limit holds it.
        const double g = 9.81, q = angle_of(simulation, "shoulder");
        const double weights = g * (model->bodies[jelly].mass * com(jelly).x + model->bodies[hand].mass * com(hand).x);
        const double joint = -6 * (q + 0.2) + 2 * control;
        MESSAGE(formulation << " shoulder " << q << " moments " << weights << " " << joint << " wrist "
                            << angle_of(simulation, "wrist"));
        CHECK(weights + joint == doctest::Approx(0).epsilon(1e-5));
        CHECK(std::abs(q) > 0.05);
        CHECK(angle_of(simulation, "wrist") == doctest::Approx(0.15).epsilon(2e-3));
    }
}

TEST_CASE("nested bodies: motors, springs and limits between bodies that deform keep momentum") {
    const char* const floating = R"(<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
      <body name="root"><freejoint/><geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
        <body name="a" kind="affine" young="2e4" poisson="0.2" pos="0.4 0 0">
          <joint name="hip" type="ball" pos="-0.2 0 0" stiffness="2" damping="0.1" range="0 0.3"/>
          <geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
          <body name="b" kind="stretching" young="2e4" pos="0.4 0.1 0">
            <joint name="knee" axis="0 1 0.2" pos="-0.2 0 0" range="-0.2 0.2" frictionloss="0.05"/>
            <geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
            <body name="c" pos="0.3 0 0.1">
              <geom type="box" size="0.1 0.1 0.1" mass="0.5" contype="0" conaffinity="0"/>
            </body></body></body></body></worldbody>
      <actuator><motor name="turn" joint="knee"/><motor name="lift" joint="hip" gear="0.3 1 0.5"/></actuator></mujoco>)";
    for (const char* formulation : formulations) {
        CAPTURE(formulation);
        const auto model = model_of(floating);
        REQUIRE(model->loops.size() == 3);
        SimulationOptions options;
        options.formulation = formulation;
        if (options.formulation == "implicit") options.touching = Touching::hard;
        Simulation simulation(model, options);
        double most = 0, turned = 0;
        for (int k = 0; k < 240; ++k) {
            simulation.inputs().ctrl[0] = k < 120 ? 1.5 : -1;
            simulation.inputs().ctrl[1] = 1;
            const StepReport report = simulation.step(1.0 / 240);
            CAPTURE(report.where);
            REQUIRE(report.status == StepStatus::ok);
            Workspace<double> ws(model);
            forward_kinematics(simulation.state(), ws);
            const Force<double> p = momentum(ws);
            most = std::max({most, std::abs(p.lin.x), std::abs(p.lin.y), std::abs(p.lin.z), std::abs(p.ang.x),
                             std::abs(p.ang.y), std::abs(p.ang.z)});
            turned = std::max(turned, std::abs(angle_of(simulation, "knee")));
        }
        MESSAGE(formulation << " momentum " << most << " turned " << turned);
        CHECK(turned > 0.15);
        CHECK(turned < 0.2 + 1e-3);
        CHECK(most < 1e-3);
    }
}
