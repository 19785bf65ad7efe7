// Couplings of tendons, of which fixed ones may have the length 0.

#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;

namespace {

// Two pendulums about parallel axes, the second of which turns by 0.7 of the first.
Scene pendulums() {
    Scene scene("pendulums");
    const InertialSpec rod{
        .mass = 1, .frame = {.pos = {0.5, 0, 0}}, .inertia = Sym3d::diagonal(0.01, 1.0 / 12, 1.0 / 12)};
    for (int k = 0; k < 2; ++k) {
        const BodyId body = scene.add_body(
            world, {.name = "rod" + std::to_string(k), .pose = {{0, 1.0 * k, 0}}, .inertial = rod});
        scene.add_joint(body, {.name = "hinge" + std::to_string(k), .axis = {0, 1, 0}});
    }
    return scene;
}

}  // namespace

// Against couplings of the joints themselves, which are other rows; and with the coupling holding, kinetic
// and potential energy are those of one angle q: ½ (1 + 0.49)/3 q̇² = g/2 (sin q + sin 0.7 q).
TEST_CASE("tendon couplings: fixed tendons of the length 0 are coupled like their joints") {
    Scene by_joints = pendulums(), by_tendons = pendulums();
    const std::array<double, 5> c{0, 0.7, 0, 0, 0};
    by_joints.add_coupling({.name = "gear", .follower = {1}, .leader = {0}, .coefficients = c});
    // Small coefficients: what counts is how far joints are apart, not the length.
    const TendonId first = by_tendons.add_tendon({.name = "first", .joints = {{{0}, 0.01}}});
    const TendonId second = by_tendons.add_tendon({.name = "second", .joints = {{{1}, 0.01}}});
    by_tendons.add_tendon_coupling({.name = "gear", .follower = second, .leader = first, .coefficients = c});
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        const double h = stepping == Stepping::velocity ? 1e-3 : 0.01;
        Simulation one(compile(by_joints), {.stepping = stepping});
        Simulation two(compile(by_tendons), {.stepping = stepping});
        for (int k = 0; k < static_cast<int>(std::lround(0.5 / h)); ++k) {
            const StepReport a = one.step(h), b = two.step(h);
            REQUIRE_MESSAGE(a.status == StepStatus::ok, a.where);
            REQUIRE_MESSAGE(b.status == StepStatus::ok, b.where);
            CHECK(std::abs(two.state().q[1] - 0.7 * two.state().q[0]) < 1e-12);
        }
        CHECK(std::abs(one.state().q[0] - two.state().q[0]) < 1e-9);
        CHECK(std::abs(one.state().v[0] - two.state().v[0]) < 1e-9);
        const double q = two.state().q[0], v = two.state().v[0];
        const double fallen = 9.81 / 2 * (std::sin(q) + std::sin(0.7 * q)), moving = 0.5 * 1.49 / 3 * v * v;
        CHECK(moving == doctest::Approx(fallen).epsilon(stepping == Stepping::velocity ? 1e-2 : 1e-6));
    }
}

// The second rod hangs on a hinge of the tree, or on one that closes a loop.
TEST_CASE("tendon couplings: joints that close loops are coupled like those of the tree") {
    Scene tree = pendulums(), ring = pendulums();
    ring.joint({1}) = {.name = "free", .type = JointType::free};
    const Quatd z_to_y{std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
    const LoopId hinge = ring.add_loop({.name = "hinge1",
                                        .type = JointType::hinge,
                                        .body_a = world,
                                        .body_b = {2},
                                        .frame_a = {{0, 1, 0}, z_to_y},
                                        .frame_b = {{0, 0, 0}, z_to_y}});
    for (Scene* scene : {&tree, &ring}) {
        const bool in_tree = scene == &tree;
        TendonSpec first{.name = "first", .joints = {{{0}, 2}}}, second{.name = "second"};
        second.joints = {in_tree ? TendonSpec::JointTerm{{1}, 2}
                                 : TendonSpec::JointTerm{.coefficient = 2, .loop = hinge}};
        const TendonId a = scene->add_tendon(first), b = scene->add_tendon(second);
        scene->add_tendon_coupling({.follower = b, .leader = a, .coefficients = {0, 0.7, 0, 0, 0}});
        // One of both, with a spring: it stretches by their sum.
        TendonSpec sum{.name = "sum", .joints = {{{0}, 1}}, .stiffness = 3};
        sum.joints.push_back(second.joints[0]);
        sum.spring_length = {0.1, 0.1};
        scene->add_tendon(sum);
    }
    for (const char* formulation : {"reduced", "multiplier"}) {
        INFO(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation one(compile(tree), options), two(compile(ring), options);
        for (int k = 0; k < 100; ++k) {
            REQUIRE(one.step(0.005).status == StepStatus::ok);
            REQUIRE(two.step(0.005).status == StepStatus::ok);
        }
        double q = 0, v = 0;
        two.loop_coordinates(0, {&q, 1}, {&v, 1});
        CHECK(std::abs(q - 0.7 * two.state().q[0]) < 1e-9);
        CHECK(std::abs(one.state().q[0] - two.state().q[0]) < 1e-6);
        CHECK(std::abs(one.state().v[0] - two.state().v[0]) < 1e-6);
        CHECK(std::abs(one.state().q[0]) > 0.3);
    }
}

TEST_CASE("tendon couplings: a sum of joints that is held at 0") {
    Scene scene = pendulums();
    const TendonId sum = scene.add_tendon({.name = "sum", .joints = {{{0}, 1}, {{1}, -1}}});
    scene.add_tendon_coupling({.name = "level", .follower = sum, .coefficients = {0, 0, 0, 0, 0}});
    Simulation sim(compile(scene));
    for (int k = 0; k < 50; ++k) {
        const StepReport report = sim.step(0.01);
        REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
    }
    CHECK(std::abs(sim.state().q[0] - sim.state().q[1]) < 1e-12);
    CHECK(sim.state().q[0] > 0.5);
}
