// Bodies fixed to each other move as one; loops know how far they are from closed.

#include "model/support_scene.h"
#include "support/random_scene.h"

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

std::vector<double> accelerations(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                                  const std::vector<double>& tau) {
    Workspace<double> ws(model);
    std::vector<double> qacc(model->nv);
    forward_dynamics<double>(state, tau, ws, qacc);
    return qacc;
}

std::vector<double> residual(const std::shared_ptr<const Model>& model, const std::vector<double>& q,
                             int loop = 0) {
    Workspace<double> ws(model);
    JointState<double> state(*model);
    state.q = q;
    forward_kinematics(state, ws);
    std::vector<double> out(model->loops[loop].rows);
    loop_residual(ws, loop, out);
    return out;
}

}  // namespace

TEST_CASE("compile: fixed bodies move as one body with the merged inertia") {
    Random random(95);
    for (int trial = 0; trial < 20; ++trial) {
        const InertialSpec a = random_inertial(random), b = random_inertial(random);
        const Pose fixed{random_vec(random, 0.5), random_rotation(random)};

        // The sum by hand: m, the weighted centre, and both inertias about it by the parallel-axis theorem.
        const Mat3d R = rotation_matrix(fixed.quat);
        const Vec3d b_com = R * b.frame.pos + fixed.pos;
        InertialSpec merged;
        merged.mass = a.mass + b.mass;
        merged.frame.pos = (1 / merged.mass) * (a.mass * a.frame.pos + b.mass * b_com);
        const auto about = [&](const Sym3d& I, double m, const Vec3d& d) {
            const double dd = dot(d, d);
            return I + m * Sym3d{dd - d.x * d.x, dd - d.y * d.y, dd - d.z * d.z,
                                 -d.x * d.y, -d.x * d.z, -d.y * d.z};
        };
        merged.inertia =
            about(rotate(rotation_matrix(a.frame.quat), a.inertia), a.mass, a.frame.pos - merged.frame.pos) +
            about(rotate(R * rotation_matrix(b.frame.quat), b.inertia), b.mass, b_com - merged.frame.pos);

        const auto scene_of = [&](bool two, bool with_joint) {
            Scene scene;
            const BodyId base = scene.add_body(world, body_named("base"));
            scene.add_joint(base, {.name = "j0", .axis = {0, 1, 0}});
            const BodyId body =
                scene.add_body(base, {.name = "a", .pose = {{0.3, 0, 0}}, .inertial = two ? a : merged});
            scene.add_joint(body, {.name = "j1", .type = JointType::ball, .pos = {0.1, 0.2, 0.3}});
            BodyId carrier = body;
            if (two) {
                carrier = scene.add_body(body, {.name = "b", .pose = fixed, .inertial = b});
                if (with_joint) scene.add_joint(carrier, {.name = "bolt", .type = JointType::fixed});
            }
            // A child of the fixed body, at the same place in both.
            const Transformd X_a = two ? Transformd::identity() : Transformd{R, fixed.pos};
            const Transformd X{X_a.R, X_a * Vec3d{0, 0.4, 0}};
            const BodyId tip = scene.add_body(carrier, {.name = "tip",
                                                        .pose = {X.p, two ? Quatd::identity() : fixed.quat},
                                                        .inertial = unit_inertial()});
            scene.add_joint(tip, {.name = "j2", .axis = {1, 0, 0}});
            return compile(scene);
        };
        const auto one = scene_of(false, false);
        const JointState<double> state = random_state(random, *one);
        const std::vector<double> tau = random_numbers(random, one->nv, 3);
        const auto expected = accelerations(one, state, tau);
        for (const bool with_joint : {false, true}) {
            const auto two = scene_of(true, with_joint);
            REQUIRE(two->nv == one->nv);
            CHECK(two->tree.links.size() == one->tree.links.size());
            CHECK(largest_difference(accelerations(two, state, tau), expected) <
                  1e-12 * std::max(1.0, largest(expected)));
        }
    }
}

TEST_CASE("loops: a four-bar linkage is closed where geometry says so, and open by the gap elsewhere") {
    // A crank, a coupler and a rocker between two pivots d apart, in the plane of x and z, all hinges about
    // −y so that angles count from x towards z. The coupler's end and the rocker's end meet.
    const double crank = 0.3, coupler = 0.8, rocker = 0.6, d = 0.9;
    Scene scene("four-bar");
    const Vec3d axis{0, -1, 0};
    const BodyId a = scene.add_body(world, body_named("crank"));
    scene.add_joint(a, {.name = "a", .axis = axis});
    const BodyId b = scene.add_body(a, body_named("coupler", {crank, 0, 0}));
    scene.add_joint(b, {.name = "b", .axis = axis});
    const BodyId c = scene.add_body(world, body_named("rocker", {d, 0, 0}));
    scene.add_joint(c, {.name = "c", .axis = axis});
    // z of the loop's frames along y.
    const Quatd along_y{std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
    scene.add_loop({.name = "pin",
                    .type = JointType::hinge,
                    .body_a = b,
                    .body_b = c,
                    .frame_a = {{coupler, 0, 0}, along_y},
                    .frame_b = {{rocker, 0, 0}, along_y}});
    const auto model = compile(scene);
    REQUIRE(model->loops.size() == 1);
    REQUIRE(model->loops[0].rows == 5);
    CHECK(model->bodies[model->loops[0].body_a].name == "coupler");

    for (const double angle : {0.0, 0.7, 2.0, 4.0}) {
        // The end of the crank, the meeting point by intersecting two circles.
        const double x = crank * std::cos(angle), z = crank * std::sin(angle);
        const double ex = d - x, ez = -z, e = std::hypot(ex, ez);
        const double along = (coupler * coupler - rocker * rocker + e * e) / (2 * e);
        const double across = std::sqrt(coupler * coupler - along * along);
        const double px = x + (along * ex - across * ez) / e, pz = z + (along * ez + across * ex) / e;
        const double coupler_angle = std::atan2(pz - z, px - x), rocker_angle = std::atan2(pz, px - d);
        for (const double r : residual(model, {angle, coupler_angle - angle, rocker_angle}))
            CHECK(std::abs(r) < 1e-15);

        // Open: the residual is the gap, seen from the coupler's frame, and its length does not depend on
        // axes.
        const double wrong = rocker_angle + 0.2;
        const double gx = d + rocker * std::cos(wrong) - px, gz = rocker * std::sin(wrong) - pz;
        const auto open = residual(model, {angle, coupler_angle - angle, wrong});
        CHECK(std::hypot(open[0], open[1], open[2]) == doctest::Approx(std::hypot(gx, gz)).epsilon(1e-13));
        CHECK(std::abs(open[2]) < 1e-15);  // nothing along the axis
        CHECK(std::abs(open[3]) < 1e-15);  // the axes stay parallel
        CHECK(std::abs(open[4]) < 1e-15);
    }
}

TEST_CASE("loops: every joint kind that constrains closes at rest and says how many rows it has") {
    for (const joints::JointInfo& info : joints::joint_list) {
        if (info.rows == 0) continue;
        CAPTURE(std::string(info.name));
        Scene scene;
        const BodyId body = scene.add_body(world, body_named("b", {1, 0, 0}));
        scene.add_joint(body, {.name = "slide", .type = JointType::free});
        scene.add_loop({.name = "hold",
                        .type = info.type,
                        .body_a = world,
                        .body_b = body,
                        .frame_a = {{1.5, 0, 0}},
                        .frame_b = {{0.5, 0, 0}},
                        .pitch = 0.1});
        const auto model = compile(scene);
        CHECK(model->loops[0].rows == info.rows);
        for (const double r : residual(model, {1, 0, 0, 1, 0, 0, 0})) CHECK(r == 0);
        double most = 0;
        for (const double r : residual(model, {1.1, 0.1, 0.1, std::cos(0.1), 0, std::sin(0.1), 0}))
            most = std::max(most, std::abs(r));
        CHECK(most > (info.type == JointType::universal ? 0.05 : 0.09));
        std::vector<double> wrong(info.rows + 1);
        Workspace<double> ws(model);
        CHECK_THROWS_AS(loop_residual(ws, 0, wrong), std::invalid_argument);
    }
}

TEST_CASE("couplings: follower, leader and polynomial arrive at the model") {
    OneHinge s;
    const BodyId other = s.scene.add_body(s.body, body_named("b"));
    // A fixed joint before it shifts the indices of the joints.
    s.scene.add_joint(s.scene.add_body(s.body, body_named("plate")),
                      {.name = "bolt", .type = JointType::fixed});
    const JointId follower = s.scene.add_joint(other, {.name = "follower", .type = JointType::slide});
    s.scene.add_coupling(
        {.name = "gear", .follower = follower, .leader = s.joint, .coefficients = {0.1, -2, 0, 3, 0}});
    const auto model = compile(s.scene);
    REQUIRE(model->couplings.size() == 1);
    CHECK(model->joints[model->couplings[0].follower].name == "follower");
    CHECK(model->joints[model->couplings[0].leader].name == "elbow");
    CHECK(model->couplings[0].coefficients[3] == 3);
}

TEST_CASE("scene: a robot built by hand moves") {
    // The example of the headers: a cart on a rail with a pendulum, released from the side.
    Scene scene("cart and pole");
    const BodyId cart = scene.add_body(world, {.name = "cart"});
    scene.add_geom(cart, {.name = "box", .shape = ShapeType::box, .size = {0.2, 0.1, 0.1}, .mass = 2});
    scene.add_joint(cart, {.name = "rail", .type = JointType::slide, .axis = {1, 0, 0}});
    const BodyId pole = scene.add_body(cart, {.name = "pole"});
    scene.add_geom(pole, {.name = "ball",
                          .shape = ShapeType::sphere,
                          .pose = {{0, 0, -0.5}},
                          .size = {0.05, 0, 0},
                          .mass = 1});
    scene.add_joint(pole, {.name = "pivot", .type = JointType::hinge, .axis = {0, 1, 0}});
    const auto model = compile(scene);
    JointState<double> state(*model);
    state.q = {0, 0.4};
    const auto qacc = accelerations(model, state, {0, 0});
    // (M + m) ẍ − m l θ̈ cos θ = 0 and (I + m l²) θ̈ − m l ẍ cos θ = −m g l sin θ, for a bob at −l sin θ.
    const double M = 2, m = 1, l = 0.5, I = 0.4 * 0.05 * 0.05, c = std::cos(0.4), s = std::sin(0.4);
    const double theta = -m * 9.81 * l * s / (I + m * l * l - m * m * l * l * c * c / (M + m));
    CHECK(qacc[1] == doctest::Approx(theta).epsilon(1e-13));
    CHECK(qacc[0] == doctest::Approx(m * l * theta * c / (M + m)).epsilon(1e-13));
}
