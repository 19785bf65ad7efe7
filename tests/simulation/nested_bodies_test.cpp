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

constexpr const char* formulations[] = {"multiplier", "implicit", "impulse"};

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
        // About +y a weight at x in front of an axis turns with m g x.
        const double g = 9.81, q = angle_of(simulation, "shoulder");
        const double weights =
            g * (model->bodies[jelly].mass * com(jelly).x + model->bodies[hand].mass * com(hand).x);
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
      <actuator><motor name="turn" joint="knee"/><motor name="lift" joint="hip" gear="0.3 1 0.5"/></actuator>
      </mujoco>)";
    for (const char* formulation : formulations) {
        CAPTURE(formulation);
        const auto model = model_of(floating);
        REQUIRE(model->loops.size() == 3);
        SimulationOptions options;
        options.formulation = formulation;
        if (options.formulation == "implicit") options.touching = Touching::hard;
        Simulation simulation(model, options);
        double straight = 0, most = 0, turned = 0;
        for (int k = 0; k < 240; ++k) {
            simulation.inputs().ctrl[0] = k < 120 ? 1.5 : -1;
            simulation.inputs().ctrl[1] = 1;
            const StepReport report = simulation.step(1.0 / 240);
            CAPTURE(report.where);
            REQUIRE(report.status == StepStatus::ok);
            Workspace<double> ws(model);
            forward_kinematics(simulation.state(), ws);
            const Force<double> p = momentum(ws);
            straight = std::max(straight, std::sqrt(dot(p.lin, p.lin)));
            most = std::max(most, std::sqrt(dot(p.ang, p.ang)));
            turned = std::max(turned, std::abs(angle_of(simulation, "knee")));
        }
        MESSAGE(formulation << " momentum " << straight << " " << most << " turned " << turned);
        CHECK(turned > 0.15);
        CHECK(turned < 0.2 + 1e-3);
        CHECK(straight < 1e-12);
        // Velocity steps keep angular momentum to first order: of 1.5 N m for half a second.
        CHECK(most < 1e-3);
    }
}

// A block of jelly of the height 2 h that hangs by its top is in uniaxial stress: at rest what hangs it pulls
// with its weight m g at h above the centre of mass, so the stress is m g h / V, along z alone.
TEST_CASE("nested bodies: what hangs by a spring is drawn out by its weight as Hooke has it") {
    const char* const hangers[] = {
        R"(<body name="jelly" kind="KIND" young="2e3" poisson="0.3" damping="0.05" pos="0 0 1">
             <joint name="rail" type="slide" axis="0 0 1" pos="0 0 0.2" stiffness="40" damping="4"/>
             <geom type="box" size="0.1 0.1 0.2" mass="1" contype="0" conaffinity="0"/></body></worldbody>)",
        R"(<site name="hook" pos="0 0 1.7"/>
           <body name="jelly" kind="KIND" young="2e3" poisson="0.3" damping="0.05" pos="0 0 1">
             <geom type="box" size="0.1 0.1 0.2" mass="1" contype="0" conaffinity="0"/>
             <site name="top" pos="0 0 0.2"/></body></worldbody>
           <tendon><spatial name="rope" stiffness="40" damping="4" springlength="0.5">
             <site site="hook"/><site site="top"/></spatial></tendon>)",
        R"(<body name="jelly" kind="KIND" young="2e3" poisson="0.3" damping="0.05" pos="0 0 1">
             <joint name="rail" type="slide" axis="0 0 1" pos="0 0 0.2" damping="4"/>
             <geom type="box" size="0.1 0.1 0.2" mass="1" contype="0" conaffinity="0"/></body></worldbody>
           <actuator><position name="pull" joint="rail" kp="40"/></actuator>)",
        R"(<body name="jelly" kind="KIND" young="2e3" poisson="0.3" damping="0.05" pos="0 0 1">
             <joint name="rail" type="slide" axis="0 0 1" pos="0 0 0.2" damping="4" range="-0.24525 1"/>
             <geom type="box" size="0.1 0.1 0.2" mass="1" contype="0" conaffinity="0"/></body></worldbody>)"};
    for (const char* formulation : formulations)
        for (const char* hanger : hangers) {
            CAPTURE(formulation);
            CAPTURE(hanger);
            std::string text = std::string("<mujoco><worldbody>") + hanger + "</mujoco>";
            text.replace(text.find("KIND"), 4, "affine");
            const auto model = model_of(text);
            SimulationOptions options;
            options.formulation = formulation;
            if (options.formulation == "implicit") options.touching = Touching::hard;
            Simulation simulation(model, options);
            for (int k = 0; k < 60 * 10; ++k) {
                const StepReport report = simulation.step(1.0 / 60);
                CAPTURE(report.where);
                REQUIRE(report.status == StepStatus::ok);
            }
            const double weight = 9.81, h = 0.2, V = 0.2 * 0.2 * 0.4, strain = weight * h / (V * 2e3);
            const double sunk = weight / 40;
            const TreeStretch& stretch = model->tree.stretches[0];
            const double* S = simulation.state().q.data() + stretch.q_adr;
            std::vector<Transformd> poses(model->bodies.size());
            simulation.body_poses(poses);
            MESSAGE(formulation << " " << S[0] - 1 << " " << S[1] - 1 << " " << S[2] - 1 << " wanted "
                                << strain << " at " << poses[1].p.z);
            // `compile` may have turned the axes of the body: one stretch is along z, two across.
            double along = 0, across = 0;
            for (int k = 0; k < 3; ++k) (S[k] > 1 ? along : across) += S[k] - 1;
            CHECK(along == doctest::Approx(strain).epsilon(1e-6));
            CHECK(across == doctest::Approx(-2 * 0.3 * strain).epsilon(1e-6));
            // The top is lower by the spring, the centre by what half of the block is drawn out.
            CHECK(poses[1].p.z == doctest::Approx(1.2 - sunk - h * (1 + strain)).epsilon(1e-6));
        }
}
