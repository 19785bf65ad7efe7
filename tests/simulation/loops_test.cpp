// Accelerations with equalities against a dense solution, and states that are put back onto them.

#include "support/dense_kkt.h"
#include "support/motion_energy.h"
#include "support/random_loops.h"
#include "support/reference_problems.h"

#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// What the dense solution says about a state under the forces tau.
KktSolution dense_solution(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                           const std::vector<double>& tau, const std::vector<int>& rows_used) {
    EqualityRows rows(model);
    rows.assemble(state);
    const std::vector<double> J = rows.jacobian();
    const int nv = model->nv;
    std::vector<double> M(nv * nv), force(nv), still(nv, 0.0), kept, product;
    for (const int r : rows_used) {
        kept.insert(kept.end(), J.begin() + r * nv, J.begin() + (r + 1) * nv);
        product.push_back(rows.terms[r].product);
    }
    inverse_dynamics<double>(state, still, rows.ws, rows.drives, force);
    for (int k = 0; k < nv; ++k) force[k] = tau[k] - force[k];
    mass_matrix<double>(state, rows.ws, rows.drives, M);
    return solve_kkt(M, kept, std::vector<double>(product.size(), 0.0), force, product);
}

std::vector<int> first(int count) {
    std::vector<int> out;
    for (int k = 0; k < count; ++k) out.push_back(k);
    return out;
}

// A four-bar of unequal rods that closes at the reference configuration, in a plane that is turned in space.
Scene four_bar(JointType closing = JointType::hinge) {
    Scene scene;
    const Quatd turn = rotation_exp(Vec3d{0.3, -0.5, 0.2});
    const BodyId crank = scene.add_body(
        world, {.name = "crank", .pose = {{0.1, 0.2, 0.3}, turn}, .inertial = rod_mass(1, {0, 1, 0})});
    scene.add_joint(crank, {.name = "foot"});
    const BodyId coupler = scene.add_body(
        crank,
        {.name = "coupler", .pose = {{0, 1, 0}}, .inertial = box_mass(2, {1, 0.25, 0}, {2, 0.5, 0.1})});
    scene.add_joint(coupler, {.name = "knee"});
    const BodyId rocker = scene.add_body(
        coupler,
        {.name = "rocker", .pose = {{2, 0.5, 0}}, .inertial = box_mass(1, {0, -0.75, 0}, {0.1, 1.5, 0.1})});
    scene.add_joint(rocker, {.name = "elbow"});
    // At (2, 0, 0) of the turned plane.
    scene.add_loop({.name = "closure",
                    .type = closing,
                    .body_a = world,
                    .body_b = rocker,
                    .frame_a = {Vec3d{0.1, 0.2, 0.3} + rotation_matrix(turn) * Vec3d{2, 0, 0}, turn},
                    .frame_b = {{0, -1.5, 0}}});
    return scene;
}

}  // namespace

TEST_CASE("accelerations and multipliers of random trees with loops of every kind") {
    Random random(21);
    int checked = 0, of_other_kinds = 0;
    for (int run = 0; run < 150; ++run) {
        CAPTURE(run);
        Scene scene =
            random_scene(random, {.bodies = 8, .springs = true, .kinematic = run % 3, .kinds = run % 4});
        const int nv = compile(scene)->nv;
        int rows = 0, loops = 0;
        for (int attempt = 0; attempt < 20; ++attempt) {
            const auto type = static_cast<JointType>(random_index(random, joints::joint_count));
            const int own = joints::joint_info(type).rows;
            if (type == JointType::free || rows + own > nv / 2) continue;
            if (!add_random_loop(random, scene, type, "loop" + std::to_string(loops))) continue;
            rows += own;
            ++loops;
        }
        const auto model = compile(scene);
        const JointState<double> state = random_state(random, *model);
        SmoothDynamics dynamics(model);
        dynamics.qfrc_applied = random_numbers(random, nv, 3);
        std::vector<double> tau = dynamics.qfrc_applied;
        add_spring_forces<double>(state, *model, tau);
        add_damping_forces<double>(state, *model, tau);
        const std::span<const double> qacc = dynamics.accelerate(state);
        // Loops are open here, by so much that every row counts unless it can move nothing at all.
        if (dynamics.redundant_rows > 0) continue;
        ++checked;
        for (const Model::Loop& loop : model->loops)
            of_other_kinds += model->bodies[loop.body_a].kind != BodyKind::rigid ||
                              model->bodies[loop.body_b].kind != BodyKind::rigid;
        CHECK(dynamics.equality_rows == rows);
        const KktSolution wanted = dense_solution(model, state, tau, first(rows));
        const double size = std::max(largest(wanted.acceleration), 1.0);
        for (int k = 0; k < nv; ++k) CHECK(std::abs(qacc[k] - wanted.acceleration[k]) < 1e-8 * size);
        EqualityRows scales(model);
        scales.assemble(state);
        const double push = std::max(largest(wanted.multipliers), 1.0);
        for (int r = 0; r < rows; ++r)
            CHECK(std::abs(dynamics.multipliers[r] - scales.terms[r].scale * wanted.multipliers[r]) <
                  1e-8 * push * 3);

        // Forces at the joints are Jᵀ λ.
        std::vector<double> force(nv), summed(nv, 0.0);
        dynamics.equality_forces(force);
        const std::vector<double> J = scales.jacobian();
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < nv; ++k)
                summed[k] += J[r * nv + k] * dynamics.multipliers[r] / scales.terms[r].scale;
        CHECK(largest_difference(force, summed) < 1e-9 * push);
    }
    CHECK(checked > 40);
    CHECK(of_other_kinds > 20);
}

TEST_CASE("couplings and tendons with inertia beside a loop") {
    Scene scene = four_bar();
    const BodyId gear = scene.add_body(world, {.name = "gear", .inertial = rod_mass(1, {0, 1, 0})});
    const JointId axle = scene.add_joint(gear, {.name = "axle", .axis = {1, 0, 0}});
    scene.add_coupling(
        {.follower = axle, .leader = scene.find_joint("foot"), .coefficients = {0, 2, 0.5, 0, 0}});
    const SiteId a = scene.add_site(world, {.name = "a", .pose = {{0, 0, 3}}});
    const SiteId b = scene.add_site({2}, {.name = "b", .pose = {{1, 0, 0}}});
    scene.add_tendon({.name = "rope", .stops = {{.site = a}, {.site = b}}, .armature = 0.7});
    const auto model = compile(scene);
    JointState<double> state(*model);
    Random random(22);
    for (double& x : state.v) x = random.uniform(-2, 2);
    SmoothDynamics dynamics(model);
    REQUIRE(dynamics.close_equalities(state).closed);
    const std::span<const double> qacc = dynamics.accelerate(state);
    CHECK(dynamics.equality_rows == 6);
    CHECK(dynamics.redundant_rows == 3);
    // The rows within the plane, and the coupling.
    const KktSolution wanted = dense_solution(model, state, std::vector<double>(model->nv, 0.0), {0, 1, 5});
    for (int k = 0; k < model->nv; ++k)
        CHECK(std::abs(qacc[k] - wanted.acceleration[k]) < 1e-10 * largest(wanted.acceleration));
    CHECK(dynamics.multipliers[5] == doctest::Approx(wanted.multipliers[2]).epsilon(1e-9));
}

TEST_CASE("a loop that is stated twice counts once") {
    Random random(23);
    for (const JointType type : {JointType::ball, JointType::fixed, JointType::hinge, JointType::planar}) {
        Scene scene = random_scene(random, {.bodies = 10, .chain = 0.9, .free_joints = false});
        while (!add_random_loop(random, scene, type, "one")) {
        }
        Scene twice = scene;
        LoopSpec again = scene.loops().back();
        again.name = "again";
        again.torque_scale *= 1.5;
        twice.add_loop(again);
        const auto model = compile(scene);
        const JointState<double> state = random_state(random, *model);
        SmoothDynamics one(model), two(compile(twice));
        const std::span<const double> a = one.accelerate(state), b = two.accelerate(state);
        const int rows = joints::joint_info(type).rows;
        CHECK(two.redundant_rows == rows + one.redundant_rows);
        CHECK(two.equality_rows == 2 * rows);
        double most = 0;
        for (const double x : a) most = std::max(most, std::abs(x));
        for (int k = 0; k < model->nv; ++k) CHECK(std::abs(a[k] - b[k]) < 1e-9 * most);
    }
}

TEST_CASE("the four-bar keeps its energy, and closes with any kind of joint that leaves it free") {
    std::vector<double> angles;
    for (const JointType type : {JointType::hinge, JointType::ball, JointType::cylindrical}) {
        Scene scene = four_bar(type);
        const auto model = compile(scene);
        SmoothMotion motion(model);
        JointState<double> state(*model);
        state.v = {1, 0, 0};
        REQUIRE(motion.dynamics.close_equalities(state).closed);
        const double before = total_energy(motion, state);
        const MotionReport report = motion.advance(state, 3, {.tolerance = 1e-11});
        INFO(report.where);
        REQUIRE(report.status == MotionStatus::ok);
        CHECK(report.equality_error < 1e-13);
        CHECK(report.equality_rows - report.redundant_rows == 2);
        CHECK(std::abs(total_energy(motion, state) - before) < 1e-8);
        angles.push_back(state.q[0]);
    }
    for (const double angle : angles) CHECK(std::abs(angle - angles[0]) < 1e-8);
}

TEST_CASE("loops against the same mechanism without loops") {
    // A slider on a rail, once by a slide joint and once by a free body whose loop lets it slide.
    const InertialSpec solid{2, {{0.1, 0.05, 0}}, Sym3d::diagonal(0.1, 0.2, 0.15), {}};
    const auto build = [&](bool by_loop) {
        Scene scene;
        scene.options.gravity = {1, 2, -9};
        const BodyId cart = scene.add_body(world, {.name = "cart", .inertial = solid});
        const Quatd along = rotation_exp(Vec3d{0.4, 1.1, 0});
        if (by_loop) {
            scene.add_joint(cart, {.name = "root", .type = JointType::free});
            scene.add_loop({.name = "rail",
                            .type = JointType::slide,
                            .body_a = world,
                            .body_b = cart,
                            .frame_a = {{0, 0, 0}, along},
                            .frame_b = {{0, 0, 0}, along}});
        } else {
            scene.add_joint(cart,
                            {.name = "rail", .type = JointType::slide, .axis = rotation_matrix(along).z});
        }
        const BodyId arm = scene.add_body(cart, {.name = "arm", .pose = {{0, 0.3, 0}}, .inertial = solid});
        scene.add_joint(arm, {.name = "swing", .type = JointType::ball});
        return compile(scene);
    };
    const auto with = build(true), without = build(false);
    SmoothMotion a(with), b(without);
    JointState<double> s(*with), t(*without);
    for (int k = 0; k < 3; ++k) s.v[6 + k] = t.v[1 + k] = k + 0.5;
    for (const SmoothMethod method : {SmoothMethod::rk4, SmoothMethod::rk45}) {
        REQUIRE(a.advance(s, 0.7, {.method = method, .step = 1e-3, .tolerance = 1e-12}).status ==
                MotionStatus::ok);
        REQUIRE(b.advance(t, 0.7, {.method = method, .step = 1e-3, .tolerance = 1e-12}).status ==
                MotionStatus::ok);
        BodyState<double> x(*with), y(*without);
        body_state(s, a.dynamics.ws, x);
        body_state(t, b.dynamics.ws, y);
        for (const int body : {1, 2}) {
            CHECK(length(x.pos[body] - y.pos[body]) < 1e-9);
            CHECK(length(x.vel[body].lin - y.vel[body].lin) < 1e-8);
        }
    }
}

TEST_CASE("a loop to a kinematic body follows it") {
    Scene scene;
    const BodyId hand = scene.add_body(world, {.name = "hand", .pose = {{2, 0, 0}}, .kinematic = true});
    BodyId parent = world;
    for (int k = 0; k < 3; ++k) {
        parent = scene.add_body(parent, {.name = "link" + std::to_string(k),
                                         .pose = {{k == 0 ? 0.0 : 1.0, 0, 0}},
                                         .inertial = rod_mass(1, {1, 0, 0})});
        scene.add_joint(parent, {.name = "joint" + std::to_string(k), .axis = {0, 1, 0}});
    }
    scene.add_loop({.name = "grip", .body_a = hand, .body_b = parent, .frame_b = {{1, 0, 0}}});
    const auto model = compile(scene);
    SmoothMotion motion(model);
    JointState<double> state(*model);
    state.q = {-1, 2.0, -1.2};
    forward_kinematics(state, motion.dynamics.ws);
    state.kinematic[0].pos = body_pose(motion.dynamics.ws, 4) * Vec3d{1, 0, 0};
    state.kinematic[0].velocity.lin = {0.2, 0, 0.4};
    state.kinematic[0].acceleration.lin = {-1, 0, -0.3};
    const Vec3d from = state.kinematic[0].pos;
    for (const SmoothMethod method : {SmoothMethod::euler, SmoothMethod::rk4, SmoothMethod::rk45}) {
        JointState<double> s = state;
        const MotionReport report = motion.advance(s, 0.5, {.method = method, .step = 0.005});
        INFO(report.where);
        REQUIRE(report.status == MotionStatus::ok);
        forward_kinematics(s, motion.dynamics.ws);
        const Vec3d tip = body_pose(motion.dynamics.ws, 4) * Vec3d{1, 0, 0};
        const Vec3d wanted = from + 0.5 * Vec3d{0.2, 0, 0.4} + 0.125 * Vec3d{-1, 0, -0.3};
        CHECK(length(tip - wanted) < 1e-12);
        const Vec3d velocity = Vec3d{0.2, 0, 0.4} + 0.5 * Vec3d{-1, 0, -0.3};
        const Motion<double> V = body_velocity(motion.dynamics.ws, 4);
        CHECK(length(V.lin + cross(V.ang, tip - body_pose(motion.dynamics.ws, 4).p) - velocity) < 1e-11);
    }
}

TEST_CASE("orders of the methods on a loop") {
    const auto model = compile(four_bar());
    SmoothMotion motion(model);
    const auto run = [&](const SmoothOptions& options) {
        JointState<double> state(*model);
        state.v = {1.5, 0, 0};
        REQUIRE(motion.dynamics.close_equalities(state).closed);
        REQUIRE(motion.advance(state, 0.5, options).status == MotionStatus::ok);
        return state.q[0];
    };
    const double exact = run({.tolerance = 1e-13});
    for (const auto& [method, order] : {std::pair(SmoothMethod::euler, 1), std::pair(SmoothMethod::rk4, 4)}) {
        CAPTURE(order);
        const double coarse = run({.method = method, .step = 0.01}) - exact;
        const double fine = run({.method = method, .step = 0.005}) - exact;
        CHECK(std::log2(std::abs(coarse / fine)) == doctest::Approx(order).epsilon(0.12));
    }
}

TEST_CASE("states off their loops: a little is put right, more is told by name") {
    const auto model = compile(four_bar());
    SmoothMotion motion(model);
    JointState<double> state(*model);
    state.q = {1e-3, -2e-3, 1e-3};
    state.v = {1, 1, 1};
    const JointState<double> before = state;
    const ClosingReport closing = motion.dynamics.close_equalities(state);
    CHECK(closing.closed);
    CHECK(closing.error < 1e-14);
    CHECK(motion.dynamics.equality_errors(state).largest < 1e-14);
    CHECK(largest_difference(state.q, before.q) < 5e-3);
    // Once more changes nothing.
    const JointState<double> once = state;
    CHECK(motion.dynamics.close_equalities(state).iterations == 0);
    CHECK(largest_difference(state.q, once.q) == 0);
    CHECK(largest_difference(state.v, once.v) < 1e-13);
    // The change of v is the least one by the inertia: orthogonal to every v that keeps the loop closed.
    std::vector<double> M(9), Mc(3, 0.0);
    mass_matrix<double>(state, motion.dynamics.ws, M);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) Mc[i] += M[3 * i + j] * (state.v[j] - 1);
    double power = 0;
    for (int i = 0; i < 3; ++i) power += Mc[i] * state.v[i];
    CHECK(std::abs(power) < 1e-10 * largest(Mc));

    JointState<double> open(*model);
    open.q = {0.5, 0, 0};
    const JointState<double> same = open;
    for (const SmoothMethod method : {SmoothMethod::euler, SmoothMethod::rk4, SmoothMethod::rk45}) {
        const MotionReport report = motion.advance(open, 1, {.method = method});
        CHECK(report.status == MotionStatus::equality_open);
        CHECK(report.where.find("loop 'closure' between 'world' and 'rocker' is open by ") == 0);
        CHECK(largest_difference(open.q, same.q) == 0);
        CHECK(open.time == 0);
    }
}

TEST_CASE("a coupling is followed along its curve, and an open one is told by name") {
    Scene scene;
    const InertialSpec solid{1, {}, Sym3d::diagonal(0.1, 0.1, 0.1), {}};
    JointId joints[2];
    for (int k = 0; k < 2; ++k) {
        const BodyId body = scene.add_body(world, {.name = "body" + std::to_string(k), .inertial = solid});
        joints[k] = scene.add_joint(body, {.name = "joint" + std::to_string(k), .type = JointType::slide});
    }
    scene.options.gravity = {0, 0, 0};
    scene.add_coupling(
        {.name = "curve", .follower = joints[1], .leader = joints[0], .coefficients = {0, 0, 1, 0, 0}});
    const auto model = compile(scene);
    SmoothMotion motion(model);
    JointState<double> state(*model);
    state.q = {0.5, 0.25};
    state.v = {1, 1};
    // Along the parabola without forces: ½ m (1 + 4x²) ẋ² stays.
    REQUIRE(motion.advance(state, 1.5, {.tolerance = 1e-12}).status == MotionStatus::ok);
    CHECK(std::abs(state.q[1] - state.q[0] * state.q[0]) < 1e-14);
    const double x = state.q[0], speed = state.v[0];
    CHECK((1 + 4 * x * x) * speed * speed == doctest::Approx(2).epsilon(1e-11));
    state.q[1] += 1;
    const MotionReport report = motion.advance(state, 1);
    CHECK(report.status == MotionStatus::equality_open);
    CHECK(report.where.find("coupling 'curve' of joint 'joint1' is open by ") == 0);
}

TEST_CASE("inactive loops and switched-off ones are not there") {
    Scene scene = four_bar();
    Scene off = scene;
    off.options.enabled.equality = false;
    Scene none = scene;
    none.options.enabled.constraint = false;
    for (const Scene& s : {off, none}) {
        SmoothDynamics dynamics(compile(s));
        CHECK(!dynamics.has_equalities());
        dynamics.accelerate(JointState<double>(dynamics.model()));
        CHECK(dynamics.equality_rows == 0);
        CHECK(dynamics.multipliers.size() == 5);
    }
    SmoothDynamics dynamics(compile(scene));
    CHECK(dynamics.has_equalities());
}

TEST_CASE("parallel four-bars pass their singular positions with any method, tolerance and speed") {
    const auto model = reference_four_bars(2);
    SmoothMotion motion(model);
    const auto run = [&](const SmoothOptions& options, double speed) {
        CAPTURE(int(options.method));
        CAPTURE(options.tolerance);
        CAPTURE(speed);
        JointState<double> state = four_bars_start(*model);
        for (double& v : state.v) v *= speed;
        const MotionReport report = motion.advance(state, 4, options);
        INFO(report.where);
        CHECK(report.status == MotionStatus::ok);
        // Still parallelograms, to what is left of the loops' errors by the last singular position.
        for (int k = 0; k < model->nv; ++k)
            CHECK(std::abs(state.q[k] - (k % 2 == 0 ? state.q[0] : -state.q[0])) < 1e-8);
    };
    for (double tolerance = 1e-4; tolerance > 1e-13; tolerance /= 10) run({.tolerance = tolerance}, 1);
    for (double speed = 1; speed < 1.5; speed += 0.07) run({}, speed);
    for (const double step : {0.01, 0.005, 0.002}) {
        run({.method = SmoothMethod::rk4, .step = step}, 1);
        run({.method = SmoothMethod::euler, .step = step}, 1);
    }
}
