// Acceleration and impact constraints solved: against dense elimination, closed forms and conservation laws.

#include "support/acceleration_cases.h"
#include "support/allocation_counter.h"
#include "support/dense_kkt.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Point masses m1, m2 on massless rods l1, l2 in the xz plane, hinges about −y: angles from hanging down, the
// second one relative to the first, positive towards +x.
struct DoublePendulum {
    double m1 = 1.3, m2 = 0.7, l1 = 0.8, l2 = 0.5, g = 9.81;
    std::shared_ptr<const Model> model;

    DoublePendulum() {
        Scene scene("double pendulum");
        scene.options.gravity = {0, 0, -g};
        const BodyId upper = add(scene, world, "upper", {0, 0, 0}, m1, l1);
        add(scene, upper, "lower", {0, 0, -l1}, m2, l2);
        model = compile(scene);
    }
    static BodyId add(Scene& scene, BodyId parent, const char* name, const Vec3d& pos, double mass,
                      double l) {
        const BodyId body = scene.add_body(
            parent, {.name = name,
                     .pose = {.pos = pos},
                     .inertial = InertialSpec{.mass = mass, .frame = {.pos = {0, 0, -l}}, .inertia = {}}});
        scene.add_joint(body, {.name = name, .type = JointType::hinge, .axis = {0, -1, 0}});
        return body;
    }
};

// Uniform rods of mass m and length l hanging down from hinges about −y.
std::shared_ptr<const Model> rods(double m, double l) {
    Scene scene("rods");
    BodyId body = world;
    for (const char* name : {"upper", "lower"}) {
        body = scene.add_body(body, {.name = name,
                                     .pose = {.pos = {0, 0, body == world ? 0 : -l}},
                                     .inertial = InertialSpec{
                                         .mass = m,
                                         .frame = {.pos = {0, 0, -l / 2}},
                                         .inertia = Sym3d::diagonal(m * l * l / 12, m * l * l / 12, 0)}});
        scene.add_joint(body, {.name = name, .type = JointType::hinge, .axis = {0, -1, 0}});
    }
    return compile(scene);
}

std::vector<double> zeros(int n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); }

}  // namespace

TEST_CASE("constrained accelerations and forces are those of the whole system of equations") {
    Random random(411);
    int solved = 0;
    for (int trial = 0; trial < 60; ++trial) {
        CAPTURE(trial);
        Scene scene = random_scene(
            random, {.bodies = 4 + trial % 10, .chain = 0.4 * (trial % 3), .kinematic = trial % 3});
        if (trial % 2) add_random_loop(random, scene, JointType::ball, "loop");
        const auto model = compile(scene);
        if (model->nv < 8) continue;
        const JointState<double> state = random_state(random, *model);
        std::vector<AccelerationConstraint> constraints;
        for (int k = 0; k < 4; ++k) constraints.push_back(random_constraint(random, *model));
        DenseConstraints dense(model, state, constraints);
        // Only regular problems: what a nearly singular one should give is not known to many digits.
        ConstraintSolver solver(model);
        const std::vector<double> tau = random_numbers(random, model->nv, 5);
        std::vector<Force<double>> on_bodies(model->bodies.size(), Force<double>::zero());
        for (Force<double>& f : on_bodies) f = {random_vec(random, 2), random_vec(random, 2)};
        solver.set_state(state, tau, on_bodies);
        solver.set_constraints(constraints);
        solver.options.smallest_sine = 0.02;
        if (solver.solve().redundant_rows > 0) continue;
        ++solved;

        Workspace<double> ws(model);
        std::vector<double> M(static_cast<std::size_t>(model->nv) * model->nv), bias(model->nv), force(tau);
        mass_matrix<double>(state, ws, M);
        clear_external(ws);
        for (std::size_t b = 0; b < on_bodies.size(); ++b)
            add_body_wrench(ws, static_cast<int>(b), on_bodies[b].lin, on_bodies[b].ang);
        const std::vector<Force<double>> anyway = ws.f_ext;
        inverse_dynamics<double>(state, zeros(model->nv), ws, bias, true);
        for (int k = 0; k < model->nv; ++k) force[k] -= bias[k];
        // k of the solver: with differences, the comparison would be theirs.
        std::vector<double> product;
        for (int r = 0; r < dense.rows; ++r) {
            const auto begin = dense.J.begin() + static_cast<std::ptrdiff_t>(r) * model->nv;
            const std::span<const double> free = solver.free_acceleration();
            const double k =
                solver.free_values()[r] - dot_of({begin, begin + model->nv}, {free.begin(), free.end()});
            product.push_back(k - dense.wanted[r]);
        }
        const KktSolution wanted = solve_kkt(M, dense.J, zeros(dense.rows), force, product);
        for (const ResponseMethod method : all_methods) {
            CAPTURE(int(method));
            solver.options.method = method;
            const ConstraintReport report = solver.solve();
            REQUIRE(report.status == ConstraintStatus::ok);
            CHECK(report.redundant_rows == 0);
            const std::vector<double> f(solver.forces().begin(), solver.forces().end());
            const std::vector<double> a(solver.acceleration().begin(), solver.acceleration().end());
            // Conditions of K and M: sines above 0.02, so K up to some 10³ to 10⁵.
            CHECK(largest_difference(f, wanted.multipliers) < 1e-9 * (1 + largest(wanted.multipliers)));
            CHECK(largest_difference(a, wanted.acceleration) < 1e-9 * (1 + largest(wanted.acceleration)));
            CHECK(report.largest_miss < 1e-10 * (1 + largest(a)));

            // The forces, applied, do it.
            std::vector<double> pushed = tau, qacc(model->nv);
            ws.f_ext = anyway;
            solver.add_forces(f, pushed, ws.f_ext);
            forward_dynamics<double>(state, pushed, ws, qacc, true);
            CHECK(largest_difference(qacc, a) < 1e-9 * (1 + largest(a)));
        }
    }
    CHECK(solved > 15);
}

TEST_CASE("the tip of a double pendulum accelerates as prescribed") {
    const DoublePendulum pendulum;
    const auto& [m1, m2, l1, l2, g, model] = pendulum;
    ConstraintSolver solver(model);
    JointState<double> state(*model);
    state.q = {0.7, -1.1};
    state.v = {1.5, -2.2};
    const double wanted_x = 2.5, wanted_z = -1.25;
    solver.set_state(state, zeros(2));
    const int lower = model->find_body("lower");
    const std::vector<AccelerationConstraint> constraints = {
        PointAcceleration{lower, {0, 0, -l2}, {1, 0, 0}, wanted_x},
        PointAcceleration{lower, {0, 0, -l2}, {0, 0, 1}, wanted_z}};
    solver.set_constraints(constraints);

    // Tip = l1 (sin a, −cos a) + l2 (sin b, −cos b) with the absolute angles a, b; twice differentiated.
    const double a = state.q[0], b = state.q[0] + state.q[1];
    const double wa = state.v[0], wb = state.v[0] + state.v[1];
    const double rx = wanted_x + l1 * std::sin(a) * wa * wa + l2 * std::sin(b) * wb * wb;
    const double rz = wanted_z - l1 * std::cos(a) * wa * wa - l2 * std::cos(b) * wb * wb;
    // l1 (cos a, sin a) ä + l2 (cos b, sin b) b̈ = (rx, rz)
    const double det = l1 * l2 * std::sin(b - a);
    const double aa = l2 * (rx * std::sin(b) - rz * std::cos(b)) / det;
    const double bb = l1 * (rz * std::cos(a) - rx * std::sin(a)) / det;
    // The lower mass is at the tip: the upper rod carries m1 and what the lower rod pulls with. About
    // the upper hinge, moments of everything: d/dt of the angular momentum = gravity and the force at
    // the tip; of the lower rod about the elbow, the force at the tip less m2 (a − g) has no moment: it
    // points along the rod.
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        solver.options.method = method;
        REQUIRE(solver.solve().status == ConstraintStatus::ok);
        CHECK(solver.acceleration()[0] == doctest::Approx(aa).epsilon(1e-12));
        CHECK(solver.acceleration()[1] == doctest::Approx(bb - aa).epsilon(1e-12));
        const double fx = solver.forces()[0] - m2 * wanted_x, fz = solver.forces()[1] - m2 * (wanted_z + g);
        CHECK(std::abs(fx * std::cos(b) + fz * std::sin(b)) < 1e-12 * (std::abs(fx) + std::abs(fz)));
        // The upper mass, across its rod: m1 (l1 ä + g sin a) = what the lower rod pulls with.
        CHECK(m1 * (l1 * aa + g * std::sin(a)) ==
              doctest::Approx(fx * std::cos(a) + fz * std::sin(a)).epsilon(1e-11));
        CHECK(solver.values()[0] == doctest::Approx(wanted_x).epsilon(1e-13));
    }
}

TEST_CASE("one constraint by one test force is what solving for it alone gives") {
    Random random(412);
    const auto model = character();
    JointState<double> state = random_state(random, *model, 0.3);
    ConstraintSolver solver(model);
    solver.set_state(state, random_numbers(random, model->nv, 3));
    for (int trial = 0; trial < 20; ++trial) {
        const AccelerationConstraint one = random_constraint(random, *model);
        solver.set_constraints({&one, 1});
        if (solver.solve().redundant_rows > 0) continue;
        const std::optional<double> force = solver.single_force(0);
        REQUIRE(force);
        CHECK(*force == doctest::Approx(solver.forces()[0]).epsilon(1e-11));
    }
    // A force on the world has no effect.
    const AccelerationConstraint none = PointAcceleration{0, {1, 2, 3}, {0, 0, 1}, 0};
    solver.set_constraints({&none, 1});
    CHECK(!solver.single_force(0));
    // Nor has one between two points of one body, along the line between them.
    const int hand = model->find_body("hand_left");
    const Vec3d a{0.1, 0.2, 0.3}, b{-0.1, 0.4, 0.2};
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    const AccelerationConstraint inside =
        RelativeAcceleration{hand, a, hand, b, body_pose(ws, hand).R * (b - a), 1};
    solver.set_constraints({&inside, 1});
    CHECK(solver.solve().status == ConstraintStatus::contradictory);
    CHECK(!solver.single_force(0));
    CHECK_THROWS_AS(solver.single_force(1), std::invalid_argument);
}

TEST_CASE("a character held by one foot: the force there is the momentum's rate less the weight") {
    const auto model = character();
    Random random(413);
    JointState<double> state = random_state(random, *model, 0.3);
    const int foot = model->find_body("foot_left");
    const Vec3d sole{0, 0, -0.03};
    ConstraintSolver solver(model);
    // The first three act on the whole from outside.
    const std::vector<double> tau = random_numbers(random, model->nv, 3);
    solver.set_state(state, tau);
    const std::vector<AccelerationConstraint> constraints = {PointAcceleration{foot, sole, {1, 0, 0}},
                                                             PointAcceleration{foot, sole, {0, 1, 0}},
                                                             PointAcceleration{foot, sole, {0, 0, 1}}};
    solver.set_constraints(constraints);
    const ConstraintReport report = solver.solve();
    REQUIRE(report.status == ConstraintStatus::ok);
    CHECK(report.rows == 3);
    for (const double value : solver.values()) CHECK(std::abs(value) < 1e-11);

    // Momentum is linear in v, and along q its derivative is taken by differences of fourth order.
    Workspace<double> ws(model);
    const auto momentum_at = [&](double t) {
        JointState<double> moved = state;
        integrate<double>(ws, state.q, state.v, t, moved.q);
        for (int k = 0; k < model->nv; ++k) moved.v[k] += t * solver.acceleration()[k];
        // q along constant v is off by ½ v̇ t², which the symmetric differences do not see but for the third
        // order of t.
        forward_kinematics(moved, ws);
        return momentum(ws).lin;
    };
    const double h = 1e-3;
    const Vec3d rate = (1 / (12 * h)) * (8.0 * (momentum_at(h) - momentum_at(-h)) -
                                         (momentum_at(2 * h) - momentum_at(-2 * h)));
    for (int c = 0; c < 3; ++c)
        CHECK(solver.forces()[c] + tau[c] ==
              doctest::Approx(rate[c] - model->total_mass * model->options.gravity[c]).epsilon(1e-7));
}

TEST_CASE("a loop as a constraint moves the mechanism as the model's own loops do") {
    const auto model = model_of(four_bar);
    JointState<double> state(*model);
    SmoothDynamics dynamics(model);
    state.v = {2, 0, 0};
    REQUIRE(dynamics.close_equalities(state).closed);
    const std::span<const double> wanted = dynamics.accelerate(state);
    std::vector<double> tau(model->nv, 0.0);
    add_smooth_forces<double>(state, *model, dynamics.ctrl, dynamics.drives, tau);
    ConstraintSolver solver(model);
    solver.set_state(state, tau);
    const AccelerationConstraint loop = LoopAcceleration{0};
    solver.set_constraints({&loop, 1});
    CHECK(solver.rows_of(0) == std::pair(0, 3));
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        solver.options.method = method;
        const ConstraintReport report = solver.solve();
        CHECK(report.status == ConstraintStatus::ok);
        CHECK(report.redundant_rows == 1);  // out of the plane
        for (int k = 0; k < model->nv; ++k)
            CHECK(solver.acceleration()[k] == doctest::Approx(wanted[k]).epsilon(1e-10));
    }
}

TEST_CASE("constraints that follow from others are left out, and named where they contradict") {
    const auto model = character();
    Random random(414);
    const JointState<double> state = random_state(random, *model, 0.3);
    const int hand = model->find_body("hand_right"), chest = model->find_body("chest");
    const Vec3d p{0.02, -0.01, 0.03};
    std::vector<AccelerationConstraint> constraints = {
        PointAcceleration{hand, p, {1, 0, 0}, 1}, PointAcceleration{hand, p, {0, 1, 0}, 2},
        PointAcceleration{chest, {}, {0, 0, 1}, 3}, PointAcceleration{hand, p, {2, -3, 0}, 2 - 6},
        JointAcceleration{9, 4}, LinearAcceleration{{{9, 0.5}}, 1, 3}};
    ConstraintSolver solver(model);
    solver.set_state(state, zeros(model->nv));
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        solver.options.method = method;
        solver.set_constraints(constraints);
        ConstraintReport report = solver.solve();
        CHECK(report.status == ConstraintStatus::ok);
        CHECK(report.redundant_rows == 2);
        CHECK(report.largest_miss < 1e-9);
        CHECK(solver.contradictions().empty());
        for (const double f : solver.forces()) CHECK(std::abs(f) < 1e4);

        std::vector<AccelerationConstraint> other = constraints;
        std::get<LinearAcceleration>(other[5]).wanted = 3.5;
        other.push_back(PointAcceleration{0, {1, 1, 1}, {0, 0, 1}, 1});  // the world stands still
        solver.set_constraints(other);
        report = solver.solve();
        CHECK(report.status == ConstraintStatus::contradictory);
        REQUIRE(solver.contradictions().size() == 2);
        // Of two that contradict each other, either may be the one that is left out.
        CHECK((solver.contradictions()[0] == 4 || solver.contradictions()[0] == 5));
        CHECK(solver.contradictions()[1] == 6);
        CHECK(solver.values()[0] == doctest::Approx(1).epsilon(1e-10));
        CHECK(solver.values()[2] == doctest::Approx(3).epsilon(1e-10));

        JointState<double> moved = state;
        CHECK(solver.apply_impact(std::vector<double>{0, 0, 0, 0, 0, 0, 1}, moved).status ==
              ConstraintStatus::contradictory);
        CHECK(moved.v == state.v);
    }
}

TEST_CASE("two rods struck at the tip: the closed form") {
    const double m = 0.7, l = 0.4, speed = 3;
    const auto model = rods(m, l);
    ConstraintSolver solver(model);
    const JointState<double> rest(*model);
    const AccelerationConstraint tip = PointAcceleration{model->find_body("lower"), {0, 0, -l}, {1, 0, 0}};
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        solver.options.method = method;
        solver.set_state(rest, zeros(2));
        solver.set_constraints({&tip, 1});
        JointState<double> state = rest;
        REQUIRE(solver.apply_impact(std::vector<double>{speed}, state).status == ConstraintStatus::ok);
        // With absolute angles m l² (4/3, 1/2; 1/2, 1/3) ω = P l (1, 1): ω = (−6, 30)/7 P/(m l), and the tip
        // has 24/7 P/m.
        CHECK(solver.impulses()[0] == doctest::Approx(7.0 / 24 * m * speed).epsilon(1e-13));
        CHECK(state.v[0] == doctest::Approx(-speed / (4 * l)).epsilon(1e-13));
        CHECK(state.v[0] + state.v[1] == doctest::Approx(5 * speed / (4 * l)).epsilon(1e-13));
    }
}

TEST_CASE("impacts change energy and momentum as their impulses say, whatever forces there are") {
    Random random(415);
    const auto model = character();
    for (int trial = 0; trial < 10; ++trial) {
        CAPTURE(trial);
        const JointState<double> before = random_state(random, *model, 0.4, 3);
        ConstraintSolver solver(model);
        solver.options.method = all_methods[trial % 4];
        solver.set_state(before, random_numbers(random, model->nv, 1e6));
        const Vec3d p{0.01, 0.02, -0.03};
        const int body = model->find_body(trial % 2 ? "hand_left" : "shin_right");
        const std::vector<AccelerationConstraint> constraints = {PointAcceleration{body, p, {0, 0, 1}},
                                                                 PointAcceleration{body, p, {1, 0, 0}},
                                                                 JointAcceleration{12}};
        solver.set_constraints(constraints);
        JointState<double> after = before;
        const std::vector<double> wanted = {3, -2, 0.5};
        REQUIRE(solver.apply_impact(wanted, after).status == ConstraintStatus::ok);
        Workspace<double> a(model), b(model);
        forward_kinematics(before, a);
        forward_kinematics(after, b);
        const Vec3d change = point_velocity(b, body, p) - point_velocity(a, body, p);
        CHECK(change.z == doctest::Approx(3).epsilon(1e-10));
        CHECK(change.x == doctest::Approx(-2).epsilon(1e-10));
        CHECK(after.v[12] - before.v[12] == doctest::Approx(0.5).epsilon(1e-10));
        // Momentum from outside comes through the point alone.
        const Vec3d push = momentum(b).lin - momentum(a).lin;
        CHECK(push.z == doctest::Approx(solver.impulses()[0]).epsilon(1e-9));
        CHECK(push.x == doctest::Approx(solver.impulses()[1]).epsilon(1e-9));
        CHECK(std::abs(push.y) < 1e-9 * length(push));
        // Work of an impulse: times the mean of the velocities before and after.
        double work = 0;
        const Vec3d mean = 0.5 * (point_velocity(b, body, p) + point_velocity(a, body, p));
        work += solver.impulses()[0] * mean.z + solver.impulses()[1] * mean.x;
        work += solver.impulses()[2] * 0.5 * (after.v[12] + before.v[12]);
        CHECK(energy(after, b).kinetic - energy(before, a).kinetic == doctest::Approx(work).epsilon(1e-9));
    }
}

TEST_CASE("what cannot be solved is said, and what makes no sense is refused") {
    const auto model = character();
    ConstraintSolver solver(model);
    JointState<double> state(*model);
    solver.set_state(state, zeros(model->nv));
    const AccelerationConstraint before = JointAcceleration{5, 2};
    solver.set_constraints({&before, 1});
    const auto refused = [&](const AccelerationConstraint& one) {
        const std::vector<AccelerationConstraint> list = {before, before, one};
        CHECK_THROWS_AS(solver.set_constraints(list), std::invalid_argument);
        // Everything is as it was.
        REQUIRE(solver.rows() == 1);
        CHECK(solver.solve().status == ConstraintStatus::ok);
        CHECK(solver.values()[0] == doctest::Approx(2));
    };
    refused(JointAcceleration{model->nv});
    refused(PointAcceleration{99, {}, {1, 0, 0}});
    refused(PointAcceleration{1, {}, {0, 0, 0}});
    refused(RelativeAcceleration{1, {}, -1, {}, {1, 0, 0}});
    refused(LoopAcceleration{0});
    refused(LinearAcceleration{{{-1, 1.0}}});
    CHECK_THROWS_AS(solver.set_state(state, zeros(3)), std::invalid_argument);

    const AccelerationConstraint one = JointAcceleration{7, NAN};
    solver.set_constraints({&one, 1});
    CHECK(solver.solve().status == ConstraintStatus::non_finite);
    for (const AccelerationConstraint& odd :
         {AccelerationConstraint(LinearAcceleration{{{7, NAN}}}),
          AccelerationConstraint(PointAcceleration{3, {0, INFINITY, 0}, {1, 0, 0}})})
        for (const ResponseMethod method : all_methods) {
            solver.options.method = method;
            solver.set_constraints({&odd, 1});
            CHECK(solver.solve().status == ConstraintStatus::non_finite);
            JointState<double> moved = state;
            CHECK(solver.apply_impact(std::vector<double>{1}, moved).status == ConstraintStatus::non_finite);
            CHECK(moved.v == state.v);
        }
    state.v[3] = INFINITY;
    solver.set_state(state, zeros(model->nv));
    CHECK(solver.solve().status == ConstraintStatus::non_finite);

    solver.set_state(JointState<double>(*model), zeros(model->nv));
    solver.options.test_force = 0;
    CHECK_THROWS_AS(solver.matrix(), std::invalid_argument);
    solver.options.test_force = 1;
    CHECK(solver.matrix().empty());

    // Without constraints, and again after a failure, it goes on.
    solver.set_state(JointState<double>(*model), zeros(model->nv));
    const ConstraintReport report = solver.solve();
    CHECK(report.status == ConstraintStatus::ok);
    CHECK(report.rows == 0);
    CHECK(solver.acceleration()[2] == doctest::Approx(-9.81));

    // Three hinges on one body, the middle one at a right angle: the others turn about one axis.
    Scene scene("gimbal");
    const BodyId body = scene.add_body(
        world, {.name = "body", .inertial = InertialSpec{.mass = 1, .inertia = Sym3d::diagonal(1, 1, 1)}});
    for (const Vec3d axis : {Vec3d{0, 0, 1}, Vec3d{0, 1, 0}, Vec3d{1, 0, 0}})
        scene.add_joint(body, {.type = JointType::hinge, .axis = axis});
    const auto gimbal = compile(scene);
    ConstraintSolver other(gimbal);
    JointState<double> locked(*gimbal);
    locked.q[1] = std::acos(0.0);
    other.set_state(locked, zeros(3));
    const ConstraintReport said = other.solve();
    CHECK(said.status == ConstraintStatus::singular_inertia);
    CHECK(said.link == 0);
    CHECK(other.apply_impact({}, locked).status == ConstraintStatus::singular_inertia);
}

TEST_CASE("a solver begins with the reference configuration, and does not take tendons with inertia") {
    const auto model = character();
    ConstraintSolver fresh(model), set(model);
    set.set_state(JointState<double>(*model), zeros(model->nv));
    const AccelerationConstraint one = PointAcceleration{model->find_body("head"), {0, 0, 0.1}, {1, 2, 3}, 4};
    for (ConstraintSolver* solver : {&fresh, &set}) {
        solver->set_constraints({&one, 1});
        REQUIRE(solver->solve().status == ConstraintStatus::ok);
    }
    CHECK(fresh.forces()[0] == set.forces()[0]);

    const auto inertial = model_of(R"(<mujoco>
        <worldbody><body><joint name="a"/><geom size="0.1"/></body></worldbody>
        <tendon><fixed name="rope" armature="1"><joint joint="a" coef="1"/></fixed></tendon></mujoco>)");
    CHECK_THROWS_WITH_AS(ConstraintSolver{inertial}, doctest::Contains("rope"), std::invalid_argument);
}

TEST_CASE("where in the world a body is does not matter") {
    const auto model = character();
    Random random(417);
    JointState<double> near = random_state(random, *model, 0.3), far = near;
    far.q[0] += 1e4;
    far.q[2] -= 3e3;
    std::vector<AccelerationConstraint> constraints;
    for (int k = 0; k < 10; ++k) constraints.push_back(random_constraint(random, *model));
    ConstraintSolver a(model), b(model);
    for (const ResponseMethod method : all_methods) {
        CAPTURE(int(method));
        a.options.method = b.options.method = method;
        a.set_state(near, zeros(model->nv));
        b.set_state(far, zeros(model->nv));
        a.set_constraints(constraints);
        b.set_constraints(constraints);
        CHECK(largest_relative_difference(b.matrix(), a.matrix(), a.rows()) < 1e-13);
        REQUIRE(a.solve().status == b.solve().status);
        for (int k = 0; k < model->nv; ++k)
            CHECK(b.acceleration()[k] == doctest::Approx(a.acceleration()[k]).epsilon(1e-9));
    }
}

TEST_CASE("solving again does not allocate") {
    Random random(416);
    const auto model = character();
    ConstraintSolver solver(model);
    std::vector<AccelerationConstraint> constraints;
    for (int k = 0; k < 9; ++k) constraints.push_back(random_constraint(random, *model));
    const std::vector<JointState<double>> states = {random_state(random, *model, 0.3),
                                                    random_state(random, *model, 0.3)};
    const std::vector<double> tau(model->nv, 1.0), changes(9, 0.1);
    for (const ResponseMethod method : all_methods) {
        solver.options.method = method;
        JointState<double> moved = states[0];
        const auto run = [&](const JointState<double>& state) {
            solver.set_state(state, tau);
            solver.set_constraints(constraints);
            solver.solve();
            solver.matrix();
            solver.apply_impact(changes, moved);
        };
        run(states[0]);
        CHECK(count_allocations([&] { run(states[1]); }) == 0);
    }
}
