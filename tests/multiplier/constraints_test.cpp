// Constraints between two bodies under `multiplier`: nodes of the factorization like joints. Each problem has
// its closed form; what `reduced` makes of it (tests/simulation) shares the rows and nothing else.

#include <ligament/simulation.h>

#include "support/pair_runs.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

SimulationOptions by(SmoothIntegrator integrator, double tolerance = 1e-10) {
    SimulationOptions options;
    options.formulation = "multiplier";
    options.integrator = integrator;
    options.stepping = Stepping::smooth;
    options.tolerance = tolerance;
    return options;
}

void go(Simulation& sim, double time, double step) {
    while (sim.state().time < time - 1e-9) {
        const StepReport report = sim.step(std::min(step, time - sim.state().time));
        INFO(report.where);
        REQUIRE(report.status == StepStatus::ok);
        CHECK(report.equality_error < 1e-9);
    }
}

Scene sleigh() {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId body =
        scene.add_body(world, {.name = "sleigh", .inertial = mass(1, {0.05, 0.05, 0.1}, {0.3, 0, 0})});
    scene.add_joint(body, {.type = JointType::slide, .axis = {1, 0, 0}});
    scene.add_joint(body, {.type = JointType::slide, .axis = {0, 1, 0}});
    scene.add_joint(body, {.type = JointType::hinge, .axis = {0, 0, 1}});
    scene.add_constraint(
        {.name = "blade", .body_a = world, .body_b = body, .constraint = make<KnifeEdgeConstraint>()});
    return scene;
}

// Along the blade.
double speed(const JointState<double>& state) {
    return state.v[0] * std::cos(state.q[2]) + state.v[1] * std::sin(state.q[2]);
}

}  // namespace

TEST_CASE("Chaplygin's sleigh by rk45 and by RATTLE") {
    // problems.json `chaplygin`: m = 1, J = 0.1, a = 0.3, u = w = 1 at the start.
    constexpr double u2 = 1.09077466886314, w2 = 0.0332946784507712;
    const auto model = compile(sleigh());
    const auto error = [&](SmoothIntegrator integrator, double step) {
        Simulation sim(model, by(integrator));
        JointState<double> state(*model);
        state.v = {1, 0, 1};
        sim.set_state(state);
        go(sim, 2, step);
        return std::max(std::abs(speed(sim.state()) - u2), std::abs(sim.state().v[2] - w2));
    };
    CHECK(error(SmoothIntegrator::rk45, 0.1) < 1e-8);
    const double coarse = error(SmoothIntegrator::rattle, 0.01),
                 fine = error(SmoothIntegrator::rattle, 0.005);
    CHECK(coarse < 1e-3);
    CHECK(coarse / fine == doctest::Approx(4).epsilon(0.15));  // second order
}

TEST_CASE("a ball that rolls down a slope, and a disk that rolls straight") {
    Scene scene;
    const double angle = 0.4;
    scene.options.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
    const BodyId ball = scene.add_body(
        world, {.name = "ball", .pose = {{0, 0, 0.2}}, .inertial = mass(3, {0.048, 0.048, 0.048})});
    scene.add_joint(ball, {.type = JointType::free});
    scene.add_constraint(
        {.name = "slope", .body_a = world, .body_b = ball, .constraint = make<RollingBallConstraint>(0.2)});
    Simulation sim(compile(scene), by(SmoothIntegrator::rattle));
    go(sim, 1, 0.01);
    // 2/5 m r² = 0.048: a = 5/7 g sin α; constant, so RATTLE makes no error.
    CHECK(std::abs(sim.state().q[0] - 0.5 * 5.0 / 7 * g * std::sin(angle)) < 1e-9);
    CHECK(std::abs(sim.state().q[2] - 0.2) < 1e-11);
}

TEST_CASE("wheels in gear, a bead on a circle, and a driven crank") {
    SUBCASE("gear") {
        Scene scene;
        scene.options.gravity = {0, 0, 0};
        BodyId wheel[2];
        const double inertia[2] = {0.1, 0.7};
        for (int k = 0; k < 2; ++k) {
            wheel[k] = scene.add_body(
                world,
                {.name = k ? "b" : "a", .pose = {{1.0 * k, 0, 0}}, .inertial = mass(1, {1, 1, inertia[k]})});
            scene.add_joint(wheel[k], {.type = JointType::hinge, .axis = {0, 0, 1}});
        }
        scene.add_constraint({.name = "gear",
                              .body_a = wheel[0],
                              .body_b = wheel[1],
                              .constraint = make<GearConstraint>(-0.5)});
        const auto model = compile(scene);
        Simulation sim(model, by(SmoothIntegrator::rattle));
        sim.inputs().qfrc_applied[0] = 0.3;
        go(sim, 1, 0.01);
        // One wheel of 0.1 + 0.7/4.
        CHECK(std::abs(sim.state().v[0] - 0.3 / 0.275) < 1e-10);
        CHECK(std::abs(sim.state().v[1] + 0.5 * 0.3 / 0.275) < 1e-10);
    }
    SUBCASE("bead") {
        Scene scene;
        const BodyId bead = scene.add_body(world, {.name = "bead",
                                                   .pose = {{0.7, 0, 0}},
                                                   .inertial = mass(2, {1, 1, 1}),
                                                   .kind = BodyKind::particle});
        scene.add_constraint(
            {.name = "rod", .body_a = world, .body_b = bead, .constraint = make<DistanceConstraint>(0.7)});
        Simulation sim(compile(scene), by(SmoothIntegrator::rk45));
        const Energy<double> before = sim.energy();
        go(sim, 2, 0.05);
        const std::vector<double>& q = sim.state().q;
        // Falls from the horizontal: v² = 2 g h, on the circle.
        CHECK(std::abs(std::hypot(q[0], q[1], q[2]) - 0.7) < 1e-11);
        const Energy<double> after = sim.energy();
        CHECK(std::abs(after.kinetic + after.potential - before.kinetic - before.potential) < 1e-7);
        CHECK(after.kinetic == doctest::Approx(2 * g * -q[2]).epsilon(1e-8));
    }
    SUBCASE("driven") {
        Scene scene;
        const BodyId arm =
            scene.add_body(world, {.name = "arm", .inertial = mass(2, {0.05, 0.05, 0.05}, {0, 0, -0.6})});
        scene.add_joint(arm, {.name = "pin", .axis = {0, 1, 0}});
        const MotionProfile sine{.amplitude = 1, .frequency = 1 / (2 * pi)};
        scene.add_constraint({.name = "drive",
                              .body_a = world,
                              .body_b = arm,
                              .constraint = make<PrescribedConstraint>(
                                  PrescribedConstraint::Axes{}, PrescribedConstraint::Axes{.y = sine})});
        Simulation sim(compile(scene), by(SmoothIntegrator::rattle));
        for (int k = 1; k < 5; ++k) {
            go(sim, 0.7 * k, 0.02);
            CHECK(std::abs(sim.state().q[0] - std::sin(0.7 * k)) < 1e-10);
            CHECK(std::abs(sim.state().v[0] - std::cos(0.7 * k)) < 1e-10);
        }
    }
}

TEST_CASE("a structure assembles itself within its time and holds afterwards") {
    Scene scene;
    scene.options.gravity = {0, 0, -1};
    const double span = 1.6;
    BodyId before = world;
    for (int k = 0; k < 4; ++k) {
        const BodyId bar = scene.add_body(world, {.name = "bar" + std::to_string(k),
                                                  .pose = {{0.5 * k, 0.3 * (k % 2), -0.2 * k}},
                                                  .inertial = mass(1, {0.02, 0.02, 0.001})});
        scene.add_joint(bar, {.type = JointType::free});
        LoopSpec pin;
        pin.name = "pin" + std::to_string(k);
        pin.type = JointType::ball;
        pin.body_a = before;
        pin.body_b = bar;
        if (k > 0) pin.frame_a = {{0, 0, -0.25}};
        pin.frame_b = {{0, 0, 0.25}};
        pin.closing_time = 1.5;
        scene.add_loop(pin);
        before = bar;
    }
    LoopSpec end;
    end.name = "end";
    end.type = JointType::ball;
    end.body_a = world;
    end.body_b = before;
    end.frame_a = {{span, 0, 0}};
    end.frame_b = {{0, 0, -0.25}};
    end.closing_time = 1.5;
    scene.add_loop(end);
    const auto model = compile(scene);
    Simulation sim(model, by(SmoothIntegrator::rk45));
    go(sim, 1.5, 0.01);
    // Now it is a chain between two points: every pin is where it should be.
    Workspace<double> ws(model);
    const auto gap = [&] {
        forward_kinematics(sim.state(), ws);
        Vec3d last = body_pose(ws, 1) * Vec3d{0, 0, 0.25};
        double most = std::sqrt(dot(last, last));
        for (int k = 1; k < 4; ++k) {
            const Vec3d d = body_pose(ws, k) * Vec3d{0, 0, -0.25} - body_pose(ws, k + 1) * Vec3d{0, 0, 0.25};
            most = std::max(most, std::sqrt(dot(d, d)));
        }
        const Vec3d d = body_pose(ws, 4) * Vec3d{0, 0, -0.25} - Vec3d{span, 0, 0};
        return std::max(most, std::sqrt(dot(d, d)));
    };
    CHECK(gap() < 1e-9);
    const Energy<double> start = sim.energy();
    go(sim, 3, 0.01);
    CHECK(gap() < 1e-9);
    const Energy<double> later = sim.energy();
    CHECK(std::abs(later.kinetic + later.potential - start.kinetic - start.potential) < 1e-6);
}

namespace {

// One of a program's own: two points of equal height.
class SameHeight final : public PairConstraint {
public:
    std::string_view kind() const override { return "same_height"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override {
        out[0].error = state.X_WB.p.z - state.X_WA.p.z;
        out[0].on_a = {{0, 0, 0}, {0, 0, -1}};
        out[0].on_b = {{0, 0, 0}, {0, 0, 1}};
    }
};

}  // namespace

TEST_CASE("a constraint of a program's own: two weights that stay level fall as one") {
    Scene scene;
    BodyId weight[2];
    for (int k = 0; k < 2; ++k) {
        weight[k] = scene.add_body(
            world,
            {.name = k ? "b" : "a", .pose = {{1.0 * k, 0, 1}}, .inertial = mass(k ? 3 : 1, {0.1, 0.1, 0.1})});
        scene.add_joint(weight[k], {.type = JointType::slide, .axis = {0, 0, 1}});
    }
    scene.add_constraint({.name = "level",
                          .body_a = weight[0],
                          .body_b = weight[1],
                          .constraint = std::make_shared<SameHeight>()});
    const auto model = compile(scene);
    Simulation sim(model, by(SmoothIntegrator::rattle));
    sim.inputs().qfrc_applied[1] = 8;
    go(sim, 1, 0.01);
    // 4 kg under their weight and 8 N upwards.
    const double expected = 0.5 * (8.0 / 4 - g);
    CHECK(std::abs(sim.state().q[0] - expected) < 1e-9);
    CHECK(std::abs(sim.state().q[1] - expected) < 1e-9);
}
