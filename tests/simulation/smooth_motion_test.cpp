// Motion under forces alone, against closed forms and references that were computed otherwise.

#include "support/random_values.h"

#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A point of 1 kg on a massless rod of 1 m that swings about y; at 0 it hangs.
std::shared_ptr<const Model> pendulum() {
    Scene scene;
    const BodyId bob = scene.add_body(
        world, {.name = "bob", .inertial = InertialSpec{1, {{0, 0, -1}}, Sym3d::diagonal(0, 0, 0), {}}});
    scene.add_joint(bob, {.name = "pivot", .axis = {0, 1, 0}});
    return compile(scene);
}

// A free body with the principal moments 1, 2, 3, without gravity.
std::shared_ptr<const Model> top() {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "top", .inertial = InertialSpec{1, {}, Sym3d::diagonal(1, 2, 3), {}}});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    return compile(scene);
}

// All kinds of coordinates at once, with a drive that has a state of its own.
std::shared_ptr<const Model> mixture() {
    Scene scene;
    const InertialSpec solid{1, {{0.1, 0.2, -0.1}}, Sym3d::diagonal(0.1, 0.2, 0.15), {}};
    const BodyId base = scene.add_body(world, {.name = "base", .inertial = solid});
    scene.add_joint(base, {.name = "root", .type = JointType::free});
    const BodyId arm = scene.add_body(base, {.name = "arm", .pose = {{0.3, 0, 0}}, .inertial = solid});
    const JointId elbow =
        scene.add_joint(arm, {.name = "elbow", .axis = {0, 1, 0}, .damping = 0.2, .stiffness = 3});
    const BodyId hand = scene.add_body(arm, {.name = "hand", .pose = {{0.3, 0, 0}}, .inertial = solid});
    scene.add_joint(hand, {.name = "wrist", .type = JointType::ball});
    const BodyId tool = scene.add_body(hand, {.name = "tool", .pose = {{0, 0.2, 0}}, .inertial = solid});
    scene.add_joint(tool, {.name = "slide", .type = JointType::slide, .axis = {0, 0, 1}, .stiffness = 20});
    ActuatorSpec motor;
    motor.name = "motor";
    motor.joint = elbow;
    motor.activation = Activation::filter;
    motor.time_constant = 0.1;
    scene.add_actuator(motor);
    return compile(scene);
}

JointState<double> stirred(const Model& model) {
    JointState<double> state(model);
    Random random(4);
    for (double& x : state.v) x = random.uniform(-1, 1);
    for (double& x : state.act) x = 0.3;
    return state;
}

double distance(const JointState<double>& a, const JointState<double>& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.q.size(); ++k) most = std::max(most, std::abs(a.q[k] - b.q[k]));
    for (std::size_t k = 0; k < a.v.size(); ++k) most = std::max(most, std::abs(a.v[k] - b.v[k]));
    for (std::size_t k = 0; k < a.act.size(); ++k) most = std::max(most, std::abs(a.act[k] - b.act[k]));
    return most;
}

// K(k²) by the arithmetic-geometric mean.
double complete_elliptic(double k_square) {
    double a = 1, b = std::sqrt(1 - k_square);
    for (int k = 0; k < 40; ++k) {
        const double mean = 0.5 * (a + b);
        b = std::sqrt(a * b);
        a = mean;
    }
    return std::numbers::pi / (2 * a);
}

}  // namespace

TEST_CASE("a pendulum is back where it was after one period, whatever its amplitude") {
    SmoothMotion motion(pendulum());
    for (const double degrees : {10.0, 60.0, 120.0, 170.0, 179.0}) {
        CAPTURE(degrees);
        const double amplitude = degrees * std::numbers::pi / 180;
        const double sine = std::sin(amplitude / 2);
        const double period = 4 * std::sqrt(1 / 9.81) * complete_elliptic(sine * sine);
        JointState<double> state(motion.dynamics.model());
        state.q[0] = amplitude;
        const MotionReport report = motion.advance(state, period, {.tolerance = 1e-12});
        CHECK(report.status == MotionStatus::ok);
        CHECK(state.time == doctest::Approx(period).epsilon(1e-15));
        // Errors of single steps grow near the upper rest, by up to exp(√g · half a period).
        const double growth = degrees > 150 ? 1e3 : 1;
        CHECK(std::abs(state.q[0] - amplitude) < 1e-9 * growth);
        CHECK(std::abs(state.v[0]) < 1e-9 * growth);
    }
}

TEST_CASE("orders: halving the step divides the error by 2 and by 16") {
    const auto model = mixture();
    SmoothMotion motion(model);
    motion.dynamics.ctrl[0] = 0.8;
    const auto run = [&](SmoothMethod method, double step) {
        JointState<double> state = stirred(*model);
        REQUIRE(motion.advance(state, 0.5, {.method = method, .step = step}).status == MotionStatus::ok);
        return state;
    };
    JointState<double> exact = stirred(*model);
    REQUIRE(motion.advance(exact, 0.5, {.tolerance = 1e-13}).status == MotionStatus::ok);
    for (const auto& [method, order] : {std::pair(SmoothMethod::euler, 1), std::pair(SmoothMethod::rk4, 4)}) {
        CAPTURE(order);
        const double coarse = distance(run(method, 0.01), exact), fine = distance(run(method, 0.005), exact);
        CHECK(std::log2(coarse / fine) == doctest::Approx(order).epsilon(0.08));
    }
    // The tolerance is kept, and not by far too short steps.
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
        CAPTURE(tolerance);
        JointState<double> state = stirred(*model);
        const MotionReport report = motion.advance(state, 0.5, {.step = 0.5, .tolerance = tolerance});
        const double error = distance(state, exact);
        CHECK(error < 20 * tolerance);
        CHECK(error > 1e-4 * tolerance);
        CHECK(report.evaluations < 6 * (report.steps + report.rejected) + 2);
    }
}

TEST_CASE("a free top keeps energy and angular momentum, and turns as Euler's equations say") {
    const auto model = top();
    SmoothMotion motion(model);
    JointState<double> state(*model);
    state.v[3] = 0.1;
    state.v[4] = 3;
    state.v[5] = 0.1;
    const auto measure = [&] {
        forward_kinematics(state, motion.dynamics.ws);
        return std::pair(momentum(motion.dynamics.ws).ang, energy(state, motion.dynamics.ws).kinetic);
    };
    const auto [L0, T0] = measure();
    // One period of the Jacobi functions: 4 K(k²) / sqrt((I₃ − I₂)(2 T I₁ − L²)… ), written for I = (1, 2, 3)
    // and L² > 2 T I₂: k² = (I₂ − I₁)(2 T I₃ − L²) / ((I₃ − I₂)(L² − 2 T I₁)).
    const double twice_T = 0.01 + 18 + 0.03, L_square = 0.01 + 36 + 0.09;
    const double k_square = (3 * twice_T - L_square) / (L_square - twice_T);
    REQUIRE(k_square < 1);
    const double period = 4 * complete_elliptic(k_square) / std::sqrt((3 - 2) * (L_square - twice_T) / 6);
    REQUIRE(motion.advance(state, period, {.tolerance = 1e-12}).status == MotionStatus::ok);
    const auto [L, T] = measure();
    CHECK(length(L - L0) < 1e-9);
    CHECK(std::abs(T - T0) < 1e-9);
    CHECK(std::abs(state.v[3] - 0.1) < 1e-8);
    CHECK(std::abs(state.v[4] - 3) < 1e-8);
    CHECK(std::abs(state.v[5] - 0.1) < 1e-8);
}

TEST_CASE("a kinematic body moves on, and what hangs on it follows") {
    Scene scene;
    const BodyId cart = scene.add_body(world, {.name = "cart", .kinematic = true});
    const BodyId bob = scene.add_body(
        cart, {.name = "bob", .inertial = InertialSpec{1, {{0, 0, -1}}, Sym3d::diagonal(0, 0, 0), {}}});
    scene.add_joint(bob, {.name = "pivot", .axis = {0, 1, 0}});
    const auto model = compile(scene);
    SmoothMotion motion(model);
    // On a cart with the acceleration a, the pendulum rests at tan θ = a / g.
    JointState<double> state(*model);
    state.kinematic[0].acceleration.lin = {2, 0, 0};
    const double rest = std::atan(2 / 9.81);
    state.q[0] = rest;
    REQUIRE(motion.advance(state, 1.5).status == MotionStatus::ok);
    CHECK(std::abs(state.q[0] - rest) < 1e-8);
    CHECK(state.kinematic[0].pos.x == doctest::Approx(0.5 * 2 * 1.5 * 1.5).epsilon(1e-12));
    CHECK(state.kinematic[0].velocity.lin.x == doctest::Approx(3).epsilon(1e-12));
}

TEST_CASE("applied forces and control") {
    const auto model = top();
    SmoothMotion motion(model);
    JointState<double> state(*model);
    motion.dynamics.xfrc_applied[1].lin = {4, 0, 0};
    motion.dynamics.qfrc_applied[1] = 2;
    REQUIRE(motion.advance(state, 2).status == MotionStatus::ok);
    CHECK(state.q[0] == doctest::Approx(8).epsilon(1e-12));
    CHECK(state.q[1] == doctest::Approx(4).epsilon(1e-12));

    // A force that follows the time: x = sin t.
    JointState<double> swung(*model);
    swung.v[0] = 1;
    motion.dynamics.xfrc_applied[1].lin = {0, 0, 0};
    SmoothOptions options{.tolerance = 1e-11};
    options.control = [](const JointState<double>& at, SmoothDynamics& dynamics) {
        dynamics.qfrc_applied[0] = -std::sin(at.time);
        dynamics.qfrc_applied[1] = 0;
    };
    REQUIRE(motion.advance(swung, 3, options).status == MotionStatus::ok);
    CHECK(std::abs(swung.q[0] - std::sin(3.0)) < 1e-9);
    options.control = [](const JointState<double>&, SmoothDynamics&) {
        throw std::runtime_error("no hands");
    };
    const JointState<double> before = swung;
    const MotionReport failed = motion.advance(swung, 1, options);
    CHECK(failed.status == MotionStatus::control_failed);
    CHECK(failed.where == "the control failed: no hands");
    options.control = [](const JointState<double>&, SmoothDynamics&) { throw 42; };
    CHECK(motion.advance(swung, 1, options).where == "the control failed");
    CHECK(distance(before, swung) == 0);
}

TEST_CASE("what fails is told, and the last good state stays") {
    SmoothMotion motion(pendulum());
    JointState<double> state(motion.dynamics.model());
    state.q[0] = 1;
    const JointState<double> before = state;
    for (const SmoothMethod method : {SmoothMethod::euler, SmoothMethod::rk4, SmoothMethod::rk45}) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double bad : {nan, -1.0, std::numeric_limits<double>::infinity()})
            CHECK(motion.advance(state, bad, {.method = method}).status == MotionStatus::bad_arguments);
        CHECK(motion.advance(state, 1, {.method = method, .step = 0}).status == MotionStatus::bad_arguments);
        CHECK(motion.advance(state, 0, {.method = method}).status == MotionStatus::ok);
        motion.dynamics.qfrc_applied[0] = nan;
        const MotionReport report = motion.advance(state, 1, {.method = method});
        CHECK(report.status == MotionStatus::non_finite);
        CHECK(report.where == "the acceleration of joint 'pivot' is not finite");
        motion.dynamics.qfrc_applied[0] = 0;
        CHECK(distance(state, before) == 0);
        CHECK(state.time == 0);
    }
    JointState<double> other(*top());
    CHECK(motion.advance(other, 1).where == "the state is of another model");
}

TEST_CASE("the same bits again, in one go or in pieces of whole steps") {
    const auto model = mixture();
    SmoothMotion one(model), two(model);
    JointState<double> a = stirred(*model), b = stirred(*model);
    one.advance(a, 0.25, {.method = SmoothMethod::rk4, .step = 1.0 / 64});
    for (int k = 0; k < 4; ++k) two.advance(b, 0.0625, {.method = SmoothMethod::rk4, .step = 1.0 / 64});
    CHECK(distance(a, b) == 0);
    CHECK(a.time == b.time);
}
