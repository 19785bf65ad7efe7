// Limits, motors, servos, dry friction and drives towards a pose, where what comes of them is known. Default
// options and frames of 60 Hz.

#include "core/rotation.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double degree = std::numbers::pi / 180;

// A bar of 2 kg and 1 m that reaches along x from a hinge about y: positive angles turn it down, and gravity
// does so with `weight` cos q. Its inertia about the hinge is 2/3 kg m².
constexpr double weight = 2 * gravity * 0.5, bar_inertia = 2.0 / 3;
std::string bar(const std::string& joint, const std::string& actuator, double pull = gravity) {
    return "<mujoco><option gravity='0 0 " + std::to_string(-pull) +
           "'/><worldbody><body name='bar'><joint name='hinge' "
           "axis='0 1 0' " +
           joint +
           "/><inertial pos='0.5 0 0' mass='2' diaginertia='1e-9 0.16666666666666666 "
           "0.16666666666666666'/></body></worldbody><actuator>" +
           actuator + "</actuator></mujoco>";
}

// The angle at which `torque` at q = 0, less by kp per radian, carries the bar.
double sag(double kp, double target) {
    double q = target;
    for (int k = 0; k < 200; ++k) q = target + weight * std::cos(q) / kp;
    return q;
}

}  // namespace

TEST_CASE("a hinge falls on its limit and stays there") {
    Simulation sim(model_of(bar("range='-90 30' limited='true'", "")));
    JointState<double> state = sim.state();
    state.q[0] = -80 * degree;
    sim.set_state(state);
    double beyond = 0;
    run(sim, 1, frame, [&](const StepReport&) { beyond = std::max(beyond, sim.state().q[0] - 30 * degree); });
    run(sim, 2, frame, [&](const StepReport&) {
        CHECK(std::abs(sim.state().q[0] - 30 * degree) < 1e-6);
        CHECK(std::abs(sim.state().v[0]) < 1e-9);
    });
    std::vector<double> force(1);
    sim.limit_forces(force);
    MESSAGE("hinge on its limit: off by " << sim.state().q[0] - 30 * degree << " rad, at impact " << beyond);
    CHECK(beyond < 1e-6);
    CHECK(std::abs(force[0] / (weight * std::cos(30 * degree)) + 1) < 1e-6);
}

// An arm along x with a mass of its own aside, which pulls it down and twists it: it comes to rest at both
// limits.
TEST_CASE("a ball holds its swing and twist limits under load") {
    Simulation sim(model_of(R"(<mujoco><default><geom size="0.05" contype="0" conaffinity="0"/></default>
      <worldbody><body><joint name="ball" type="ball" axis="1 0 0" swing="40" twist="-20 25" damping="60"/>
      <geom pos="1 0 0" mass="30"/><geom pos="0.5 0.4 0" mass="10"/></body></worldbody></mujoco>)"));
    const auto angles = [&] {
        const double* q = sim.state().q.data();
        const Quatd r{q[0], q[1], q[2], q[3]};
        const Vec3d axis = rotation_matrix(r) * Vec3d{1, 0, 0};
        return std::array{std::acos(axis.x), 2 * std::atan2(r.x, r.w)};
    };
    double swing = 0, twist = 0;
    run(sim, 10, frame, [&](const StepReport&) {
        swing = std::max(swing, angles()[0] - 40 * degree);
        twist = std::max(twist, -20 * degree - angles()[1]);
    });
    MESSAGE("ball: swing " << angles()[0] / degree << " deg, twist " << angles()[1] / degree
                           << " deg, at most " << swing / degree << " and " << twist / degree
                           << " deg beyond");
    CHECK(swing < 0.1 * degree);
    CHECK(twist < 0.1 * degree);
    CHECK(std::abs(angles()[0] - 40 * degree) < 1e-5);
    const bool low = std::abs(angles()[1] + 20 * degree) < 1e-6,
               high = std::abs(angles()[1] - 25 * degree) < 1e-6;
    CHECK((low || high));
    CHECK(sim.energy().kinetic < 1e-9);
}

namespace {
void check_servo(const std::string& limits, double kp, double kv) {
    CAPTURE(limits);
    CAPTURE(kp);
    Simulation sim(model_of(bar("", "<position joint='hinge' kp='" + std::to_string(kp) + "' kv='" +
                                        std::to_string(kv) + "' " + limits + "/>")));
    sim.inputs().ctrl[0] = -0.3;
    int substeps = 0;
    double farthest = 0;
    run(sim, 4, frame, [&](const StepReport& report) {
        substeps += report.substeps;
        farthest = std::max(farthest, std::abs(sim.state().q[0]));
    });
    MESSAGE("servo kp " << kp << " kv " << kv << ": off by " << sim.state().q[0] - sag(kp, -0.3) << " rad, "
                        << substeps / 240.0 << " sub-steps per frame");
    CHECK(std::abs(sim.state().q[0] - sag(kp, -0.3)) < 1e-8);
    CHECK(std::abs(sim.state().v[0]) < 1e-5);
    CHECK(farthest < 0.62);
}
const std::string limited = "forcerange='-12 12' forcelimited='true'";
}  // namespace

TEST_CASE("a servo that is strong enough holds, at the place that follows from its stiffness") {
    check_servo("", 1e3, 50);
    check_servo("", 1e6, 1600);
    check_servo("", 1e6, 20);
    check_servo("", 1e8, 2e4);
    check_servo(limited, 1e3, 50);
    check_servo(limited, 1e6, 5e4);
}
// Where it does not reach its limit it is a smooth force, whose damping rate, 7.5e6 1/s, asks for too many
// steps.
TEST_CASE("a servo with much damping holds") { check_servo(limited, 1e8, 5e6); }

// Its limit is 0.8 of the weight at the horizontal: the bar sinks to where cos q = 0.8, and the motor is at
// its limit there.
TEST_CASE("a motor that is too weak gives way to where its limit carries the load") {
    const std::string limits = "forcerange='-" + std::to_string(0.8 * weight) + " 100' forcelimited='true'";
    Simulation sim(
        model_of(bar("damping='2'", "<position joint='hinge' kp='1e5' kv='100' " + limits + "/>")));
    run(sim, 20);
    MESSAGE("weak servo: " << sim.state().q[0] << " rad of " << std::acos(0.8));
    CHECK(std::abs(sim.state().q[0] - std::acos(0.8)) < 1e-6);
    CHECK(std::abs(sim.inputs().drives.actuator_force[0] + 0.8 * weight) < 1e-9);
}

TEST_CASE("a velocity motor turns a wheel up with its limit of torque, then keeps the speed") {
    Simulation sim(
        model_of(bar("", "<velocity joint='hinge' kv='1e4' forcerange='-2 2' forcelimited='true'/>", 0)));
    sim.inputs().ctrl[0] = 5;
    const double rate = 2 / bar_inertia;
    run(sim, 1);
    CHECK(std::abs(sim.state().v[0] / rate - 1) < 1e-6);
    run(sim, 1);
    MESSAGE("velocity motor: " << sim.state().v[0] << " rad/s of 5");
    CHECK(std::abs(sim.state().v[0] - 5) < 1e-6);
    sim.inputs().qfrc_applied[0] = 1.9;  // below its limit: nothing changes
    run(sim, 1);
    CHECK(std::abs(sim.state().v[0] - 5 - 1.9 / 1e4) < 1e-5);
    sim.inputs().qfrc_applied[0] = 2.5;  // above: what is beyond the limit accelerates
    run(sim, 1);
    CHECK(std::abs(sim.state().v[0] - 5 - 0.5 / bar_inertia) < 1e-3);
}

TEST_CASE("dry friction holds below its bound and slides above it") {
    const auto slider = [] {
        return Simulation(model_of(
            "<mujoco><worldbody><body><joint name='rail' type='slide' axis='1 0 0' frictionloss='3'/>"
            "<geom size='0.1' mass='2'/></body></worldbody></mujoco>"));
    };
    {
        Simulation sim = slider();
        sim.inputs().qfrc_applied[0] = 2.999;
        run(sim, 5);
        CHECK(std::abs(sim.state().q[0]) < 1e-9);
        sim.inputs().qfrc_applied[0] = 3.5;
        run(sim, 2);
        CHECK(std::abs(sim.state().v[0] - 0.5) < 1e-6);
    }
    {
        Simulation sim = slider();
        JointState<double> state = sim.state();
        state.v[0] = 1;
        sim.set_state(state);
        run(sim, 0.5);
        CHECK(std::abs(sim.state().v[0] - 0.25) < 1e-6);
        run(sim, 0.5);
        // Positions go with the velocity at the end of a step: off by half a step's change of velocity at
        // most.
        MESSAGE("dry friction: slides by " << sim.state().q[0] << " m of " << 1.0 / 3);
        CHECK(std::abs(sim.state().q[0] - 1.0 / 3) < 0.505 * frame);
        CHECK(std::abs(sim.state().v[0]) < 1e-12);
    }
    // On a hinge under gravity: below the bound the bar does not stir, above it the rest accelerates it.
    Simulation held(model_of(bar("frictionloss='" + std::to_string(1.001 * weight) + "'", "")));
    run(held, 5);
    CHECK(std::abs(held.state().q[0]) < 1e-6);
    Simulation slips(model_of(bar("frictionloss='" + std::to_string(0.9 * weight) + "'", "")));
    run(slips, 0.25);
    // 0.1 weight/I t²/2 = 0.046 rad; cos q ≥ 0.9989 on the way.
    CHECK(std::abs(slips.state().v[0] / (0.1 * weight / bar_inertia * 0.25) - 1) < 0.01);
}

namespace {

// The shipped character in mid-air, held at its pelvis; with a ball of 4 kg before its chest.
std::shared_ptr<const Model> held_character() {
    std::ifstream file(LIG_SOURCE_DIR "/scenes/character.xml");
    std::string xml{std::istreambuf_iterator<char>(file), {}};
    const auto replace = [&](const std::string& what, const std::string& by) {
        const std::size_t at = xml.find(what);
        REQUIRE(at != std::string::npos);
        xml.replace(at, what.size(), by);
    };
    replace("<freejoint name=\"root\"/>", "");
    // A body that is fixed to the world collides with what is jointed to it, as the world does.
    replace("name=\"pelvis\" fromto", "name=\"pelvis\" contype=\"0\" conaffinity=\"0\" fromto");
    replace("<geom name=\"ground\" type=\"plane\" size=\"0 0 1\" rgba=\"0.86 0.86 0.84 1\"/>",
            "<body pos=\"0.02 -0.6 1.4\"><freejoint name=\"ball\"/><geom type=\"sphere\" size=\"0.1\" "
            "mass=\"4\"/></body>");
    const std::size_t keyframes = xml.find("<keyframe>"), end = xml.find("</mujoco>");
    xml.erase(keyframes, end - keyframes);
    return model_of(xml);
}

// The worst angle of a joint between two states, but for the ball.
double worst_angle(const Model& model, const std::vector<double>& q0, const std::vector<double>& q1) {
    Workspace<double> ws(std::shared_ptr<const Model>(&model, [](const Model*) {}));
    std::vector<double> turned(model.nv);
    difference<double>(ws, q0, q1, turned);
    double worst = 0;
    for (const Model::Joint& joint : model.joints) {
        if (joint.type == JointType::free) continue;
        double square = 0;
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) square += turned[k] * turned[k];
        worst = std::max(worst, std::sqrt(square));
    }
    return worst;
}

}  // namespace

// The equilibrium of the springs, which tests/constraints computes by Newton's method: 10.5035° at 10 Hz
// and 2.6697° at 20 Hz in the shoulder.
TEST_CASE("the driven character sags to its equilibrium") {
    for (const auto& [frequency, degrees] : {std::pair{10.0, 10.5035}, std::pair{20.0, 2.6697}}) {
        Simulation sim(held_character());
        sim.drive_to_pose(sim.model().q0, {}, frequency, 1, std::numeric_limits<double>::infinity());
        run(sim, 5);
        const double worst = worst_angle(sim.model(), sim.model().q0, sim.state().q);
        MESSAGE("driven character at " << frequency << " Hz: sags by " << worst / degree << " deg of "
                                       << degrees);
        CHECK(std::abs(worst / degree - degrees) < 1e-3);
    }
}

TEST_CASE("a powered ragdoll that is hit by a ball finds back to its pose") {
    Simulation sim(held_character());
    sim.drive_to_pose(sim.model().q0, {}, 10, 1, 200);
    JointState<double> state = sim.state();
    const Model::Joint& ball = joint_of(sim, "ball");
    state.q[ball.q_adr + 1] = -50;  // out of the way
    sim.set_state(state);
    run(sim, 10);
    const std::vector<double> rest = sim.state().q;

    state = sim.state();
    for (int k = 0; k < 3; ++k) {
        state.q[ball.q_adr + k] = sim.model().q0[ball.q_adr + k];
        state.v[ball.v_adr + k] = k == 1 ? 8.0 : 0.0;
    }
    sim.set_state(state);
    double farthest = 0;
    run(sim, 5, frame, [&](const StepReport&) {
        farthest = std::max(farthest, worst_angle(sim.model(), rest, sim.state().q));
    });
    const double left = worst_angle(sim.model(), rest, sim.state().q);
    MESSAGE("powered ragdoll: bent by " << farthest / degree << " deg, off by " << left / degree
                                        << " deg after 5 s");
    CHECK(farthest > 3 * degree);
    CHECK(left < 0.2 * degree);
    // The frequency is that of two bodies alone; the trunk with all that hangs on it swings longer.
    run(sim, 12);
    CHECK(worst_angle(sim.model(), rest, sim.state().q) < 1e-3 * degree);
}
