// Energy, momentum and centre of mass along the motion; springs, dampers, gravity compensation.

#include "support/random_scene.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Moves a state for a short time with the accelerations of forward dynamics, by the midpoint rule: its error
// is of third order in the time, so a central difference over ±h is exact up to h².
void step(JointState<double>& state, const std::vector<double>& tau, Workspace<double>& ws, double time) {
    const std::size_t n = state.v.size();
    std::vector<double> qacc(n), v(n);
    JointState<double> middle = state;
    forward_dynamics<double>(state, tau, ws, qacc);
    for (std::size_t k = 0; k < n; ++k) v[k] = state.v[k] + 0.25 * time * qacc[k];
    integrate<double>(ws, state.q, v, 0.5 * time, middle.q);
    for (std::size_t k = 0; k < n; ++k) middle.v[k] = state.v[k] + 0.5 * time * qacc[k];
    forward_dynamics<double>(middle, tau, ws, qacc);
    integrate<double>(ws, state.q, middle.v, time, state.q);
    for (std::size_t k = 0; k < n; ++k) state.v[k] += time * qacc[k];
}

struct Summary {
    Energy<double> energy;
    Vec3d com;
    Force<double> momentum;
};

Summary summary(const JointState<double>& state, Workspace<double>& ws) {
    forward_kinematics(state, ws);
    return {energy(state, ws), center_of_mass(ws), momentum(ws)};
}

// Half the step of the central differences below. Accelerations of these trees reach 1e3, so the truncation
// is about 1e-12 · 1e6 relative, and rounding 1e-16 / h = 1e-10: both are covered by 1e-5 of the largest
// rate.
constexpr double h = 1e-6;
constexpr double difference_tolerance = 1e-5;

TreeShape small_tree() {
    TreeShape shape;
    shape.bodies = 6;
    return shape;
}

}  // namespace

TEST_CASE("energy: the power of the forces is the rate of the energy") {
    Random random(81);
    for (int tree = 0; tree < 40; ++tree) {
        CAPTURE(tree);
        TreeShape shape = small_tree();
        shape.springs = true;
        const auto model = compile(random_scene(random, shape));
        if (model->nv == 0) continue;
        Workspace<double> ws(model);
        const JointState<double> state = random_state(random, *model, 1);
        const std::vector<double> drive = random_numbers(random, model->nv, 3);
        std::vector<double> tau = drive;
        add_spring_forces<double>(state, *model, tau);  // their energy is part of the potential
        // The springs change along the way, by h; what that does to the energy is of order h² in the
        // difference.
        add_damping_forces<double>(state, *model, tau);
        std::vector<double> damping(model->nv, 0.0);
        add_damping_forces<double>(state, *model, damping);
        double power = 0, largest_power = 0;
        for (int k = 0; k < model->nv; ++k) {
            power += (drive[k] + damping[k]) * state.v[k];
            largest_power += std::abs(tau[k] * state.v[k]);
        }
        JointState<double> before = state, after = state;
        step(before, tau, ws, -h);
        step(after, tau, ws, h);
        const Energy<double> e0 = summary(before, ws).energy, e1 = summary(after, ws).energy;
        const double kinetic_rate = (e1.kinetic - e0.kinetic) / (2 * h);
        const double potential_rate = (e1.potential - e0.potential) / (2 * h);
        CHECK(std::abs(kinetic_rate + potential_rate - power) <
              difference_tolerance * (largest_power + std::abs(kinetic_rate) + std::abs(potential_rate) + 1));
    }
}

TEST_CASE("energy: half v·M v is the kinetic energy, rotors included") {
    Random random(82);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = compile(random_scene(random, small_tree()));
        const std::size_t n = model->nv;
        Workspace<double> ws(model);
        const JointState<double> state = random_state(random, *model);
        std::vector<double> M(n * n);
        mass_matrix<double>(state, ws, M);
        double twice = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) twice += state.v[i] * M[n * i + j] * state.v[j];
        CHECK(summary(state, ws).energy.kinetic == doctest::Approx(twice / 2).epsilon(1e-12));
    }
}

TEST_CASE("energy: the potential of gravity is that of the centre of mass") {
    Random random(83);
    TreeShape shape = small_tree();
    Scene scene = random_scene(random, shape);
    scene.options.gravity = {0.5, 0, -9.81};
    const auto model = compile(scene);
    Workspace<double> ws(model);
    const Summary s = summary(random_state(random, *model), ws);
    double mass = 0;
    for (const TreeLink<double>& link : model->tree.links) mass += link.inertia.mass;
    CHECK(s.energy.potential == doctest::Approx(-mass * dot(scene.options.gravity, s.com)).epsilon(1e-12));
}

TEST_CASE("momentum: of a floating tree only external forces and gravity change it") {
    Random random(84);
    for (int tree = 0; tree < 20; ++tree) {
        CAPTURE(tree);
        // One free root, everything else hangs on it; no joint forces on the root.
        TreeShape shape = small_tree();
        shape.armature_on_quaternions = false;
        shape.armature = 0;  // a rotor's own inertia is not part of the bodies' momentum
        Scene scene("floating");
        scene.options.gravity = random_vec(random, 10);
        const BodyId root = scene.add_body(world, {.name = "root", .inertial = random_inertial(random)});
        scene.add_joint(root, {.name = "float", .type = JointType::free});
        BodyId parent = root;
        for (int k = 0; k < 5; ++k) {
            const JointType type = static_cast<JointType>(random_index(random, joints::joint_count));
            const std::string name = "b" + std::to_string(k);
            const BodyId body = scene.add_body(k % 2 ? root : parent,
                                               {.name = name,
                                                .pose = {random_vec(random, 0.4), random_rotation(random)},
                                                .inertial = random_inertial(random)});
            scene.add_joint(body, random_joint(random, type, shape, name + "_0"));
            parent = body;
        }
        const auto model = compile(scene);
        Workspace<double> ws(model);
        const JointState<double> state = random_state(random, *model);
        std::vector<double> tau = random_numbers(random, model->nv, 3);
        for (int k = 0; k < 6; ++k) tau[k] = 0;

        JointState<double> before = state, after = state;
        step(before, tau, ws, -h);
        step(after, tau, ws, h);
        const Summary s0 = summary(before, ws), s1 = summary(after, ws), now = summary(state, ws);
        const double mass = model->total_mass;
        const Vec3d force = mass * scene.options.gravity;
        const Force<double> rate = (0.5 / h) * (s1.momentum - s0.momentum);
        CHECK(largest(rate.lin - force) < difference_tolerance * (largest(force) + largest(now.momentum)));
        CHECK(largest(rate.ang) < difference_tolerance * (1 + largest(now.momentum)));
        // The momentum is the mass times the velocity of the centre of mass.
        CHECK(largest((0.5 / h) * (s1.com - s0.com) - (1 / mass) * now.momentum.lin) < difference_tolerance);
    }
}

TEST_CASE("momentum: of one body, against the definition") {
    Random random(85);
    Scene scene("one");
    const InertialSpec inertial = random_inertial(random);
    const BodyId body = scene.add_body(world, {.name = "b", .inertial = inertial});
    scene.add_joint(body, {.name = "free", .type = JointType::free});
    const auto model = compile(scene);
    Workspace<double> ws(model);
    const JointState<double> state = random_state(random, *model);
    const Summary s = summary(state, ws);
    const Transformd X = body_pose(ws, 1);
    const Motion<double> V = body_velocity(ws, 1);
    CHECK(largest(s.com - X * inertial.frame.pos) < 1e-14);
    CHECK(largest(s.momentum.lin - inertial.mass * (V.lin + cross(V.ang, X.R * inertial.frame.pos))) < 1e-13);
    const Mat3d R = X.R * rotation_matrix(inertial.frame.quat);
    CHECK(largest(s.momentum.ang - R * (inertial.inertia * transpose_mul(R, V.ang))) < 1e-13);
}

TEST_CASE("gravity: a body with gravity_scale 0 floats, with 1 falls, in between falls slowly") {
    for (const double scale : {0.0, 0.25, 1.0, -1.0}) {
        Scene scene("float");
        const BodyId body = scene.add_body(
            world, {.name = "b",
                    .inertial = InertialSpec{2, {{0.1, 0.2, 0.3}}, Sym3d::diagonal(0.3, 0.4, 0.5), {}},
                    .gravity_scale = scale});
        scene.add_joint(body, {.name = "free", .type = JointType::free});
        const auto model = compile(scene);
        Workspace<double> ws(model);
        JointState<double> state(*model);
        forward_kinematics(state, ws);
        clear_external(ws);
        add_gravity_compensation(ws);
        std::vector<double> tau(6, 0.0), qacc(6);
        forward_dynamics<double>(state, tau, ws, qacc, true);
        for (int k = 0; k < 6; ++k) CHECK(std::abs(qacc[k] - (k == 2 ? -9.81 * scale : 0.0)) < 1e-13);
        // Only the part that falls has potential energy.
        CHECK(energy(state, ws).potential == doctest::Approx(2 * 9.81 * 0.3 * scale).epsilon(1e-13));
    }
}

TEST_CASE("gravity: bodies of one link float each for itself") {
    // A floating and a falling mass fixed to each other on a hinge: only the falling one pulls.
    Scene scene("pair");
    const BodyId rod = scene.add_body(
        world,
        {.name = "rod", .inertial = InertialSpec{1, {{0.5, 0, 0}}, Sym3d::zero(), {}}, .gravity_scale = 0});
    scene.add_joint(rod, {.name = "pivot", .type = JointType::hinge, .axis = {0, 1, 0}});
    scene.add_body(rod,
                   {.name = "tip", .pose = {{1, 0, 0}}, .inertial = InertialSpec{3, {}, Sym3d::zero(), {}}});
    const auto model = compile(scene);
    REQUIRE(model->tree.links.size() == 1);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    forward_kinematics(state, ws);
    clear_external(ws);
    add_gravity_compensation(ws);
    std::vector<double> tau(1, 0.0), qacc(1);
    forward_dynamics<double>(state, tau, ws, qacc, true);
    CHECK(qacc[0] == doctest::Approx(3 * 9.81 * 1 / (1 * 0.25 + 3 * 1)).epsilon(1e-13));
}

TEST_CASE("springs: pull towards their reference, in the space of velocities") {
    Scene scene("springs");
    const InertialSpec any{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    const BodyId a = scene.add_body(world, {.name = "a", .inertial = any});
    scene.add_joint(
        a, {.name = "hinge", .type = JointType::hinge, .reference = 0.3, .damping = 0.5, .stiffness = 2});
    const BodyId b = scene.add_body(a, {.name = "b", .inertial = any});
    scene.add_joint(b, {.name = "slide",
                        .type = JointType::slide,
                        .reference = 0.3,
                        .stiffness = 3,
                        .spring_reference = -0.2});
    const BodyId c = scene.add_body(b, {.name = "c", .inertial = any});
    scene.add_joint(c, {.name = "ball", .type = JointType::ball, .damping = 0.25, .stiffness = 5});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q = {1.0, 0.5, std::cos(0.4), 0, std::sin(0.4), 0};
    state.v = {2, 3, 4, 5, 6};
    std::vector<double> tau(5, 1.0);  // what was there stays
    add_spring_forces<double>(state, *model, tau);
    // The hinge's spring rests at its reference, the slide's where it was told, the ball's at no rotation:
    // 0.8 about y.
    const double springs[5] = {1 - 2 * 0.7, 1 - 3 * 0.7, 1, 1 - 5 * 0.8, 1};
    for (int k = 0; k < 5; ++k) CHECK(std::abs(tau[k] - springs[k]) < 1e-14);
    std::vector<double> damping(5, 0.0);
    add_damping_forces<double>(state, *model, damping);
    const double dampers[5] = {-0.5 * 2, 0, -0.25 * 4, -0.25 * 5, -0.25 * 6};
    for (int k = 0; k < 5; ++k) CHECK(std::abs(damping[k] - dampers[k]) < 1e-14);
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    Scene flat = scene;
    flat.options.gravity = {0, 0, 0};
    Workspace<double> weightless(compile(flat));
    forward_kinematics(state, weightless);
    CHECK(energy(state, weightless).potential ==
          doctest::Approx(0.5 * (2 * 0.49 + 3 * 0.49 + 5 * 0.64)).epsilon(1e-13));
}

TEST_CASE("external: a wrench on a body does the work of its virtual displacement") {
    // J_comᵀ f + J_angᵀ n for every body is what inverse dynamics must find missing.
    Random random(86);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = compile(random_scene(random, small_tree()));
        const std::size_t n = model->nv;
        Workspace<double> ws(model);
        const JointState<double> state = random_state(random, *model);
        const std::vector<double> acc = random_numbers(random, int(n), 1);
        std::vector<double> without(n), with(n), expected(n), J(6 * n);
        inverse_dynamics<double>(state, acc, ws, without);
        expected = without;
        forward_kinematics(state, ws);
        clear_external(ws);
        for (int b = 0; b < int(model->bodies.size()); ++b) {
            const Vec3d force = random_vec(random, 5), moment = random_vec(random, 5);
            add_body_wrench(ws, b, force, moment);
            frame_jacobian<double>(ws, b, model->bodies[b].com, Axes::world, J);
            for (std::size_t k = 0; k < n; ++k)
                for (int row = 0; row < 3; ++row)
                    expected[k] -= J[row * n + k] * moment[row] + J[(3 + row) * n + k] * force[row];
        }
        inverse_dynamics<double>(state, acc, ws, with, true);
        CHECK(largest_difference(with, expected) < 1e-12 * std::max(1.0, largest(expected)));
    }
}
