// Poses, velocities and Jacobians against differences along the motion.

#include "support/random_scene.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Half the step of central differences. The trees are ten links deep with speeds of order one, so third
// derivatives reach 1e4 and the truncation h²/6 · 1e4 stays below 1e-6; rounding is 1e-15 · 10 / h = 1e-9.
constexpr double h = 1e-5;
constexpr double difference_tolerance = 1e-6;

std::shared_ptr<const Model> random_model(Random& random, int kinematic) {
    TreeShape shape;
    shape.bodies = 10;
    shape.kinematic = kinematic;
    return compile(random_scene(random, shape));
}

JointState<double> moved(const Workspace<double>& ws, const JointState<double>& state, double time) {
    JointState<double> out = state;
    integrate<double>(ws, state.q, state.v, time, out.q);
    for (BaseMotion<double>& base : out.kinematic) {
        base.pos += time * base.velocity.lin;
        base.quat = rotation_exp(time * base.velocity.ang) * base.quat;
    }
    return out;
}

}  // namespace

TEST_CASE("kinematics: the poses of the bodies move with their velocities") {
    Random random(71);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = random_model(random, 2);
        Workspace<double> ws(model), before(model), after(model);
        const JointState<double> state = random_state(random, *model);
        forward_kinematics(state, ws);
        forward_kinematics(moved(ws, state, -h), before);
        forward_kinematics(moved(ws, state, h), after);
        for (int b = 0; b < int(model->bodies.size()); ++b) {
            CAPTURE(model->bodies[b].name);
            const Transformd X = body_pose(ws, b), X0 = body_pose(before, b), X1 = body_pose(after, b);
            const Motion<double> V = body_velocity(ws, b);
            CHECK(largest((0.5 / h) * (X1.p - X0.p) - V.lin) < difference_tolerance);
            CHECK(largest((0.5 / h) * (X1.R - X0.R) - cross_matrix(V.ang) * X.R) < difference_tolerance);
            CHECK(largest(transpose_mul(X.R, X.R) - Mat3d::identity()) < 1e-14);
        }
    }
}

TEST_CASE("kinematics: the state of all bodies is what the single functions say") {
    Random random(72);
    const auto model = random_model(random, 1);
    Workspace<double> ws(model);
    JointState<double> state = random_state(random, *model);
    state.time = 4.5;
    BodyState<double> bodies(*model);
    body_state(state, ws, bodies);
    CHECK(bodies.time == 4.5);
    for (int b = 0; b < int(model->bodies.size()); ++b) {
        const Transformd X = body_pose(ws, b);
        CHECK(largest(bodies.pos[b] - X.p) == 0);
        CHECK(largest(rotation_matrix(bodies.quat[b]) - X.R) < 1e-14);
        CHECK(largest(bodies.vel[b] - body_velocity(ws, b)) == 0);
    }
    // The kinematic body is where it was put.
    const int base = model->kinematic_bodies[0];
    CHECK(largest(bodies.pos[base] - state.kinematic[0].pos) == 0);
    CHECK(largest(bodies.vel[base] - state.kinematic[0].velocity) == 0);
    CHECK(largest(bodies.pos[0]) == 0);
}

TEST_CASE("kinematics: the reference configuration is the one of the scene") {
    Random random(73);
    for (int tree = 0; tree < 20; ++tree) {
        TreeShape shape;
        shape.kinematic = 1;
        const Scene scene = random_scene(random, shape);
        const auto model = compile(scene);
        Workspace<double> ws(model);
        forward_kinematics(JointState<double>(*model), ws);
        for (std::size_t b = 1; b < scene.bodies().size(); ++b) {
            // Composed by hand from the poses that the scene gives.
            Transformd X = Transformd::identity();
            for (BodyId id{int(b)}; id.index > 0; id = scene.bodies()[id.index].parent) {
                const Pose& pose = scene.bodies()[id.index].spec.pose;
                X = Transformd{rotation_matrix(pose.quat), pose.pos} * X;
            }
            const int mine = model->find_body(scene.bodies()[b].spec.name);
            CHECK(largest(body_pose(ws, mine).p - X.p) < 1e-14);
            CHECK(largest(body_pose(ws, mine).R - X.R) < 1e-14);
            CHECK(largest(model->bodies[mine].X_WB0.p - X.p) < 1e-14);
        }
    }
}

TEST_CASE("kinematics: Jacobians give the velocity of a point, in the axes of the world and of the body") {
    Random random(74);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = random_model(random, 0);
        const std::size_t n = model->nv;
        Workspace<double> ws(model), before(model), after(model);
        const JointState<double> state = random_state(random, *model);
        forward_kinematics(state, ws);
        std::vector<double> J(6 * n), J_local(6 * n);
        for (int b = 1; b < int(model->bodies.size()); b += 2) {
            const Vec3d p_B = random_vec(random, 0.5);
            frame_jacobian<double>(ws, b, p_B, Axes::world, J);
            frame_jacobian<double>(ws, b, p_B, Axes::local, J_local);
            const Transformd X = body_pose(ws, b);
            const Motion<double> V = shift(body_velocity(ws, b), X.R * p_B);
            Motion<double> by_J = Motion<double>::zero(), by_local = Motion<double>::zero();
            for (int row = 0; row < 3; ++row)
                for (std::size_t k = 0; k < n; ++k) {
                    by_J.ang[row] += J[row * n + k] * state.v[k];
                    by_J.lin[row] += J[(3 + row) * n + k] * state.v[k];
                    by_local.ang[row] += J_local[row * n + k] * state.v[k];
                    by_local.lin[row] += J_local[(3 + row) * n + k] * state.v[k];
                }
            // Sums of a few dozen terms of order one to ten.
            CHECK(largest(by_J - V) < 1e-13);
            CHECK(largest(rotate(X.R, by_local) - V) < 1e-13);

            // Column by column against differences.
            for (std::size_t k = 0; k < n; ++k) {
                JointState<double> one = state;
                for (double& x : one.v) x = 0;
                one.v[k] = 1;
                forward_kinematics(moved(ws, one, -h), before);
                forward_kinematics(moved(ws, one, h), after);
                const Vec3d rate = (0.5 / h) * (body_pose(after, b) * p_B - body_pose(before, b) * p_B);
                for (int row = 0; row < 3; ++row)
                    CHECK(std::abs(rate[row] - J[(3 + row) * n + k]) < difference_tolerance);
            }
        }
    }
}

TEST_CASE("kinematics: the Jacobian of what does not move on joints is zero") {
    Random random(75);
    const auto model = random_model(random, 1);
    Workspace<double> ws(model);
    forward_kinematics(random_state(random, *model), ws);
    std::vector<double> J(6 * model->nv);
    for (const int body : {0, model->kinematic_bodies[0]}) {
        for (double& x : J) x = 7;
        frame_jacobian<double>(ws, body, Vec3d{1, 2, 3}, Axes::world, J);
        CHECK(largest(J) == 0);
    }
}

TEST_CASE("kinematics: integrate and difference on the configuration manifold") {
    Random random(76);
    for (int tree = 0; tree < 20; ++tree) {
        const auto model = random_model(random, 0);
        Workspace<double> ws(model), there(model);
        const JointState<double> a = random_state(random, *model);
        JointState<double> b = random_state(random, *model), c = b;
        std::vector<double> v(model->nv), again(model->nv);
        difference<double>(ws, a.q, b.q, v);
        integrate<double>(ws, a.q, v, 1.0, c.q);
        difference<double>(ws, a.q, c.q, again);
        CHECK(largest_difference(v, again) < 1e-13);
        // b and c are the same configuration: every body is in the same place.
        forward_kinematics(b, ws);
        forward_kinematics(c, there);
        for (int k = 0; k < int(model->bodies.size()); ++k)
            CHECK(largest(body_pose(ws, k).p - body_pose(there, k).p) < 1e-13);
        // In place.
        c.q = a.q;
        integrate<double>(ws, c.q, v, 1.0, c.q);
        difference<double>(ws, a.q, c.q, again);
        CHECK(largest_difference(v, again) < 1e-13);
    }
}

TEST_CASE("dynamics: vectors of the wrong size are refused") {
    Random random(77);
    const auto model = random_model(random, 1);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    std::vector<double> right(model->nv), wrong(model->nv + 1), M(5);
    CHECK_THROWS_AS(forward_dynamics<double>(state, wrong, ws, right), std::invalid_argument);
    CHECK_THROWS_AS(forward_dynamics<double>(state, right, ws, wrong), std::invalid_argument);
    CHECK_THROWS_AS(inverse_dynamics<double>(state, wrong, ws, right), std::invalid_argument);
    CHECK_THROWS_AS(mass_matrix<double>(state, ws, M), std::invalid_argument);
    state.q.push_back(0);
    CHECK_THROWS_WITH_AS(forward_kinematics(state, ws), doctest::Contains("q has"), std::invalid_argument);
    CHECK_THROWS_AS(Workspace<double>(nullptr), std::invalid_argument);
}
