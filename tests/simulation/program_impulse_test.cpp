// Bodies of a program's kind under `impulse`: what free ones keep, joints between them, loads, and contacts
// of geoms that are each moved in their own way, against closed forms and other formulations.

#include "support/simulation_runs.h"

#include <ligament/body_kind.h>
#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// Bends and shears along x, which turns it as well, twists about it and swells, stiffer the farther.
std::shared_ptr<const ProgramBody> odd_kind(double damping = 0) {
    return body_kind<3>(
        [](const auto& r) {
            const auto zero = 0.0 * r.x;
            return std::array{Vec3{zero, zero, r.x * r.x + 0.5 * r.x}, Vec3{zero, -r.x * r.z, r.x * r.y},
                              Vec3{zero, r.y, r.z}};
        },
        [](const auto& s) {
            return 300.0 * s[0] * s[0] + 200.0 * s[1] * s[1] * (1.0 + s[0] * s[0]) + 500.0 * s[2] * s[2];
        },
        {.damping = damping});
}

BodyId add_bar(Scene& scene, const std::string& name, const Pose& pose, double damping = 0) {
    const BodyId body = scene.add_body(
        world, {.name = name, .pose = pose, .kind = BodyKind::program, .program = odd_kind(damping)});
    scene.add_geom(body,
                   {.shape = ShapeType::box, .size = {0.5, 0.15, 0.1}, .mass = 3.0, .collides = false});
    return body;
}

}  // namespace

TEST_CASE("program bodies, impulse: free ones keep both momenta, by all solvers") {
    Scene scene;
    scene.options.gravity = {0, 0, 0};
    add_bar(scene, "it", {{0.3, -0.2, 1}, {0.9, 0.1, 0.3, 0.2}});
    const auto model = compile(scene);
    JointState<double> start(*model);
    start.v = {0.4, -0.3, 0.2, 1.5, -2, 0.7, 0.3, -0.4, 0.2};
    start.q[7] = 0.05;
    const auto momentum_of = [&](const Simulation& sim) {
        Workspace<double> ws(model);
        forward_kinematics(sim.state(), ws);
        return shift_back(momentum(ws), center_of_mass(ws));
    };
    for (const char* solver : {"classic", "soft-step", "split-step"}) {
        CAPTURE(solver);
        Simulation sim(model, {.formulation = "impulse", .solver = solver});
        sim.set_state(start);
        const Force<double> begin = momentum_of(sim);
        for (int k = 0; k < 240; ++k) step_ok(sim, 1.0 / 240);
        const Force<double> end = momentum_of(sim);
        for (int c = 0; c < 3; ++c) {
            CHECK(std::abs(end.lin[c] - begin.lin[c]) < 1e-10);
            CHECK(std::abs(end.ang[c] - begin.ang[c]) < 1e-9);
        }
    }
}

TEST_CASE("program bodies, impulse: two on a hook, of first order") {
    Scene scene;
    const BodyId a = add_bar(scene, "a", {{0.5, 0, 0}}, 0.02), b = add_bar(scene, "b", {{1.5, 0, 0}}, 0.02);
    scene.add_loop({.name = "hook", .body_a = world, .body_b = a, .frame_b = {{-0.5, 0, 0}}});
    scene.add_loop({.name = "knee",
                    .type = JointType::hinge,
                    .body_a = a,
                    .body_b = b,
                    .frame_a = {{0.5, 0, 0}},
                    .frame_b = {{-0.5, 0, 0}}});
    const auto model = compile(scene);
    const auto end_of = [&](const char* formulation, double dt) {
        Simulation sim(model, {.formulation = formulation});
        run(sim, 0.4, dt);
        return sim.state().q;
    };
    const std::vector<double> exact = end_of("multiplier", 0.0005);
    const auto error_of = [&](const std::vector<double>& found) {
        double worst = 0;
        for (std::size_t k = 0; k < exact.size(); ++k)
            worst = std::max(worst, std::abs(found[k] - exact[k]));
        return worst;
    };
    const std::vector<double> coarse = end_of("impulse", 0.002), fine = end_of("impulse", 0.001);
    CHECK(error_of(coarse) < 0.02);
    CHECK(error_of(fine) < 0.7 * error_of(coarse));
    // Nothing is left of it but what is of second order.
    std::vector<double> both = fine;
    for (std::size_t k = 0; k < both.size(); ++k) both[k] += fine[k] - coarse[k];
    CHECK(error_of(both) < 0.1 * error_of(fine));
}

// K s = −ρ A g ∫ φ dx of a bar in a wall, of x² and x³: (1/3, 1/4).
TEST_CASE("program bodies, impulse: a bar bends under its weight as its modes let it") {
    constexpr double width = 0.02, area = width * width, bending = 2e9 * area * area / 12;
    Scene scene;
    const BodyId bar = scene.add_body(
        world, {.name = "bar",
                .kind = BodyKind::program,
                .program = body_kind<2>(
                    [](const auto& r) {
                        const auto zero = 0.0 * r.x, square = r.x * r.x;
                        return std::array{Vec3{zero, zero, square}, Vec3{zero, zero, square * r.x}};
                    },
                    [](const auto& s) {
                        return bending * (2.0 * s[0] * s[0] + 6.0 * s[0] * s[1] + 6.0 * s[1] * s[1]);
                    },
                    {.damping = 0.05})});
    scene.add_geom(bar, {.shape = ShapeType::box,
                         .pose = {{0.5, 0, 0}},
                         .size = {0.5, width / 2, width / 2},
                         .density = 1000});
    scene.add_loop({.name = "wall", .type = JointType::fixed, .body_a = world, .body_b = bar});
    const double load = -1000 * area * 9.81 / bending, det = 4 * 12 - 6 * 6;
    const double s1 = load * (12.0 / 3 - 6.0 / 4) / det, s2 = load * (4.0 / 4 - 6.0 / 3) / det;
    Simulation sim(compile(scene), {.formulation = "impulse"});
    run(sim, 3, 0.01);
    CHECK(sim.state().q[7] == doctest::Approx(s1).epsilon(1e-3));
    CHECK(sim.state().q[8] == doctest::Approx(s2).epsilon(1e-3));
}

// A bar with three feet along it, of which each is moved and turned by the bend where it is. It comes to rest
// on a step: the foot in the middle stands higher than the others, and the ends hang down to the floor.
TEST_CASE("program bodies, impulse: it rests with geoms that move each in their own way") {
    const auto model = [] {
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane, .size = {0, 0, 1}});
        scene.add_geom(world, {.name = "step",
                               .shape = ShapeType::box,
                               .pose = {{0, 0, 0.005}},
                               .size = {0.1, 0.5, 0.015}});
        const BodyId bar = scene.add_body(
            world, {.name = "bar",
                    .pose = {{0, 0, 0.3}},
                    .kind = BodyKind::program,
                    .program = body_kind<1>(
                        [](const auto& r) { return std::array{Vec3{0.0 * r.x, 0.0 * r.x, r.x * r.x}}; },
                        [](const auto& s) { return 30.0 * s[0] * s[0]; }, {.damping = 0.05})});
        for (const double x : {-0.5, 0.0, 0.5})
            scene.add_geom(bar, {.name = "foot" + std::to_string(x),
                                 .shape = ShapeType::box,
                                 .pose = {{x, 0, 0}},
                                 .size = {0.05, 0.1, 0.03},
                                 .mass = 1.0});
        return compile(scene);
    }();
    // Where the origin is, and how much it bends.
    const auto rest_of = [&](const SimulationOptions& options) {
        Simulation sim(model, options);
        for (int k = 0; k < 600; ++k) step_ok(sim, 0.005);
        for (const double v : sim.state().v) CHECK(std::abs(v) < 2e-3);
        return std::array{sim.state().q[2], sim.state().q[7]};
    };
    const auto swept = rest_of({.formulation = "impulse"}), exact = rest_of({.formulation = "multiplier"});
    CHECK(exact[1] < -0.01);  // it does bend
    CHECK(std::abs(swept[0] - exact[0]) < 1.5e-3);
    CHECK(swept[1] == doctest::Approx(exact[1]).epsilon(0.05));
}
