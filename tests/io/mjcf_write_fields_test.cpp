// Every field of a scene comes through: each has a value of its own here that is not its default, and numbers
// that are not short in decimal.

#include "io/support.h"
#include "support/model_compare.h"
#include "support/pair_samples.h"

#include <ligament/load.h>
#include <ligament/save.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// Numbers that no short text and no rounding gives back by accident.
class Numbers {
public:
    double next() { return std::sqrt(2.0 + count_++); }
    double single() { return static_cast<float>(next()); }  // vertices have single precision
    double small() { return next() / 100; }
    Vec3d vec() { return {next(), -next(), next()}; }
    Pose pose() { return {vec(), {next(), next(), -next(), next()}}; }
    template <std::size_t N>
    std::array<double, N> list() {
        std::array<double, N> out;
        for (double& x : out) x = next();
        return out;
    }
    Softness soft() { return {.solref = list<2>(), .solimp = {0.1, 0.2, small(), 0.3, next()}}; }
    Range range() { return {-next(), next()}; }
    std::array<double, 4> rgba() { return {small(), small(), small(), small()}; }

private:
    int count_ = 0;
};

InertialSpec inertial(Numbers& n) {
    return {
        .mass = n.next(), .frame = n.pose(), .inertia = {2.1, 2.2, 2.3, n.small(), -n.small(), n.small()}};
}

JointSpec joint(Numbers& n, const char* name, JointType type) {
    JointSpec j{.name = name, .type = type, .pos = n.vec(), .axis = n.vec()};
    j.axis2 = cross(j.axis, n.vec());
    j.armature = n.next();
    j.damping = n.next();
    j.damping_poly = n.list<2>();
    j.stiffness = n.next();
    j.stiffness_poly = n.list<2>();
    j.friction_loss = n.next();
    j.margin = n.small();
    j.soft_limit = n.soft();
    j.soft_friction = n.soft();
    j.group = 3;
    return j;
}

Scene full_scene() {
    Numbers n;
    Scene scene("every field");
    Options& o = scene.options;
    o.timestep = n.small();
    o.gravity = n.vec();
    o.integrator = Integrator::implicitfast;
    o.wind = n.vec();
    o.density = n.next();
    o.viscosity = n.next();
    o.magnetic = n.vec();
    o.impratio = n.next();
    o.elliptic_cone = true;
    o.enabled = {.constraint = false,
                 .equality = false,
                 .friction_loss = false,
                 .limit = false,
                 .contact = false,
                 .spring = false,
                 .damper = false,
                 .actuation = false,
                 .sensor = false,
                 .clamp_control = false,
                 .filter_parent = false};
    o.disabled_actuator_groups = {2, 5};
    scene.inertia_rules = {
        .min_mass = 0.01, .min_inertia = 1e-5, .balance = true, .total_mass = n.next()};

    scene.add_mesh({.name = "tetrahedron",
                    .scale = {1, 2, 3},
                    .ref_pos = n.vec(),
                    .ref_quat = {0.6, 0, 0.8, 0},
                    .inertia = MeshInertia::exact,
                    .max_hull_vertices = 4,
                    .mesh = std::make_shared<TriangleMesh>(
                        TriangleMesh{{{0, 0, 0}, {n.single(), 0, 0}, {0, n.single(), 0}, {0, 0, n.single()}},
                                     {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}})});
    scene.add_height_field({.name = "hills",
                            .rows = 2,
                            .columns = 3,
                            .size = {1, 2, 3, 0.1},
                            .elevation = std::make_shared<std::vector<double>>(
                                std::vector<double>{0, 0.1, 0.2, 1, std::sqrt(0.5), 0.3})});

    scene.add_body(
        world, {.name = "mocap", .pose = n.pose(), .inertial = inertial(n), .kinematic = true});
    const BodyId a = scene.add_body(world, {.name = "a", .pose = n.pose(), .gravity_scale = 0.25});
    JointSpec free{.name = "free", .type = JointType::free};
    free.group = 2;
    scene.add_joint(a, free);
    const BodyId b = scene.add_body(a, {.name = "b", .pose = n.pose(), .inertial = inertial(n)});
    JointSpec hinge = joint(n, "hinge", JointType::hinge);
    hinge.reference = n.next();
    hinge.spring_reference = n.next();
    hinge.range[0] = n.range();
    hinge.effort = n.range();
    hinge.actuators_carry_gravity = true;
    hinge.velocity_limit = n.next();
    const JointId hinge_id = scene.add_joint(b, hinge);
    JointSpec slide = joint(n, "slide", JointType::slide);
    slide.range[0] = {-n.next(), INFINITY};
    slide.reference = n.next();  // and the spring rests there
    const JointId slide_id = scene.add_joint(b, slide);
    const BodyId c = scene.add_body(b, {.name = "c", .pose = n.pose(), .inertial = inertial(n)});
    JointSpec ball = joint(n, "ball", JointType::ball);
    ball.cone = n.next();
    ball.swing = n.next();
    ball.twist = n.range();
    scene.add_joint(c, ball);
    const BodyId d = scene.add_body(c, {.name = "d", .pose = n.pose(), .inertial = inertial(n)});
    JointSpec universal = joint(n, "universal", JointType::universal);
    universal.range = {n.range(), n.range(), Range{}};
    scene.add_joint(d, universal);
    JointSpec screw = joint(n, "screw", JointType::screw);
    screw.pitch = n.small();
    screw.reference = n.next();
    screw.spring_reference = n.next();
    screw.range[0] = {1, 1};
    screw.effort = {0, 0};
    scene.add_joint(d, screw);
    const BodyId e = scene.add_body(d, {.name = "e", .pose = n.pose(), .inertial = inertial(n)});
    JointSpec planar = joint(n, "planar", JointType::planar);
    planar.range = {Range{}, n.range(), Range{}};
    scene.add_joint(e, planar);
    JointSpec cylindrical = joint(n, "cylindrical", JointType::cylindrical);
    cylindrical.range = {n.range(), n.range(), Range{}};
    scene.add_joint(e, cylindrical);
    const BodyId f = scene.add_body(e, {.name = "f", .pose = n.pose(), .inertial = inertial(n)});
    JointSpec tuned = joint(n, "tuned", JointType::hinge);
    tuned.stiffness = tuned.damping = 0;
    tuned.stiffness_poly = tuned.damping_poly = {0, 0};
    tuned.spring_damper = n.list<2>();
    scene.add_joint(f, tuned);
    JointSpec sprung = joint(n, "sprung", JointType::ball);
    sprung.stiffness = 0;
    sprung.stiffness_poly = {0, 0};
    sprung.axis_stiffness = {n.next(), n.next(), n.next()};
    sprung.stiffness_axes = n.pose().quat;
    scene.add_joint(f, sprung);

    scene.add_body(world,
                   {.name = "flat", .pose = n.pose(), .inertial = inertial(n), .kind = BodyKind::planar});
    scene.add_body(world, {.pose = n.pose(), .inertial = inertial(n), .kind = BodyKind::particle});
    const BodyId afloat = scene.add_body(world, {.pose = n.pose(), .inertial = inertial(n)});
    scene.add_joint(afloat, {.type = JointType::free, .align = true});

    GeomSpec geom{.name = "box", .shape = ShapeType::box, .pose = n.pose(), .size = n.vec()};
    geom.size.y = 0.5;
    geom.density = n.next();
    geom.shell = true;
    geom.contype = 2;
    geom.conaffinity = 5;
    geom.condim = 6;
    geom.group = 1;
    geom.priority = 2;
    geom.friction = {n.next(), n.next(), n.next()};
    geom.restitution = 0.3;
    geom.margin = n.small();
    geom.gap = n.small();
    geom.adhesion = n.next();
    geom.solmix = n.next();
    geom.soft = n.soft();
    geom.rgba = n.rgba();
    const GeomId box = scene.add_geom(a, geom);
    const GeomId wrapped =
        scene.add_geom(b, {.name = "ball",
                           .size = {0.1, 0, 0},
                           .mass = n.next(),
                           .collides = false,
                           .contype = 0,
                           .conaffinity = 0,
                           .fluid = FluidSpec{n.next(), n.next(), n.next(), n.next(), n.next()}});
    scene.add_geom(c, {.shape = ShapeType::mesh, .mesh = "tetrahedron"});
    scene.add_geom(world, {.shape = ShapeType::heightfield, .size = {1, 2, 0.8}, .mesh = "hills"});
    scene.add_geom(world, {.shape = ShapeType::plane, .size = {0, 0, 0.1}});
    scene.add_geom(world, {.shape = ShapeType::trimesh, .pose = n.pose(), .mesh = "tetrahedron"});

    const SiteId tip = scene.add_site(c, {.name = "tip",
                                          .pose = n.pose(),
                                          .shape = ShapeType::box,
                                          .size = {0.1, 0.2, 0.3},
                                          .group = 2,
                                          .rgba = n.rgba()});
    const SiteId second = scene.add_site(d, {.name = "second", .pose = n.pose()});
    const SiteId base = scene.add_site(world, {.name = "base", .pose = n.pose()});
    const CameraId camera = scene.add_camera(b, {.name = "eye",
                                                 .pose = n.pose(),
                                                 .mode = CameraMode::targetbody,
                                                 .target = a,
                                                 .orthographic = true,
                                                 .fovy = n.next(),
                                                 .resolution = {64, 48}});
    scene.add_camera(world, {.name = "lens",
                             .pose = n.pose(),
                             .mode = CameraMode::trackcom,
                             .resolution = {640, 480},
                             .sensor_size = {n.small(), n.small()},
                             .focal_length = {n.small(), n.small()},
                             .principal_point = {n.small(), n.small()}});

    scene.add_loop({.name = "hinged",
                    .type = JointType::hinge,
                    .body_a = a,
                    .body_b = d,
                    .frame_a = n.pose(),
                    .frame_b = n.pose(),
                    .active = false,
                    .soft = n.soft()});
    const LoopId screwed = scene.add_loop({.name = "screwed",
                                           .type = JointType::screw,
                                           .body_a = a,
                                           .body_b = world,
                                           .frame_a = n.pose(),
                                           .frame_b = n.pose(),
                                           .pitch = n.small()});
    scene.add_loop({.name = "welded",
                    .type = JointType::fixed,
                    .body_a = world,
                    .body_b = d,
                    .frame_a = n.pose(),
                    .frame_b = n.pose(),
                    .torque_scale = n.next()});
    scene.add_loop({.type = JointType::ball,
                    .body_a = a,
                    .body_b = d,
                    .frame_a = n.pose(),
                    .frame_b = n.pose(),
                    .torque_scale = n.next()});
    scene.add_coupling({.name = "poly",
                        .follower = hinge_id,
                        .leader = slide_id,
                        .coefficients = n.list<5>(),
                        .active = false,
                        .soft = n.soft()});
    scene.add_coupling({.follower = slide_id, .coefficients = {n.next(), 1, 0, 0, 0}});

    TendonSpec fixed{.name = "fixed"};
    fixed.joints = {{hinge_id, n.next()}, {slide_id, -n.next()}, {.coefficient = n.next(), .loop = screwed}};
    fixed.range = n.range();
    fixed.margin = n.small();
    fixed.stiffness = n.next();
    fixed.damping = n.next();
    fixed.friction_loss = n.next();
    fixed.armature = n.next();
    fixed.stiffness_poly = n.list<2>();
    fixed.damping_poly = n.list<2>();
    fixed.spring_length = std::array<double, 2>{1, n.next()};
    fixed.effort = n.range();
    fixed.soft_limit = n.soft();
    fixed.soft_friction = n.soft();
    fixed.group = 4;
    const TendonId fixed_id = scene.add_tendon(fixed);
    TendonSpec spatial{.name = "spatial"};
    spatial.spring_length = std::array<double, 2>{n.next(), 0};
    (*spatial.spring_length)[1] = (*spatial.spring_length)[0];
    spatial.width = n.small();
    spatial.rgba = n.rgba();
    using Stop = TendonStop::Kind;
    spatial.stops = {{.kind = Stop::site, .site = base},
                     {.kind = Stop::geom, .geom = wrapped, .side_site = tip},
                     {.kind = Stop::site, .site = tip},
                     {.kind = Stop::pulley, .divisor = n.next()},
                     {.kind = Stop::site, .site = tip},
                     {.kind = Stop::site, .site = second}};
    const TendonId spatial_id = scene.add_tendon(spatial);
    scene.add_tendon_coupling({.name = "strings",
                               .follower = fixed_id,
                               .leader = spatial_id,
                               .coefficients = n.list<5>(),
                               .active = false,
                               .soft = n.soft()});
    scene.add_tendon_coupling({.follower = spatial_id, .coefficients = {n.small(), 1, 0, 0, 0}});

    ActuatorSpec motor{.name = "motor", .joint = hinge_id};
    motor.gear = n.list<6>();
    motor.ctrl_range = n.range();
    motor.force_range = {-INFINITY, n.next()};
    motor.damping = n.next();
    motor.damping_poly = n.list<2>();
    motor.armature = n.next();
    motor.group = 5;
    const ActuatorId motor_id = scene.add_actuator(motor);
    ActuatorSpec filtered{.name = "filtered", .transmission = Transmission::tendon, .tendon = fixed_id};
    filtered.activation = Activation::filter;
    filtered.time_constant = n.next();
    filtered.act_early = true;
    filtered.gain = n.list<3>();
    filtered.bias = n.list<3>();
    filtered.act_range = n.range();
    scene.add_actuator(filtered);
    ActuatorSpec thruster{.transmission = Transmission::site, .site = tip, .reference_site = base};
    thruster.gear = n.list<6>();
    scene.add_actuator(thruster);
    scene.add_actuator({.transmission = Transmission::slider_crank,
                        .site = tip,
                        .slider_site = base,
                        .crank_length = n.next()});
    scene.add_actuator({.transmission = Transmission::joint_in_parent, .joint = {3}});
    scene.add_actuator({.transmission = Transmission::body, .body = d, .gain = {n.next(), 0, 0}});
    ActuatorSpec servo{.joint = hinge_id};
    servo.activation = Activation::filter_exact;
    servo.time_constant = n.small();
    servo.gain[0] = n.next();
    servo.bias[1] = -servo.gain[0];
    servo.damping_ratio = n.next();
    scene.add_actuator(servo);
    ActuatorSpec tuned_servo{.joint = slide_id};
    tuned_servo.bias[1] = -1;
    tuned_servo.frequency = n.next();
    tuned_servo.damping_ratio = n.next();
    scene.add_actuator(tuned_servo);

    scene.add_pair({.name = "pair",
                    .a = box,
                    .b = wrapped,
                    .condim = 4,
                    .friction = n.list<5>(),
                    .restitution = 0.4,
                    .margin = n.small(),
                    .gap = n.small(),
                    .adhesion = n.next(),
                    .soft = n.soft(),
                    .solref_friction = n.list<2>()});
    scene.exclude_collision(a, d, "never");
    scene.exclude_collision(world, b);

    using Object = ObjectRef::Kind;
    const auto sensor = [&](SensorType type, ObjectRef object, ObjectRef reference = {}) {
        SensorSpec spec{.name = "", .type = type, .object = object, .reference = reference};
        spec.cutoff = n.next();
        spec.noise = n.small();
        scene.add_sensor(spec);
    };
    sensor(SensorType::gyro, {Object::site, second.index});
    sensor(SensorType::jointpos, {Object::joint, hinge_id.index});
    sensor(SensorType::tendonvel, {Object::tendon, spatial_id.index});
    sensor(SensorType::actuatorfrc, {Object::actuator, motor_id.index});
    sensor(SensorType::framepos, {Object::xbody, c.index}, {Object::camera, camera.index});
    sensor(SensorType::framelinvel, {Object::geom, box.index}, {Object::body, b.index});
    sensor(SensorType::clock, {});
    scene.add_sensor({.name = "named", .type = SensorType::e_kinetic});

    KeyframeSpec key{.name = "key", .time = n.next()};
    const auto fill = [&](std::vector<double>& list, int count) {
        for (int k = 0; k < count; ++k) list.push_back(n.next());
    };
    fill(key.qpos, 7 + 1 + 1 + 4 + 2 + 1 + 3 + 2 + 1 + 4 + 7 + 3 + 3);
    fill(key.qvel, 6 + 1 + 1 + 3 + 2 + 1 + 3 + 2 + 1 + 3 + 6 + 3 + 3);
    fill(key.act, 2);
    fill(key.ctrl, 7);
    fill(key.mpos, 3);
    fill(key.mquat, 4);
    scene.add_keyframe(key);
    scene.add_keyframe({});

    scene.add_loop({.name = "closing",
                    .type = JointType::ball,
                    .body_a = a,
                    .body_b = d,
                    .frame_a = n.pose(),
                    .frame_b = n.pose(),
                    .closing_time = n.next()});
    scene.add_bushing({.name = "mount",
                       .body_a = b,
                       .body_b = d,
                       .frame_a = n.pose(),
                       .frame_b = n.pose(),
                       .stiffness = {n.next(), n.next(), n.next()},
                       .damping = {n.next(), n.next(), n.next()},
                       .turn_stiffness = {n.next(), n.next(), n.next()},
                       .turn_damping = {n.next(), n.next(), n.next()},
                       .active = false});
    scene.add_bushing({.body_a = world,
                       .body_b = a,
                       .frame_a = n.pose(),
                       .frequency = n.next(),
                       .turn_frequency = n.next(),
                       .damping_ratio = n.next()});
    for (const auto& sample : pair_samples())
        scene.add_constraint({.name = "pair" + std::to_string(scene.constraints().size()),
                              .body_a = scene.constraints().size() % 3 == 0 ? world : a,
                              .body_b = d,
                              .frame_a = n.pose(),
                              .frame_b = n.pose(),
                              .constraint = sample,
                              .active = scene.constraints().size() % 2 == 0,
                              .soft = n.soft()});
    scene.add_constraint(
        {.body_a = d, .body_b = world, .constraint = std::make_shared<GearConstraint>(n.next())});
    return scene;
}

}  // namespace

TEST_CASE("MJCF written: every field of a scene") {
    const Scene scene = full_scene();
    const std::string text = write_mjcf(scene);
    CAPTURE(text);
    Diagnostics log;
    const Scene again = parse_scene(text, "full.xml", {}, log);
    CHECK(all_text(log) == "");
    // Writing what was read gives the same text: nothing of it was lost or rounded.
    CHECK(write_mjcf(again) == text);

    const ModelComparison comparison(*compile(scene), *compile(again));
    CHECK(comparison.first_difference() == "");
}
