// Kinematic bodies that are put elsewhere between steps, and keyframes that are not closed.

#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace lig;

namespace {

constexpr double upper_length = 1, lower_length = 0.8;
const std::string closing_formulations[] = {"reduced", "multiplier", "implicit"};

// A two-link arm in the x–z plane whose wrist is held by a kinematic hand at (x, z), without gravity: the
// hand determines both angles but for the side of the elbow.
Scene held_arm() {
    Scene scene("held arm");
    scene.options.gravity = {0, 0, 0};
    const BodyId hand = scene.add_body(world, {.name = "hand", .pose = {{1.2, 0, 0.5}}, .kinematic = true});
    const auto rod = [](double length) {
        return InertialSpec{.mass = 1,
                            .frame = {.pos = {0.5 * length, 0, 0}},
                            .inertia = Sym3d::diagonal(0.001, length * length / 12, length * length / 12)};
    };
    const BodyId upper = scene.add_body(world, {.name = "upper", .inertial = rod(upper_length)});
    scene.add_joint(upper, {.name = "shoulder", .axis = {0, 1, 0}});
    const BodyId lower = scene.add_body(
        upper, {.name = "lower", .pose = {{upper_length, 0, 0}}, .inertial = rod(lower_length)});
    scene.add_joint(lower, {.name = "elbow", .axis = {0, 1, 0}});
    scene.add_loop({.name = "grip", .body_a = hand, .body_b = lower, .frame_b = {{lower_length, 0, 0}}});
    return scene;
}

// The angles about y, by the law of cosines; side: the sign of the elbow's.
std::vector<double> reach(double x, double z, double side) {
    const double r2 = x * x + z * z;
    const double elbow = side * std::acos((r2 - upper_length * upper_length - lower_length * lower_length) /
                                          (2 * upper_length * lower_length));
    // A rotation about y by q leads x to (cos q, −sin q).
    return {-std::atan2(z, x) - std::atan2(lower_length * std::sin(elbow),
                                           upper_length + lower_length * std::cos(elbow)),
            elbow};
}

Simulation holding(const std::shared_ptr<const Model>& model, const std::string& formulation, double side) {
    Simulation sim(model, {.formulation = formulation});
    JointState<double> state = sim.state();
    state.q = reach(1.2, 0.5, side);
    sim.set_state(state);
    return sim;
}

void put(Simulation& sim, const char* body, const Vec3d& pos) {
    const int index = sim.model().find_body(body);
    BaseMotion<double> motion;
    motion.pos = pos;
    motion.quat = Quatd::identity();
    motion.velocity = motion.acceleration = Motion<double>::zero();
    sim.set_kinematic(index, motion);
}

}  // namespace

TEST_CASE("leaps: an arm follows the hand that holds it, with its elbow on the side where it is") {
    const auto model = compile(held_arm());
    for (const std::string& formulation : closing_formulations)
        for (const double side : {1.0, -1.0})
            for (const Vec3d& leap : {Vec3d{0.1, 0, 0}, {-0.1, 0, 0.05}, {0, 0, -0.8}, {-0.9, 0, -0.1}}) {
                CAPTURE(formulation);
                CAPTURE(side);
                CAPTURE(leap.x);
                CAPTURE(leap.z);
                Simulation sim = holding(model, formulation, side);
                REQUIRE(sim.step(0.001).status == StepStatus::ok);
                const Vec3d to = Vec3d{1.2, 0, 0.5} + leap;
                put(sim, "hand", to);
                const StepReport report = sim.step(0.001);
                REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
                CHECK(report.fallback.find("'grip'") != std::string::npos);
                const std::vector<double> angles = reach(to.x, to.z, side);
                CHECK(std::abs(sim.state().q[0] - angles[0]) < 1e-6);
                CHECK(std::abs(sim.state().q[1] - angles[1]) < 1e-6);
                CHECK(sim.energy().kinetic < 1e-9);
                CHECK(sim.step(0.001).fallbacks == 0);
            }
}

TEST_CASE("leaps: where it does not reach, the step says what to do, and nothing has changed") {
    const auto model = compile(held_arm());
    for (const std::string& formulation : closing_formulations) {
        CAPTURE(formulation);
        Simulation sim = holding(model, formulation, 1);
        REQUIRE(sim.step(0.001).status == StepStatus::ok);
        put(sim, "hand", {3, 0, 0});
        const JointState<double> before = sim.state();
        for (int time = 0; time < 2; ++time) {
            const StepReport report = sim.step(0.001);
            CHECK(report.status == StepStatus::equality_open);
            // By the loop, or by a joint that gives way.
            CHECK(report.where.find('\'') != std::string::npos);
            CHECK(report.where.find("move them less at once") != std::string::npos);
            CHECK(sim.state().q == before.q);
            CHECK(sim.state().v == before.v);
        }
        put(sim, "hand", {1.1, 0, 0.4});
        CHECK(sim.step(0.001).status == StepStatus::ok);
    }
}

TEST_CASE("leaps: a snapshot between a leap and its step goes on with the same bits") {
    const auto model = compile(held_arm());
    for (const std::string& formulation : closing_formulations) {
        CAPTURE(formulation);
        Simulation sim = holding(model, formulation, 1);
        REQUIRE(sim.step(0.001).status == StepStatus::ok);
        put(sim, "hand", {1.1, 0, 0.3});
        Simulation other(model, {.formulation = formulation});
        other.restore(sim.save());
        for (int k = 0; k < 3; ++k) {
            REQUIRE(sim.step(0.001).status == StepStatus::ok);
            REQUIRE(other.step(0.001).status == StepStatus::ok);
            CHECK(sim.state().q == other.state().q);
            CHECK(sim.state().v == other.state().v);
        }
    }
}

// The arm hangs on one kinematic body and is held by another.
TEST_CASE("leaps: bodies that are moved together, one after the other, take along what is between them") {
    Scene scene("carried arm");
    scene.options.gravity = {0, 0, 0};
    const BodyId left = scene.add_body(world, {.name = "left", .kinematic = true});
    const BodyId right = scene.add_body(world, {.name = "right", .pose = {{1.2, 0, 0}}, .kinematic = true});
    const InertialSpec rod{
        .mass = 1, .frame = {.pos = {0.5, 0, 0}}, .inertia = Sym3d::diagonal(0.01, 0.1, 0.1)};
    const BodyId upper = scene.add_body(left, {.name = "upper", .inertial = rod});
    scene.add_joint(upper, {.name = "shoulder", .axis = {0, 1, 0}});
    const BodyId lower = scene.add_body(upper, {.name = "lower", .pose = {{1, 0, 0}}, .inertial = rod});
    scene.add_joint(lower, {.name = "elbow", .axis = {0, 1, 0}});
    scene.add_loop({.name = "grip", .body_a = right, .body_b = lower, .frame_b = {{1, 0, 0}}});
    const auto model = compile(scene);
    const double angle = std::acos(0.6);
    for (const std::string& formulation : closing_formulations) {
        CAPTURE(formulation);
        Simulation sim(model, {.formulation = formulation});
        JointState<double> state = sim.state();
        state.q = {-angle, 2 * angle};
        sim.set_state(state);
        REQUIRE(sim.step(0.001).status == StepStatus::ok);
        // Each by itself further than the arm reaches.
        put(sim, "left", {5, 0, 0});
        put(sim, "right", {6.2, 0, 0});
        const StepReport report = sim.step(0.001);
        REQUIRE_MESSAGE(report.status == StepStatus::ok, report.where);
        CHECK(report.fallbacks == 0);
        CHECK(std::abs(sim.state().q[0] + angle) < 1e-9);
        CHECK(std::abs(sim.state().q[1] - 2 * angle) < 1e-9);
    }
}

TEST_CASE("leaps: loops of `impulse` pull what they hold by themselves") {
    const auto model = compile(held_arm());
    Simulation sim = holding(model, "impulse", 1);
    REQUIRE(sim.step(1.0 / 60).status == StepStatus::ok);
    put(sim, "hand", {1.3, 0, 0.5});
    for (int k = 0; k < 120; ++k) REQUIRE(sim.step(1.0 / 60).status == StepStatus::ok);
    const std::vector<double> angles = reach(1.3, 0.5, 1);
    CHECK(std::abs(sim.state().q[1] - angles[1]) < 0.05);
}

// As soft formulations have them: two joints of a gripper, 0.4 rad apart.
TEST_CASE("leaps: a keyframe that is not closed is closed within the ranges of its joints") {
    Scene scene("gripper");
    scene.options.gravity = {0, 0, 0};
    const InertialSpec finger{
        .mass = 0.1, .frame = {.pos = {0.05, 0, 0}}, .inertia = Sym3d::diagonal(1e-5, 1e-4, 1e-4)};
    JointId joints[2];
    for (int k = 0; k < 2; ++k) {
        const BodyId body = scene.add_body(
            world, {.name = "finger" + std::to_string(k), .pose = {{0, 0.1 * k, 0}}, .inertial = finger});
        joints[k] = scene.add_joint(body, {.name = "joint" + std::to_string(k), .axis = {0, 1, 0}});
        scene.joint(joints[k]).range[0] = {-1, k == 1 ? 0.0 : 1.0};
    }
    scene.add_coupling({.name = "mirror",
                        .follower = joints[0],
                        .leader = joints[1],
                        .coefficients = {0, -1, 0, 0, 0}});
    scene.add_keyframe({.name = "half", .qpos = {0.4, 0}});
    const auto model = compile(scene);
    for (const std::string& formulation : closing_formulations) {
        CAPTURE(formulation);
        Simulation sim(model, {.formulation = formulation});
        sim.reset(0);
        // Equal inertias meet halfway.
        CHECK(sim.state().q[0] == doctest::Approx(0.2).epsilon(1e-9));
        CHECK(sim.state().q[1] == doctest::Approx(-0.2).epsilon(1e-9));
        CHECK(sim.step(0.01).status == StepStatus::ok);
    }
}
