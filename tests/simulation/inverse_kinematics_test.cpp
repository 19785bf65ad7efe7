// Points and frames that are to be reached, against closed forms and poses that are known to reach them.

#include "support/random_model.h"
#include "support/random_values.h"
#include "support/reference_problems.h"

#include <ligament/inverse_kinematics.h>
#include <ligament/smooth_motion.h>

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

// Two rods of length 1 in the plane y = 0; angles count from x towards z.
Scene two_rods(Range shoulder = {}) {
    Scene scene;
    const BodyId upper = scene.add_body(world, {.name = "upper", .inertial = rod_mass(1, {1, 0, 0})});
    JointSpec joint{.name = "shoulder", .axis = {0, -1, 0}};
    joint.range = {shoulder};
    scene.add_joint(upper, joint);
    const BodyId lower = scene.add_body(
        upper, {.name = "lower", .pose = {{1, 0, 0}}, .inertial = rod_mass(1, {1, 0, 0})});
    scene.add_joint(lower, {.name = "elbow", .axis = {0, -1, 0}});
    return scene;
}

// Shoulder and elbow with the end at distance r in the direction `angle`, elbow bent by side (1 or −1).
std::array<double, 2> two_rod_angles(double r, double angle, double side) {
    const double bend = std::acos(r * r / 2 - 1);
    return {angle - side * bend / 2, side * bend};
}

ReachTarget end_at(const Model& model, const Vec3d& wanted) {
    return {.body = model.find_body("lower"), .frame = {{1, 0, 0}}, .wanted = {wanted}};
}

Vec3d polar(double r, double angle) { return {r * std::cos(angle), 0, r * std::sin(angle)}; }

Pose pose_of(const Workspace<double>& ws, const ReachTarget& target) {
    const Transformd X = body_pose(ws, target.body);
    return {X * target.frame.pos, normalized(quaternion(X.R) * target.frame.quat)};
}

}  // namespace

TEST_CASE("two rods reach a point with the elbow on the side where it is") {
    const auto model = compile(two_rods());
    for (const double side : {-1.0, 1.0})
        for (const double r : {0.3, 1.0, 1.9}) {
            CAPTURE(side);
            CAPTURE(r);
            JointState<double> state(*model);
            state.q = {0.2, side * 0.9};
            InverseKinematics arm(model, {end_at(*model, polar(r, 0.7))});
            const ReachReport report = arm.follow(state);
            CHECK(report.reached);
            CHECK(report.where.empty());
            const auto wanted = two_rod_angles(r, 0.7, side);
            CHECK(state.q[0] == doctest::Approx(wanted[0]).epsilon(1e-9));
            CHECK(state.q[1] == doctest::Approx(wanted[1]).epsilon(1e-9));
        }
}

TEST_CASE("what is out of reach is approached as far as it goes") {
    const auto model = compile(two_rods());
    JointState<double> state(*model);
    state.q = {0.2, 0.9};
    InverseKinematics arm(model, {end_at(*model, polar(3, 0.5))});
    const ReachReport report = arm.reach(state);
    CHECK_FALSE(report.reached);
    CHECK(report.target == 0);
    CHECK(report.error == doctest::Approx(1).epsilon(1e-6));
    // Stretched towards it; there the error grows with the square of angles.
    CHECK(std::abs(state.q[0] + 0.5 * state.q[1] - 0.5) < 1e-3);
    CHECK(std::abs(state.q[1]) < 1e-2);

    // Along a path the arm goes as far as it is stretched, and says so.
    state.q = {0.2, 0.9};
    const ReachReport path = arm.follow(state);
    CHECK_FALSE(path.reached);
    CHECK(path.where == "the edge of what can be reached");
    CHECK(std::abs(state.q[0] + 0.5 * state.q[1] - 0.5) < 1e-6);
    CHECK(std::abs(state.q[1]) < 1e-3);
}

TEST_CASE("limits are kept, and named where they stand in the way") {
    const auto model = compile(two_rods({-0.1, 0.25}));
    JointState<double> state(*model);
    state.q = {0.2, 0.9};
    // The shoulder would have to turn by 1.4 − acos(0.6) = 0.47: with it at its end, the nearest point of the
    // circle of the lower rod.
    const Vec3d wanted = polar(1.2, 1.4);
    InverseKinematics arm(model, {end_at(*model, wanted)});
    const ReachReport report = arm.reach(state);
    CHECK_FALSE(report.reached);
    REQUIRE(report.at_limit.size() == 1);
    CHECK(report.at_limit[0] == "joint 'shoulder'");
    CHECK(state.q[0] == doctest::Approx(0.25).epsilon(1e-9));
    const Vec3d elbow = polar(1, 0.25), way = wanted - elbow;
    CHECK(report.error == doctest::Approx(std::abs(std::hypot(way.x, way.z) - 1)).epsilon(1e-6));
    CHECK(state.q[0] + state.q[1] == doctest::Approx(std::atan2(way.z, way.x)).epsilon(1e-5));
}

TEST_CASE("a path stays on its branch, and ends where it cannot go on") {
    // A four-bar: crank 1, coupler 2, rocker 1.8, ground 2.2; hinges about −y.
    Scene scene;
    const Vec3d axis{0, -1, 0};
    const BodyId crank = scene.add_body(world, {.name = "crank", .inertial = rod_mass(2, {1, 0, 0})});
    scene.add_joint(crank, {.name = "a", .axis = axis});
    const BodyId coupler = scene.add_body(
        crank, {.name = "coupler", .pose = {{1, 0, 0}}, .inertial = rod_mass(3, {1, 0, 0})});
    scene.add_joint(coupler, {.name = "b", .axis = axis});
    const BodyId rocker = scene.add_body(
        world, {.name = "rocker", .pose = {{2.2, 0, 0}}, .inertial = rod_mass(1, {1, 0, 0})});
    scene.add_joint(rocker, {.name = "c", .axis = axis});
    scene.add_loop({.name = "pin",
                    .type = JointType::ball,
                    .body_a = coupler,
                    .body_b = rocker,
                    .frame_a = {{2, 0, 0}},
                    .frame_b = {{1.8, 0, 0}}});
    const auto model = compile(scene);
    // The rocker's angle with the crank at `angle`: the pin is above the line between the far ends of coupler
    // and rocker, or, on the other branch, below.
    const auto rocker_at = [](double angle, double side) {
        const double x = 2.2 - std::cos(angle), z = -std::sin(angle), way = std::hypot(x, z);
        return std::atan2(z, x) + std::numbers::pi -
               side * std::acos((1.8 * 1.8 + way * way - 4) / (2 * 1.8 * way));
    };
    SmoothDynamics dynamics(model);
    JointState<double> state(*model);
    state.q = {0.5, 0.215, 1.466};
    REQUIRE(dynamics.close_equalities(state).closed);
    const double side =
        std::abs(std::remainder(state.q[2] - rocker_at(state.q[0], 1), 2 * std::numbers::pi)) < 1e-6 ? 1 : -1;
    REQUIRE(std::abs(std::remainder(state.q[2] - rocker_at(state.q[0], side), 2 * std::numbers::pi)) < 1e-6);
    // The crank's end goes round in eighths of a turn: 1 + 1.8 < 2 + 2.2, so it can.
    InverseKinematics mechanism(model, {{.body = model->find_body("crank"), .frame = {{1, 0, 0}}}});
    const double begin = state.q[0];
    for (int k = 1; k <= 16; ++k) {
        CAPTURE(k);
        const double angle = begin + k * std::numbers::pi / 4;
        mechanism.targets[0].wanted.pos = {std::cos(angle), 0, std::sin(angle)};
        const ReachReport report = mechanism.reach(state);
        REQUIRE(report.reached);
        CHECK(std::abs(std::remainder(state.q[2] - rocker_at(angle, side), 2 * std::numbers::pi)) < 1e-8);
    }
    // The rocker can turn only so far: at the end crank and coupler are in line.
    mechanism.targets = {{.body = model->find_body("rocker"), .frame = {{1.8, 0, 0}}}};
    mechanism.targets[0].wanted.pos = {2.2 + 1.8, 0, 0};
    const ReachReport report = mechanism.follow(state);
    CHECK_FALSE(report.reached);
    CHECK_FALSE(report.where.empty());
    CHECK(dynamics.equality_errors(state).relative < 1e-11);
}

TEST_CASE("a thousand targets in mechanisms with loops, from a neighbouring pose") {
    Random random(5);
    int asked = 0, reached = 0, iterations = 0;
    double worst = 0, open = 0, beyond = 0;
    for (int seed = 0; asked < 1000 && seed < 2000; ++seed) {
        const auto model = random_model(seed);
        SmoothDynamics dynamics(model);
        if (!dynamics.has_equalities() || model->nv > 40) continue;
        CAPTURE(seed);
        const JointState<double> start = keyframe_state(*model, 0);
        for (int k = 0; k < 10 && asked < 1000; ++k) {
            // A pose that closes everything, some way off, within all limits.
            JointState<double> goal = start;
            for (double& x : goal.v) x = random.uniform(-1, 1);
            if (!dynamics.close_equalities(goal).closed) break;
            integrate<double>(dynamics.ws, goal.q, goal.v, 0.15, goal.q);
            std::fill(goal.v.begin(), goal.v.end(), 0.0);
            if (!dynamics.close_equalities(goal).closed) continue;
            InverseKinematics settled(model, {});
            JointState<double> within = goal;
            const ReachReport own = settled.reach(within);
            if (!own.reached) continue;
            ReachTarget target;
            do target.body = random_index(random, static_cast<int>(model->bodies.size()));
            while (model->bodies[target.body].link < 0);
            target.frame = {random_vec(random, 0.3), random_rotation(random)};
            target.with_axes = k % 2 == 1;
            forward_kinematics(within, dynamics.ws);
            target.wanted = pose_of(dynamics.ws, target);

            ++asked;
            JointState<double> state = start;
            InverseKinematics mechanism(model, {target});
            const ReachReport report = mechanism.reach(state);
            reached += report.reached;
            iterations += report.iterations;
            if (!report.reached) continue;
            forward_kinematics(state, dynamics.ws);
            const Pose found = pose_of(dynamics.ws, target);
            const Vec3d way = found.pos - target.wanted.pos;
            worst = std::max(worst, std::sqrt(dot(way, way)));
            open = std::max(open, dynamics.equality_errors(state).relative);
            JointState<double> closed = state;
            beyond = std::max(beyond, settled.reach(closed).reached ? 0.0 : 1.0);
        }
    }
    MESSAGE(reached, " of ", asked, " reached, ", double(iterations) / asked, " iterations each");
    CHECK(asked == 1000);
    CHECK(reached == asked);
    CHECK(worst < 1e-9);
    CHECK(open < 1e-11);
    CHECK(beyond == 0);
}
