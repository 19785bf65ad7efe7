// Models at the edge: nothing in them, nothing that moves, no mass, pieces that have nothing to do with each
// other, loops that hold what does not move.

#include "support/loop_scenes.h"
#include "support/simulation_runs.h"

using namespace lig;
using namespace lig::test;

namespace {

Simulation simulate(const Scene& scene, EqualityMethod loops = EqualityMethod::direct) {
    return Simulation(compile(scene), {.formulation = "multiplier", .multiplier = {.equalities = loops}});
}

const InertialSpec brick{2, {{0.1, 0, 0}}, Sym3d::diagonal(0.1, 0.2, 0.25), {}};

}  // namespace

TEST_CASE("multiplier: an empty model, and one of things that do not move") {
    Scene empty;
    Simulation sim = simulate(empty);
    run(sim, 0.1, 0.01);
    CHECK(sim.state().time == doctest::Approx(0.1));

    Scene still;
    still.add_body(world, {.name = "rock", .inertial = brick});
    const BodyId hand = still.add_body(world, {.name = "hand", .kinematic = true});
    still.add_loop({.name = "bolt", .type = JointType::fixed, .body_a = world, .body_b = {1}});
    still.add_loop({.name = "clamp", .type = JointType::ball, .body_a = {1}, .body_b = world});
    Simulation rocks = simulate(still);
    BaseMotion<double> motion = rocks.state().kinematic[0];
    motion.velocity.lin = {1, 0, 0};
    rocks.set_kinematic(hand.index, motion);
    const StepReport report = step_ok(rocks, 0.5);
    CHECK(report.redundant_rows == 0);
    CHECK(rocks.state().kinematic[0].pos.x == doctest::Approx(0.5));
}

TEST_CASE("multiplier: a free body falls and spins") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "body", .inertial = brick});
    scene.add_joint(body, {.name = "root", .type = JointType::free});
    Simulation sim = simulate(scene);
    set_velocity(sim, {1, 2, 3}, {0, 0, 5});
    const double before = total(sim.energy());
    run(sim, 1, 0.01);
    // The centre of mass, at (0.1, 0, 0) at first, with the velocity (1, 2 + 0.5, 3); Verlet is exact here.
    const double* q = sim.state().q.data();
    const Vec3d com = position_of(sim) + rotation_matrix(Quatd{q[3], q[4], q[5], q[6]}) * Vec3d{0.1, 0, 0};
    CHECK(std::abs(com.x - 1.1) < 1e-12);
    CHECK(std::abs(com.y - 2.5) < 1e-12);
    CHECK(std::abs(com.z - (3 - 0.5 * gravity)) < 1e-12);
    CHECK(std::abs(total(sim.energy()) - before) < 1e-11);
}

TEST_CASE("multiplier: a body without mass is refused by name") {
    Scene scene;
    const BodyId heavy = scene.add_body(world, {.name = "heavy", .inertial = brick});
    scene.add_joint(heavy, {.name = "hinge"});
    const BodyId nothing = scene.add_body(heavy, {.name = "nothing", .inertial = InertialSpec{}});
    scene.add_joint(nothing, {.name = "other", .axis = {1, 0, 0}});
    const BodyId bob = scene.add_body(nothing, {.name = "bob", .inertial = brick});
    scene.add_joint(bob, {.name = "third", .axis = {0, 1, 0}});
    CHECK_THROWS_WITH_AS(simulate(scene), doctest::Contains("nothing"), std::invalid_argument);
}

TEST_CASE("multiplier: loops between bodies that do not move take no part") {
    Scene scene = heavy_four_bar_scene();
    const BodyId hand = scene.add_body(world, {.name = "hand", .pose = {{5, 0, 0}}, .kinematic = true});
    const BodyId rock = scene.add_body(world, {.name = "rock", .inertial = brick});
    const Scene before = scene;
    scene.add_loop({.name = "far", .type = JointType::ball, .body_a = hand, .body_b = rock});
    scene.add_loop({.name = "wide", .type = JointType::fixed, .body_a = world, .body_b = hand});
    for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
        Simulation with = simulate(scene, loops), without = simulate(before, loops);
        run(with, 0.5, 0.01);
        run(without, 0.5, 0.01);
        CHECK(with.state().q == without.state().q);
    }
}

// Two pendulums and a ring beside each other do what each does alone.
TEST_CASE("multiplier: pieces that have nothing to do with each other") {
    const auto pendulum = [](Scene& scene, const std::string& name, double x, double mass) {
        const BodyId body = scene.add_body(world, {.name = name, .pose = {{x, 0, 0}}, .inertial = brick});
        scene.add_joint(body,
                        {.name = name, .type = JointType::universal, .axis = {0, 1, 0}, .axis2 = {1, 0, 0}});
        const BodyId bob = scene.add_body(
            body, {.name = name + "b",
                   .pose = {{0.3, 0, 0}},
                   .inertial = InertialSpec{mass, {{0.2, 0, 0}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
        scene.add_joint(bob, {.name = name + "b", .type = JointType::ball});
    };
    Scene both = ring_scene(5, false), ring = both, first, second;
    pendulum(both, "p", 10, 1);
    pendulum(both, "r", 20, 100);
    pendulum(first, "p", 10, 1);
    pendulum(second, "r", 20, 100);
    Simulation all = simulate(both);
    run(all, 1, 0.005);
    std::vector<double> q;
    for (const Scene& alone : {ring, first, second}) {
        Simulation sim = simulate(alone);
        run(sim, 1, 0.005);
        q.insert(q.end(), sim.state().q.begin(), sim.state().q.end());
    }
    REQUIRE(q.size() == all.state().q.size());
    for (std::size_t k = 0; k < q.size(); ++k) CHECK(std::abs(q[k] - all.state().q[k]) < 1e-9);
}

TEST_CASE("multiplier: what it does not have is refused by name") {
    const auto model = compile(heavy_four_bar_scene());
    CHECK_THROWS_WITH_AS(Simulation(model, {.formulation = "multiplier", .stepping = Stepping::event}),
                         doctest::Contains("event"), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.formulation = "multiplicator"}), std::invalid_argument);
}

// From 1e-6 kg and millimetres to 1e6 kg and a kilometre, the same swing in units of its own.
TEST_CASE("multiplier: tiny and huge, near and far") {
    for (const double size : {1e-3, 1.0, 1e3})
        for (const double mass : {1e-6, 1.0, 1e6})
            for (const double far : {0.0, 1e4}) {
                CAPTURE(size);
                CAPTURE(mass);
                CAPTURE(far);
                Scene scene;
                scene.options.gravity = {0, 0, -9.81 * size};
                BodyId parent = world;
                for (int k = 0; k < 4; ++k) {
                    const double moment = mass * size * size / 12;
                    parent = scene.add_body(
                        parent,
                        {.name = "rod" + std::to_string(k),
                         .pose = {{k == 0 ? far : size, 0, 0}},
                         .inertial = InertialSpec{
                             mass, {{0.5 * size, 0, 0}}, Sym3d::diagonal(0.1 * moment, moment, moment), {}}});
                    scene.add_joint(parent, {.name = "joint" + std::to_string(k), .axis = {0, 1, 0}});
                }
                Simulation sim = simulate(scene);
                double error = 0;
                run(sim, 0.5, 0.005,
                    [&](const StepReport& report) { error = std::max(error, report.joint_error); });
                // The same for all: what rounding at 1e4 m leaves of a millimetre is nine digits less four.
                static std::vector<double> first;
                if (first.empty()) first = sim.state().q;
                const double rounding = far > 0 ? 1e-14 * far / size : 0;
                for (int k = 0; k < 4; ++k)
                    CHECK(std::abs(sim.state().q[k] - first[k]) < 1e-9 + 1e3 * rounding);
                CHECK(error < 1e-11 + 1e-13 * std::max(size, far));
            }
}
