// What a program needs no kind of its own for: rigid bodies with some freedoms only have joints to the world,
// and forces that are no energy are set as the simulation runs.

#include "support/simulation_runs.h"

#include <ligament/body_push.h>
#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

constexpr const char* formulations[] = {"reduced", "multiplier", "implicit", "impulse"};

BodyId add_box(Scene& scene, BodySpec body, std::initializer_list<JointSpec> joints) {
    const BodyId id = scene.add_body(world, std::move(body));
    for (const JointSpec& joint : joints) scene.add_joint(id, joint);
    scene.add_geom(id, {.shape = ShapeType::box, .size = {0.3, 0.2, 0.1}, .mass = 2.0, .collides = false});
    return id;
}

// One that the library knows by its kind, and the same by joints; both on a spring to the world.
std::shared_ptr<const Model> planar_model(bool by_joints) {
    Scene scene;
    const Pose pose{{0.4, 0.1, 1}};
    const BodyId body =
        by_joints ? add_box(scene, {.name = "it", .pose = pose},
                            {{.name = "x", .type = JointType::slide, .axis = {1, 0, 0}},
                             {.name = "z", .type = JointType::slide, .axis = {0, 0, 1}},
                             {.name = "angle", .type = JointType::hinge, .axis = {0, 1, 0}}})
                  : add_box(scene, {.name = "it", .pose = pose, .kind = BodyKind::planar}, {});
    scene.add_loop({.name = "hook",
                    .body_a = world,
                    .body_b = body,
                    .frame_a = {{0.4, 0.1, 1.5}},
                    .frame_b = {{0, 0, 0.5}}});
    return compile(scene);
}

}  // namespace

TEST_CASE("own freedoms: a planar body by joints moves as the kind does") {
    const auto kind = planar_model(false), joints = planar_model(true);
    for (const char* formulation : formulations) {
        CAPTURE(formulation);
        Simulation a(kind, {.formulation = formulation}), b(joints, {.formulation = formulation});
        for (Simulation* sim : {&a, &b}) {
            JointState<double> start = sim->state();
            // About the hook, which stands 0.5 above.
            start.v = {-1, 0, 2};
            sim->set_state(start);
        }
        for (int k = 0; k < 200; ++k) {
            step_ok(a, 0.002);
            step_ok(b, 0.002);
        }
        Workspace<double> at_a(kind), at_b(joints);
        forward_kinematics(a.state(), at_a);
        forward_kinematics(b.state(), at_b);
        const Transformd x = body_pose(at_a, 1), y = body_pose(at_b, 1);
        // Joints of rigid bodies are held by sweeps under impulse.
        const double tolerance = std::string(formulation) == "impulse" ? 1e-3 : 1e-8;
        for (int c = 0; c < 3; ++c) {
            CHECK(std::abs(x.p[c] - y.p[c]) < tolerance);
            CHECK(std::abs(x.R(c, 0) - y.R(c, 0)) < tolerance);
        }
    }
}

TEST_CASE("own freedoms: a body that only slides and spins along its axis") {
    Scene scene;
    add_box(scene, {.name = "it", .pose = {{0, 0, 1}}},
            {{.name = "along", .type = JointType::slide, .axis = {0, 0, 1}},
             {.name = "about", .type = JointType::hinge, .axis = {0, 0, 1}}});
    const auto model = compile(scene);
    REQUIRE(model->nv == 2);
    const double t = 0.5;
    for (const char* formulation : formulations) {
        CAPTURE(formulation);
        Simulation sim(model, {.formulation = formulation});
        JointState<double> start = sim.state();
        start.v = {0.3, 4};
        sim.set_state(start);
        for (int k = 0; k < 500; ++k) step_ok(sim, t / 500);
        CHECK(sim.state().q[0] == doctest::Approx(0.3 * t - 9.81 * t * t / 2).epsilon(3e-3));
        CHECK(sim.state().v[0] == doctest::Approx(0.3 - 9.81 * t).epsilon(1e-9));
        CHECK(sim.state().q[1] == doctest::Approx(4 * t).epsilon(1e-9));
    }
}

namespace {

constexpr double stiffness = 40;

// A box that stretches along x with a spring, and with forces of its own if it has any.
std::shared_ptr<const Model> sprung(Push push = {}) {
    auto kind = body_kind<1>([](const auto& r) { return std::array{Vec3{r.x, 0.0 * r.x, 0.0 * r.x}}; },
                             [](const auto& s) { return 0.5 * stiffness * s[0] * s[0]; });
    if (push) kind = with_push(kind, std::move(push));
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    const BodyId it = scene.add_body(
        world, {.name = "it", .kind = BodyKind::program, .program = std::move(kind)});
    scene.add_geom(it, {.shape = ShapeType::box, .size = {0.5, 0.2, 0.1}, .mass = 6.0, .collides = false});
    return compile(scene);
}

}  // namespace

// m s̈ + k s = F sin ωt from rest: s = F/(k − m ω²) (sin ωt − ω/ω₀ sin ω₀t).
TEST_CASE("own forces: a force on the coordinates of a program's kind that is no energy") {
    constexpr double F = 3, omega = 5;
    const auto model =
        sprung([](const ShapeMotion& now, double* force) { force[0] = F * std::sin(omega * now.time); });
    const double mass = 6.0 * 0.25 / 3, own = std::sqrt(stiffness / mass);
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        const auto error = [&](double dt) {
            Simulation sim(model, {.formulation = formulation});
            double worst = 0;
            while (sim.state().time < 1) {
                const StepReport report = sim.step(dt);
                REQUIRE(report.status == StepStatus::ok);
                // Its work is in the ledger.
                CHECK(std::abs(report.energy.method) < 0.05 * dt);
                const double t = sim.state().time;
                const double s = F / (stiffness - mass * omega * omega) *
                                 (std::sin(omega * t) - omega / own * std::sin(own * t));
                worst = std::max(worst, std::abs(sim.state().q[7] - s));
            }
            return worst;
        };
        const double coarse = error(0.002), fine = error(0.0005);
        CHECK(coarse < 0.01);
        CHECK(fine < 0.4 * coarse);
    }
}

TEST_CASE("own forces: they are what a control would apply, beside what is applied, and leave no trace") {
    const auto drag = [](double s, double rate) { return -2 * rate * std::abs(rate) + 3 * s * s; };
    const auto own = sprung([=](const ShapeMotion& now, double* force) {
        force[0] = drag(now.s[0], now.rate[0]);
    });
    const auto plain = sprung();
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        Simulation a(own, {.formulation = formulation}), b(plain, {.formulation = formulation});
        a.inputs().qfrc_applied[6] = 0.25;
        b.callbacks.control = [&](const JointState<double>& state, SmoothDynamics& dynamics) {
            dynamics.qfrc_applied[6] = 0.25 + drag(state.q[7], state.v[6]);
        };
        for (Simulation* sim : {&a, &b}) {
            JointState<double> start = sim->state();
            start.q[7] = 0.1;
            start.v[6] = 1;
            sim->set_state(start);
        }
        for (int k = 0; k < 300; ++k) {
            step_ok(a, 0.002);
            step_ok(b, 0.002);
            CHECK(a.inputs().qfrc_applied[6] == 0.25);
        }
        CHECK(a.state().q == b.state().q);
        CHECK(a.state().v == b.state().v);
    }
}

TEST_CASE("own forces: one that is no number ends the step, which is taken back") {
    const auto model = sprung([](const ShapeMotion& now, double* force) {
        force[0] = now.time > 0.1 ? std::sqrt(-1 - now.s[0] * now.s[0]) : 1;
    });
    for (const char* formulation : {"multiplier", "implicit", "impulse"}) {
        CAPTURE(formulation);
        Simulation sim(model, {.formulation = formulation});
        StepReport report;
        JointState<double> before = sim.state();
        for (int k = 0; k < 100 && report.status == StepStatus::ok; ++k) {
            before = sim.state();
            report = sim.step(0.01);
        }
        CHECK(report.status == StepStatus::non_finite);
        CHECK(report.where == "a force of body 'it' on its own coordinates is not finite");
        CHECK(sim.state().q == before.q);
        CHECK(sim.inputs().qfrc_applied[6] == 0);
    }
}

// A box on a wall by its end: at rest, the wall feels the thrust that stretches the box against its spring:
// the mode r.x at the end is half a metre per unit, so the force there is the push over 0.5 m.
TEST_CASE("own forces: reactions have them") {
    for (const char* formulation : {"multiplier", "impulse"}) {
        CAPTURE(formulation);
        auto kind = with_push(
            body_kind<1>([](const auto& r) { return std::array{Vec3{r.x, 0.0 * r.x, 0.0 * r.x}}; },
                         [](const auto& s) { return 0.5 * stiffness * s[0] * s[0]; }, {.damping = 0.2}),
            [](const ShapeMotion&, double* force) { force[0] = 2; });
        Scene scene;
        scene.options.gravity = {0, 0, 0};
        const BodyId it = scene.add_body(
            world, {.name = "it", .kind = BodyKind::program, .program = std::move(kind)});
        scene.add_geom(it,
                       {.shape = ShapeType::box, .size = {0.5, 0.2, 0.1}, .mass = 6.0, .collides = false});
        // Both ends are held along x, so that the push goes into the walls.
        for (const double end : {-0.5, 0.5})
            scene.add_loop({.name = end < 0 ? "left" : "right",
                            .type = JointType::fixed,
                            .body_a = world,
                            .body_b = it,
                            .frame_a = {{end, 0, 0}},
                            .frame_b = {{end, 0, 0}}});
        Simulation sim(compile(scene), {.formulation = formulation});
        for (int k = 0; k < 50; ++k) step_ok(sim, 0.002);
        std::vector<Force<double>> forces(2);
        sim.loop_reactions(forces);
        // Both press the ends inwards: 0.5 (f₁ + f₂) = 2, one against the other.
        CHECK(std::abs(forces[0].lin.x - forces[1].lin.x) == doctest::Approx(4).epsilon(1e-3));
    }
}
