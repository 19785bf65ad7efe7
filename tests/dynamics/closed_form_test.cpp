// Accelerations against equations from textbooks.

#include "support/random_values.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// Everything below is exact but for rounding on numbers of order one to a hundred.
constexpr double rounding = 1e-12;
constexpr double g = 9.81;

InertialSpec inertial(double mass, const Vec3d& com, const Sym3d& inertia) {
    return {mass, {com}, inertia, {}};
}

// A point mass still needs no inertia of its own when its joint moves it.
InertialSpec point(double mass, const Vec3d& at) { return inertial(mass, at, Sym3d::zero()); }

std::vector<double> accelerations(const Scene& scene, const std::vector<double>& q,
                                  const std::vector<double>& v, std::vector<double> tau = {}) {
    const auto model = compile(scene);
    JointState<double> state(*model);
    REQUIRE(q.size() == state.q.size());
    REQUIRE(v.size() == state.v.size());
    state.q = q;
    state.v = v;
    tau.resize(model->nv, 0.0);
    std::vector<double> qacc(model->nv);
    Workspace<double> ws(model);
    forward_dynamics<double>(state, tau, ws, qacc);
    return qacc;
}

}  // namespace

TEST_CASE("closed form: the pendulum") {
    // Angle from hanging; θ̈ = −m g l sin θ / (I + m l² + rotor) + τ / (…).
    const double m = 1.3, l = 0.7, I = 0.2, rotor = 0.05;
    Scene scene;
    const BodyId body = scene.add_body(
        world, {.name = "rod", .inertial = inertial(m, {0, 0, -l}, Sym3d::diagonal(0.3, I, 0.1))});
    scene.add_joint(body, {.name = "pivot", .type = JointType::hinge, .axis = {0, 1, 0}, .armature = rotor});
    for (const double angle : {-3.0, -1.0, 0.0, 0.4, 2.0}) {
        const double tau = 0.5;
        const double expected = (tau - m * g * l * std::sin(angle)) / (I + m * l * l + rotor);
        CHECK(std::abs(accelerations(scene, {angle}, {3.0}, {tau})[0] - expected) < rounding);
    }
}

TEST_CASE("closed form: the double pendulum of point masses") {
    const double m1 = 1.5, m2 = 0.8, l1 = 0.9, l2 = 0.6;
    Scene scene;
    const BodyId upper = scene.add_body(world, {.name = "upper", .inertial = point(m1, {0, 0, -l1})});
    scene.add_joint(upper, {.name = "shoulder", .type = JointType::hinge, .axis = {0, 1, 0}});
    const BodyId lower =
        scene.add_body(upper, {.name = "lower", .pose = {{0, 0, -l1}}, .inertial = point(m2, {0, 0, -l2})});
    scene.add_joint(lower, {.name = "elbow", .type = JointType::hinge, .axis = {0, 1, 0}});
    Random random(61);
    for (int trial = 0; trial < 50; ++trial) {
        // The textbook counts both angles from the vertical, with d = θ1 − θ2:
        //   (m1 + m2) l1 θ̈1 + m2 l2 θ̈2 cos d + m2 l2 θ̇2² sin d + (m1 + m2) g sin θ1 = 0
        //   l2 θ̈2 + l1 θ̈1 cos d − l1 θ̇1² sin d + g sin θ2 = 0
        const double t1 = random.uniform(-3, 3), t2 = random.uniform(-3, 3);
        const double w1 = random.uniform(-3, 3), w2 = random.uniform(-3, 3);
        const double d = t1 - t2, c = std::cos(d), s = std::sin(d);
        const double a11 = (m1 + m2) * l1, a12 = m2 * l2 * c, a21 = l1 * c, a22 = l2;
        const double b1 = -m2 * l2 * w2 * w2 * s - (m1 + m2) * g * std::sin(t1);
        const double b2 = l1 * w1 * w1 * s - g * std::sin(t2);
        const double det = a11 * a22 - a12 * a21;
        const double acc1 = (b1 * a22 - a12 * b2) / det, acc2 = (a11 * b2 - a21 * b1) / det;
        const auto qacc = accelerations(scene, {t1, t2 - t1}, {w1, w2 - w1});
        CHECK(std::abs(qacc[0] - acc1) < 10 * rounding);
        CHECK(std::abs(qacc[0] + qacc[1] - acc2) < 10 * rounding);
    }
}

TEST_CASE("closed form: the free body obeys Newton and Euler") {
    // The linear coordinates are the frame's origin in world axes, the angular velocity is in body axes. With
    // the centre of mass at c: f = m (a + R (ω̇ × c + ω × (ω × c)) − gravity).
    Random random(62);
    for (int trial = 0; trial < 50; ++trial) {
        const double m = 1.7;
        const Vec3d com = trial % 2 ? random_vec(random, 0.3) : Vec3d{0, 0, 0};
        const Sym3d I{0.3, 0.4, 0.5, 0.02, -0.03, 0.04};
        Scene scene;
        scene.options.gravity = random_vec(random, 10);
        const BodyId body = scene.add_body(world, {.name = "brick", .inertial = inertial(m, com, I)});
        scene.add_joint(body, {.name = "free", .type = JointType::free});
        const Quatd turn = random_rotation(random);
        const Mat3d R = rotation_matrix(turn);
        const Vec3d w = random_vec(random, 3), v = random_vec(random, 3);
        const Vec3d force = random_vec(random, 5), moment = random_vec(random, 5);
        const auto qacc =
            accelerations(scene, {1, 2, 3, turn.w, turn.x, turn.y, turn.z}, {v.x, v.y, v.z, w.x, w.y, w.z},
                          {force.x, force.y, force.z, moment.x, moment.y, moment.z});
        const Vec3d a{qacc[0], qacc[1], qacc[2]}, alpha{qacc[3], qacc[4], qacc[5]};

        const Vec3d a_com = a + R * (cross(alpha, com) + cross(w, cross(w, com)));
        CHECK(largest(m * (a_com - scene.options.gravity) - force) < 1e2 * rounding);
        // About the centre of mass: I ω̇ + ω × I ω = n − c × Rᵀ f.
        const Vec3d euler = I * alpha + cross(w, I * w);
        CHECK(largest(euler - (moment - cross(com, transpose_mul(R, force)))) < 1e2 * rounding);
    }
}

TEST_CASE("closed form: a ball joint obeys Euler's equations about its anchor") {
    Random random(63);
    for (int trial = 0; trial < 50; ++trial) {
        const double m = 1.1;
        const Vec3d arm = random_vec(random, 0.5);  // from the anchor to the centre of mass
        const Sym3d I{0.3, 0.4, 0.5, 0.02, -0.03, 0.04};
        Scene scene;
        const Vec3d anchor = random_vec(random, 0.5);
        const BodyId body = scene.add_body(world, {.name = "bob", .inertial = inertial(m, anchor + arm, I)});
        scene.add_joint(body, {.name = "ball", .type = JointType::ball, .pos = anchor});
        const Quatd turn = random_rotation(random);
        const Mat3d R = rotation_matrix(turn);
        const Vec3d w = random_vec(random, 3), moment = random_vec(random, 5);
        const auto qacc = accelerations(scene, {turn.w, turn.x, turn.y, turn.z}, {w.x, w.y, w.z},
                                        {moment.x, moment.y, moment.z});
        const Vec3d alpha{qacc[0], qacc[1], qacc[2]};
        const auto about_anchor = [&](const Vec3d& a) { return I * a + m * cross(arm, cross(a, arm)); };
        const Vec3d gravity = cross(arm, transpose_mul(R, Vec3d{0, 0, -m * g}));
        CHECK(largest(about_anchor(alpha) + cross(w, about_anchor(w)) - moment - gravity) < 1e2 * rounding);
    }
}

TEST_CASE("closed form: steady precession of a symmetric top") {
    // A top at the angle θ precesses steadily about the vertical with rate Ω if
    //   I3 ω3 Ω − (I1' cos θ) Ω² = m g l,  ω3 = spin + Ω cos θ  the angular velocity about its axis.
    // In the axes of the body with z the top's axis and x the line of nodes, ω = (0, Ω sin θ, ω3) at this
    // instant; the axes of the body spin, so ω̇ in body axes is (spin Ω sin θ, 0, 0).
    const double m = 0.9, l = 0.3, I1 = 0.02, I3 = 0.015, theta = 0.6, precession = 2.5;
    const double I1_tip = I1 + m * l * l;
    const double w3 = (m * g * l + I1_tip * std::cos(theta) * precession * precession) / (I3 * precession);
    const double spin = w3 - precession * std::cos(theta);
    Scene scene;
    const BodyId body = scene.add_body(
        world, {.name = "top", .inertial = inertial(m, {0, 0, l}, Sym3d::diagonal(I1, I1, I3))});
    scene.add_joint(body, {.name = "tip", .type = JointType::ball});
    // Tilted about x, the line of nodes.
    const auto qacc = accelerations(scene, {std::cos(theta / 2), std::sin(theta / 2), 0, 0},
                                    {0, precession * std::sin(theta), w3});
    CHECK(std::abs(qacc[0] - spin * precession * std::sin(theta)) < 1e2 * rounding);
    CHECK(std::abs(qacc[1]) < 1e2 * rounding);
    CHECK(std::abs(qacc[2]) < 1e2 * rounding);
}

TEST_CASE("closed form: a slider on a rotating arm feels centrifugal and Coriolis forces") {
    // Horizontal arm, r̈ = r φ̇² + f/m,  φ̈ = (τ − 2 m r ṙ φ̇) / (I + m r²).
    const double m = 0.7, I = 0.4;
    Scene scene;
    const BodyId arm =
        scene.add_body(world, {.name = "arm", .inertial = inertial(2, {0, 0, 0}, Sym3d::diagonal(1, 1, I))});
    scene.add_joint(arm, {.name = "axle", .type = JointType::hinge, .axis = {0, 0, 1}});
    const BodyId bead = scene.add_body(arm, {.name = "bead", .inertial = point(m, {0, 0, 0})});
    scene.add_joint(bead, {.name = "rail", .type = JointType::slide, .axis = {1, 0, 0}});
    Random random(64);
    for (int trial = 0; trial < 50; ++trial) {
        const double phi = random.uniform(-3, 3), r = random.uniform(-2, 2);
        const double phi_rate = random.uniform(-3, 3), r_rate = random.uniform(-3, 3);
        const double tau = random.uniform(-3, 3), f = random.uniform(-3, 3);
        const auto qacc = accelerations(scene, {phi, r}, {phi_rate, r_rate}, {tau, f});
        CHECK(std::abs(qacc[0] - (tau - 2 * m * r * r_rate * phi_rate) / (I + m * r * r)) < 1e2 * rounding);
        CHECK(std::abs(qacc[1] - (r * phi_rate * phi_rate + f / m)) < 1e2 * rounding);
    }
}

TEST_CASE("closed form: a nut falls along its screw") {
    // One freedom: (I + m p²) φ̈ = τ − m g p.
    const double m = 0.6, I = 0.01, pitch = 0.02;
    Scene scene;
    const BodyId nut = scene.add_body(
        world, {.name = "nut", .inertial = inertial(m, {0, 0, 0}, Sym3d::diagonal(0.02, 0.02, I))});
    scene.add_joint(nut, {.name = "thread", .type = JointType::screw, .axis = {0, 0, 1}, .pitch = pitch});
    const double tau = 0.03;
    CHECK(std::abs(accelerations(scene, {7.0}, {2.0}, {tau})[0] -
                   (tau - m * g * pitch) / (I + m * pitch * pitch)) < rounding);
}

TEST_CASE("closed form: a pendulum on a kinematic body feels the motion of its pivot") {
    // Pivot accelerating with (ax, 0, az): θ̈ = (ax cos θ − (g + az) sin θ) / l, angle about y from hanging.
    // It grows towards −x: the bob is at l (−sin θ, 0, −cos θ).
    const double l = 0.8;
    Scene scene;
    const BodyId cart = scene.add_body(world, {.name = "cart", .kinematic = true});
    const BodyId bob = scene.add_body(cart, {.name = "bob", .inertial = point(1.2, {0, 0, -l})});
    scene.add_joint(bob, {.name = "pivot", .type = JointType::hinge, .axis = {0, 1, 0}});
    const auto model = compile(scene);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    REQUIRE(state.kinematic.size() == 1);
    const double angle = 0.9, ax = 3, az = 2;
    state.q[0] = angle;
    state.v[0] = 1.5;
    state.kinematic[0].pos = {5, 6, 7};
    state.kinematic[0].velocity.lin = {1, 0, -2};
    state.kinematic[0].acceleration.lin = {ax, 0, az};
    std::vector<double> tau{0}, qacc{0};
    forward_dynamics<double>(state, tau, ws, qacc);
    CHECK(std::abs(qacc[0] - (-(g + az) * std::sin(angle) + ax * std::cos(angle)) / l) < rounding);

    // Turning about the vertical: with θ measured in the turning frame, θ̈ = Ω² sin θ cos θ − g sin θ / l.
    state.kinematic[0].acceleration = Motion<double>::zero();
    state.kinematic[0].velocity = {{0, 0, 2.5}, {0, 0, 0}};
    forward_dynamics<double>(state, tau, ws, qacc);
    CHECK(std::abs(qacc[0] - (2.5 * 2.5 * std::sin(angle) * std::cos(angle) - g * std::sin(angle) / l)) <
          rounding);
}
