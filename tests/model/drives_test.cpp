// Compiling tendons and actuators: what is refused, and what is left in the model.

#include "model/support_scene.h"

#include <ligament/state.h>

#include <limits>

using namespace lig;
using namespace lig::test;

namespace {

// Two hinges in a row, a site on each body and one on the world.
struct Arm {
    Scene scene{"arm"};
    BodyId upper = scene.add_body(world, body_named("upper"));
    BodyId lower = scene.add_body(upper, body_named("lower", {1, 0, 0}));
    BodyId glued = scene.add_body(lower, body_named("glued", {1, 0, 0}));
    JointId shoulder = scene.add_joint(upper, {.name = "shoulder"});
    JointId elbow = scene.add_joint(lower, {.name = "elbow"});
    JointId weld = scene.add_joint(glued, {.name = "weld", .type = JointType::fixed});
    SiteId on_world = scene.add_site(world, {.name = "on_world", .pose = {{0, 1, 0}}});
    SiteId on_upper = scene.add_site(upper, {.name = "on_upper", .pose = {{0.5, 0.1, 0}}});
    SiteId on_lower = scene.add_site(lower, {.name = "on_lower", .pose = {{0.5, 0.1, 0}}});
    GeomId post = scene.add_geom(upper, {.name = "post", .shape = ShapeType::cylinder, .size = {0.1, 1, 0}});
    GeomId box = scene.add_geom(upper, {.name = "box", .shape = ShapeType::box, .size = {0.1, 1, 1}});

    static TendonStop site(SiteId id) { return {.kind = TendonStop::Kind::site, .site = id}; }
    static TendonStop geom(GeomId id) { return {.kind = TendonStop::Kind::geom, .geom = id}; }
    static TendonStop pulley(double divisor) {
        return {.kind = TendonStop::Kind::pulley, .divisor = divisor};
    }
    Scene with(TendonSpec tendon) const {
        Scene copy = scene;
        tendon.name = "cord";
        copy.add_tendon(std::move(tendon));
        return copy;
    }
    Scene with_path(std::vector<TendonStop> stops) const { return with({.stops = std::move(stops)}); }
    Scene with(ActuatorSpec actuator) const {
        Scene copy = scene;
        actuator.name = "motor";
        copy.add_actuator(std::move(actuator));
        return copy;
    }
};

std::vector<int> velocities(const Model& model, const Model::Row& row) {
    const auto begin = model.row_velocities.begin() + row.begin;
    return {begin, begin + row.count};
}

}  // namespace

TEST_CASE("compile E051: tendons and actuators act on joints that move") {
    const Arm arm;
    check_diagnosed(arm.with(TendonSpec{.joints = {{arm.weld}}}), "E051", "'cord'");
    check_diagnosed(arm.with(ActuatorSpec{.joint = arm.weld}), "E051", "'motor'");
    Arm other;
    const JointId ball = other.scene.add_joint(other.scene.add_body(world, body_named("b")),
                                               {.name = "hip", .type = JointType::ball});
    check_diagnosed(other.with(TendonSpec{.joints = {{ball}}}), "E051", "'hip'");
}

TEST_CASE("compile E052: the path of a tendon is complete") {
    const Arm arm;
    const TendonStop a = Arm::site(arm.on_world), b = Arm::site(arm.on_lower), g = Arm::geom(arm.post);
    check_diagnosed(arm.with(TendonSpec{}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a, Arm::pulley(2), a, b}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a, b, Arm::pulley(2)}), "E052", "'cord'");
    check_diagnosed(arm.with_path({g, a, b}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a, b, g}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a, g, g, b}), "E052", "'cord'");
    check_diagnosed(arm.with_path({a, Arm::geom(arm.box), b}), "E052", "'box'");
    CHECK(Compiled(arm.with_path({Arm::pulley(2), a, g, b, Arm::pulley(3), a, b})).log.all().empty());
}

TEST_CASE("compile W053, W054: tendons without length, cranks out of reach") {
    const Arm arm;
    check_diagnosed(arm.with_path({Arm::site(arm.on_world), Arm::site(arm.on_world)}), "W053", "'cord'");
    ActuatorSpec crank{.transmission = Transmission::slider_crank,
                       .site = arm.on_lower,
                       .slider_site = arm.on_world,
                       .crank_length = 0.5};
    check_diagnosed(arm.with(crank), "W054", "'motor'");
    crank.crank_length = 3;
    CHECK(Compiled(arm.with(crank)).log.all().empty());
    crank.crank_length = 0;
    check_diagnosed(arm.with(crank), "E031", "crank length");
}

TEST_CASE("compile E055, U056: settings that do not fit") {
    const Arm arm;
    const ActuatorSpec on_site{.transmission = Transmission::site, .site = arm.on_upper, .damping = 1};
    check_diagnosed(arm.with(on_site), "E055", "'motor'");
    check_diagnosed(arm.with(ActuatorSpec{.joint = arm.elbow, .damping_ratio = 1}), "E055", "'motor'");
    check_diagnosed(
        arm.with(ActuatorSpec{.transmission = Transmission::site, .site = arm.on_upper, .frequency = 1}),
        "E055", "'motor'");
    check_diagnosed(arm.with(TendonSpec{.stops = {Arm::site(arm.on_world), Arm::geom(arm.post),
                                                  Arm::site(arm.on_lower)},
                                        .armature = 1}),
                    "U056", "'cord'");
}

TEST_CASE("compile: numbers of tendons and actuators are checked") {
    const Arm arm;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<TendonSpec::JointTerm> joints{{arm.elbow}};
    check_diagnosed(arm.with(TendonSpec{.joints = joints, .stiffness = -1}), "E031", "stiffness");
    check_diagnosed(arm.with(TendonSpec{.joints = {{arm.elbow, nan}}}), "E031", "coefficient");
    check_diagnosed(arm.with(TendonSpec{.joints = joints, .range = {1, 0}}), "E038", "range");
    check_diagnosed(arm.with(TendonSpec{.joints = joints, .spring_length = {{2, 1}}}), "E038",
                    "spring length");
    check_diagnosed(arm.with_path({Arm::site(arm.on_world), Arm::site(arm.on_lower), Arm::pulley(0),
                                   Arm::site(arm.on_world), Arm::site(arm.on_lower)}),
                    "E031", "divisor");
    check_diagnosed(arm.with(ActuatorSpec{.joint = arm.elbow, .gear = {nan}}), "E031", "gear");
    check_diagnosed(arm.with(ActuatorSpec{.joint = arm.elbow, .ctrl_range = {1, -1}}), "E038", "control");
    check_diagnosed(arm.with(ActuatorSpec{.joint = arm.elbow, .frequency = 0}), "E031", "frequency");
}

TEST_CASE("compile: rows hold the velocities that change a length") {
    const Arm arm;
    const auto row_of = [&](std::vector<TendonStop> stops) {
        const Compiled result(arm.with_path(std::move(stops)));
        REQUIRE(result.model);
        return velocities(*result.model, result.model->tendons[0].row);
    };
    const TendonStop w = Arm::site(arm.on_world), u = Arm::site(arm.on_upper), l = Arm::site(arm.on_lower);
    CHECK(row_of({w, u}) == std::vector<int>{0});
    CHECK(row_of({u, l}) == std::vector<int>{1});
    CHECK(row_of({w, l}) == std::vector<int>{0, 1});
    CHECK(row_of({u, l, Arm::pulley(2), w, u}) == std::vector<int>{0, 1});
}

TEST_CASE("compile: actuators are counted, and their groups switched off") {
    Arm arm;
    arm.scene.options.disabled_actuator_groups = {4};
    arm.scene.add_actuator({.name = "plain", .joint = arm.elbow});
    arm.scene.add_actuator(
        {.name = "stateful", .joint = arm.elbow, .activation = Activation::filter, .group = 4});
    arm.scene.add_actuator({.name = "last", .joint = arm.elbow, .activation = Activation::integrator});
    arm.scene.add_keyframe({.name = "k", .act = {1, 2}, .ctrl = {3, 4, 5}});
    const Compiled result(arm.scene);
    REQUIRE(result.model);
    const Model& model = *result.model;
    CHECK(model.nu == 3);
    CHECK(model.na == 2);
    CHECK(model.actuators[0].act_adr == -1);
    CHECK(model.actuators[1].act_adr == 0);
    CHECK(model.actuators[2].act_adr == 1);
    CHECK(model.actuators[0].enabled);
    CHECK_FALSE(model.actuators[1].enabled);
    CHECK(model.keyframes[0].ctrl == std::vector<double>{3, 4, 5});
    CHECK(keyframe_state(model, 0).act == std::vector<double>{1, 2});
}

TEST_CASE("compile: a motor's rotor and friction count through the square of its gear") {
    Arm arm;
    arm.scene.joint(arm.elbow).armature = 0.5;
    arm.scene.joint(arm.elbow).damping = 0.25;
    arm.scene.add_actuator({.joint = arm.elbow,
                            .gear = {3},
                            .damping = 0.1,
                            .armature = 0.2,
                            .damping_poly = {0.01, 0.02}});
    const Compiled result(arm.scene);
    REQUIRE(result.model);
    const Model::Joint& elbow = result.model->joints[1];
    CHECK(elbow.armature == doctest::Approx(0.5 + 9 * 0.2));
    CHECK(elbow.damping == doctest::Approx(0.25 + 9 * 0.1));
    CHECK(elbow.damping_poly[1] == doctest::Approx(9 * 0.02));
    CHECK(result.model->tree.armature[1] == elbow.armature);
}

TEST_CASE("compile: springs by time constant and damping ratio") {
    // One body on a hinge: moment 1 about the axis. k = m / (t ζ)², d = 2 m / t.
    OneHinge one;
    one.scene.joint(one.joint).spring_damper = {{0.5, 0.8}};
    const Compiled result(one.scene);
    REQUIRE(result.model);
    CHECK(result.model->joints[0].stiffness == doctest::Approx(1 / (0.4 * 0.4)).epsilon(1e-14));
    CHECK(result.model->joints[0].damping == doctest::Approx(4).epsilon(1e-14));
    one.scene.joint(one.joint).spring_damper = {{0, 0.8}};
    check_diagnosed(one.scene, "W048", "'elbow'");
}
