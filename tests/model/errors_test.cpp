// Every code that compile reports: the scene that causes it, and the name in the message.

#include "core/diagnostic_codes.h"
#include "model/support_scene.h"

#include <ligament/pair_kinds.h>

#include <cmath>
#include <set>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// A hinge whose spec was changed.
template <class F>
Scene with_joint(F&& change) {
    OneHinge s;
    change(s.scene.joint(s.joint));
    return s.scene;
}
template <class F>
Scene with_body(F&& change) {
    OneHinge s;
    change(s.scene.body(s.body));
    return s.scene;
}
template <class F>
Scene with_geom(F&& change) {
    OneHinge s;
    GeomSpec geom{.name = "shell", .shape = ShapeType::sphere, .size = {0.1, 0, 0}};
    change(geom);
    s.scene.add_geom(s.body, geom);
    return s.scene;
}

}  // namespace

TEST_CASE("compile: the smallest scene compiles without a word") {
    const Compiled result(OneHinge().scene);
    CHECK(result.model);
    CHECK(result.log.all().empty());
}

TEST_CASE("compile E030: names are unique within a kind") {
    OneHinge s;
    const BodyId second = s.scene.add_body(world, body_named("arm"));
    s.scene.add_joint(second, {.name = "other"});
    check_diagnosed(s.scene, "E030", "'arm'");

    OneHinge joints;
    joints.scene.add_joint(joints.scene.add_body(world, body_named("b")), {.name = "elbow"});
    check_diagnosed(joints.scene, "E030", "'elbow'");

    // The joints that a particle has by its kind.
    OneHinge own;
    own.scene.joint(own.joint).name = "bead.y";
    own.scene.add_body(world,
                       {.name = "bead", .inertial = unit_inertial(), .kind = BodyKind::particle});
    check_diagnosed(own.scene, "E030", "'bead.y'");

    OneHinge geoms;
    for (int k = 0; k < 2; ++k) geoms.scene.add_geom(geoms.body, {.name = "ball", .size = {1, 0, 0}});
    check_diagnosed(geoms.scene, "E030", "'ball'");

    OneHinge sites;
    for (int k = 0; k < 2; ++k) sites.scene.add_site(sites.body, {.name = "tip"});
    check_diagnosed(sites.scene, "E030", "'tip'");

    // The place of the other is told.
    OneHinge placed;
    placed.scene.body(placed.body).where = {std::make_shared<const std::string>("a.xml"), 3, 7};
    placed.scene.add_joint(placed.scene.add_body(world, body_named("arm")), {.name = "other"});
    CHECK(Compiled(placed.scene).find("E030")->hint.find("a.xml:3:7") != std::string::npos);

    // Different kinds, no name, and the world's own name are free.
    OneHinge free;
    free.scene.add_geom(free.body, {.name = "arm", .size = {1, 0, 0}});
    for (int k = 0; k < 2; ++k) free.scene.add_site(free.body, {});
    free.scene.add_body(free.body, body_named("world"));
    const Compiled result(free.scene);
    CHECK(result.log.all().empty());
    CHECK(result.model->find_body("world") == 2);
}

TEST_CASE("compile E031: every number is finite and in its range") {
    for (const double bad : {not_a_number, infinity, -infinity}) {
        CAPTURE(bad);
        check_diagnosed(with_body([&](BodySpec& b) { b.pose.pos.y = bad; }), "E031", "'arm'");
        check_diagnosed(with_body([&](BodySpec& b) { b.pose.quat.x = bad; }), "E031", "'arm'");
        check_diagnosed(with_body([&](BodySpec& b) { b.gravity_scale = bad; }), "E031", "'arm'");
        check_diagnosed(with_body([&](BodySpec& b) { b.inertial->mass = bad; }), "E031", "'arm'");
        check_diagnosed(with_body([&](BodySpec& b) { b.inertial->inertia.xy = bad; }), "E031", "'arm'");
        check_diagnosed(with_body([&](BodySpec& b) { b.inertial->frame.pos.z = bad; }), "E031", "'arm'");
        check_diagnosed(with_joint([&](JointSpec& j) { j.pos.x = bad; }), "E031", "'elbow'");
        check_diagnosed(with_joint([&](JointSpec& j) { j.axis.x = bad; }), "E031", "'elbow'");
        check_diagnosed(with_joint([&](JointSpec& j) { j.pitch = bad; }), "E031", "'elbow'");
        check_diagnosed(with_joint([&](JointSpec& j) { j.reference = bad; }), "E031", "'elbow'");
        check_diagnosed(with_joint([&](JointSpec& j) { j.spring_reference = bad; }), "E031", "'elbow'");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.pose.pos.x = bad; }), "E031", "'shell'");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.mass = bad; }), "E031", "'shell'");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.margin = bad; }), "E031", "'shell'");
        OneHinge site;
        site.scene.add_site(site.body, {.name = "tip", .pose = {{bad, 0, 0}}});
        check_diagnosed(site.scene, "E031", "'tip'");
        OneHinge loop;
        loop.scene.add_loop({.name = "weld",
                             .type = JointType::fixed,
                             .body_a = world,
                             .body_b = loop.body,
                             .frame_b = {{0, bad, 0}}});
        check_diagnosed(loop.scene, "E031", "'weld'");
        OneHinge key;
        key.scene.add_keyframe({.name = "home", .qpos = {bad}});
        check_diagnosed(key.scene, "E031", "'home'");
        OneHinge options;
        options.scene.options.gravity.z = bad;
        check_diagnosed(options.scene, "E031", "gravity");
        options.scene.options.gravity.z = 0;
        options.scene.options.timestep = bad;
        check_diagnosed(options.scene, "E031", "timestep");
    }
    for (const double bad : {not_a_number, infinity, -0.1}) {
        check_diagnosed(with_joint([&](JointSpec& j) { j.armature = bad; }), "E031", "armature");
        check_diagnosed(with_joint([&](JointSpec& j) { j.damping = bad; }), "E031", "damping");
        check_diagnosed(with_joint([&](JointSpec& j) { j.stiffness = bad; }), "E031", "stiffness");
        check_diagnosed(with_joint([&](JointSpec& j) { j.friction_loss = bad; }), "E031", "friction loss");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.density = bad; }), "E031", "density");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.friction.y = bad; }), "E031", "friction");
        check_diagnosed(with_geom([&](GeomSpec& g) { g.restitution = bad; }), "E031", "restitution");
    }
    check_diagnosed(with_joint([&](JointSpec& j) { j.effort = {1, -1}; }), "E038", "effort");
    check_diagnosed(with_joint([&](JointSpec& j) { j.velocity_limit = -1; }), "E031", "velocity limit");
    check_diagnosed(with_joint([&](JointSpec& j) { j.range[0].lower = not_a_number; }), "E031", "'elbow'");
    check_diagnosed(with_geom([&](GeomSpec& g) { g.restitution = 1.5; }), "E031", "restitution");
    check_diagnosed(with_body([&](BodySpec& b) { b.pose.quat = {0, 0, 0, 0}; }), "E031", "'arm'");
    OneHinge step;
    step.scene.options.timestep = 0;
    check_diagnosed(step.scene, "E031", "timestep");
    OneHinge on_world;
    on_world.scene.add_joint(world, {.name = "nail"});
    check_diagnosed(on_world.scene, "E031", "'nail'");
    OneHinge coupled;
    const JointId other =
        coupled.scene.add_joint(coupled.scene.add_body(coupled.body, body_named("b")), {.name = "b"});
    coupled.scene.add_coupling(
        {.name = "gear", .follower = other, .leader = coupled.joint, .coefficients = {0, not_a_number}});
    check_diagnosed(coupled.scene, "E031", "'gear'");
}

TEST_CASE("compile E032: axes have a direction, those of a universal joint a right angle") {
    check_diagnosed(with_joint([](JointSpec& j) { j.axis = {0, 0, 0}; }), "E032", "'elbow'");
    const auto universal = [](const Vec3d& axis2) {
        return with_joint([&](JointSpec& j) {
            j.type = JointType::universal;
            j.axis = {1, 0, 0};
            j.axis2 = axis2;
        });
    };
    check_diagnosed(universal({0, 0, 0}), "E032", "axis2");
    check_diagnosed(universal({0.1, 1, 0}), "E032", "'elbow'");
    CHECK(Compiled(universal({0, 0.2, 0.3})).log.all().empty());
}

TEST_CASE("compile E033: masses are not negative") {
    check_diagnosed(with_body([](BodySpec& b) { b.inertial->mass = -1; }), "E033", "'arm'");
    check_diagnosed(with_geom([](GeomSpec& g) { g.mass = -1; }), "E033", "'shell'");
}

TEST_CASE("compile E034, W035: inertias are possible") {
    check_diagnosed(with_body([](BodySpec& b) { b.inertial->inertia = {1, 1, 1, 2, 0, 0}; }), "E034",
                    "'arm'");
    check_diagnosed(with_body([](BodySpec& b) { b.inertial->inertia = Sym3d::diagonal(-1, 1, 1); }), "E034",
                    "'arm'");
    check_diagnosed(with_body([](BodySpec& b) { b.inertial->inertia = Sym3d::diagonal(1, 1, 2.1); }), "W035",
                    "'arm'");
    // Of bodies that are welded together only the sum counts.
    for (const double rest : {0.5, 4.0}) {  // of −3 and the hinged body's 1
        OneHinge welded;
        const BodyId bad = welded.scene.add_body(
            welded.body,
            {.name = "cap", .inertial = InertialSpec{.mass = 1, .inertia = Sym3d::diagonal(-3, 3, 3)}});
        welded.scene.add_body(
            bad, {.name = "core",
                  .inertial = InertialSpec{.mass = 1, .inertia = Sym3d::diagonal(rest, rest, rest)}});
        welded.scene.add_body(world, {.name = "base", .inertial = InertialSpec{.mass = 1, .inertia = {}}});
        const Compiled result(welded.scene);
        REQUIRE(result.find("W190"));
        CHECK(result.find("W190")->message.find("'cap'") != std::string::npos);
        CHECK(result.failed == (rest < 1));
        CHECK((result.find("E034") != nullptr) == (rest < 1));
    }
    // What rounding leaves of a point mass is not an error.
    for (const Sym3d& noise :
         {Sym3d{-5e-20, -5e-20, 0, 0, 0, 0}, Sym3d{0, 0, 0, 1e-20, 0, 0}, Sym3d{0, 0, 4e-18, 0, 0, 0}})
        CHECK(Compiled(with_body([&](BodySpec& b) {
                  b.inertial->frame.pos = {1, 0, 0};
                  b.inertial->inertia = noise;
              }))
                  .log.all()
                  .empty());
    // A flat plate is just possible.
    CHECK(Compiled(with_body([](BodySpec& b) { b.inertial->inertia = Sym3d::diagonal(1, 1, 2); }))
              .log.all()
              .empty());
}

TEST_CASE("compile U036, E037, E100: the shapes that inertia comes from") {
    Scene mesh = with_geom([](GeomSpec& g) {
        g.shape = ShapeType::mesh;
        g.collides = false;
    });
    CHECK(Compiled(mesh).log.all().empty());  // the body has an inertia of its own
    mesh.body({1}).inertial.reset();
    check_diagnosed(mesh, "E100", "'shell'");
    mesh.geom({0}).shape = ShapeType::heightfield;
    mesh.geom({0}).size = {0, 0, 0};
    check_diagnosed(mesh, "U036", "'shell'");
    mesh.geom({0}).mass = 0;
    mesh.joint({0}).armature = 1;
    CHECK(Compiled(mesh).log.all().empty());

    check_diagnosed(with_geom([](GeomSpec& g) { g.size.x = 0; }), "E037", "'shell'");
    check_diagnosed(with_geom([](GeomSpec& g) { g.size.x = not_a_number; }), "E037", "'shell'");
    check_diagnosed(with_geom([](GeomSpec& g) {
                        g.shape = ShapeType::box;
                        g.size = {1, 1, -1};
                    }),
                    "E037", "'shell'");
}

TEST_CASE("compile E038: ranges go upwards") {
    check_diagnosed(with_joint([](JointSpec& j) { j.range[0] = {1, -1}; }), "E038", "'elbow'");
    check_diagnosed(with_joint([](JointSpec& j) {
                        j.type = JointType::ball;
                        j.twist = Range{1, -1};
                    }),
                    "E038", "'elbow'");
    CHECK(Compiled(with_joint([](JointSpec& j) { j.range[0] = {1, 1}; })).log.all().empty());
}

TEST_CASE("compile E059: planar bodies and particles hang below the world without joints") {
    check_diagnosed(with_body([](BodySpec& b) { b.kind = BodyKind::planar; }), "E059", "has joints");
    Scene scene;
    const BodyId stand = scene.add_body(world, {.name = "stand"});
    scene.add_body(stand, {.name = "bead", .kind = BodyKind::particle});
    check_diagnosed(scene, "E059", "'bead'");
}

TEST_CASE("compile E042: planar bodies and particles have the inertia that they move by themselves") {
    const auto one = [](BodyKind kind, const InertialSpec& inertial) {
        Scene scene;
        scene.add_body(world, {.name = "bead", .inertial = inertial, .kind = kind});
        return scene;
    };
    const Sym3d none = Sym3d::zero();
    check_diagnosed(one(BodyKind::particle, {0, {}, none, {}}), "E042", "body 'bead' moves by itself");
    CHECK(Compiled(one(BodyKind::particle, {0, {}, none, {}})).log.all().size() == 1);
    CHECK(Compiled(one(BodyKind::particle, {1, {{0.3, 0, 2}}, none, {}})).log.all().empty());
    check_diagnosed(one(BodyKind::planar, {1, {}, none, {}}), "E042", "body 'bead' turns by itself");
    // A point mass beside the frame has inertia about the frame, and none of its own.
    check_diagnosed(one(BodyKind::planar, {1, {{0.3, 0.1, 2}}, none, {}}), "E042", "'bead'");
    CHECK(Compiled(one(BodyKind::planar, {1, {{0.3, 0.1, 2}}, Sym3d::diagonal(1e-6, 1e-6, 0), {}}))
              .log.all()
              .empty());
}

TEST_CASE("compile E039: kinematic bodies hang below the world without joints") {
    check_diagnosed(with_body([](BodySpec& b) { b.kinematic = true; }), "E039", "'arm'");
    OneHinge s;
    s.scene.add_body(s.body, {.name = "tray", .kinematic = true});
    check_diagnosed(s.scene, "E039", "'tray'");
}

TEST_CASE("compile E040, U041: what one body's joints may be") {
    OneHinge both;
    both.scene.add_joint(both.body, {.name = "float", .type = JointType::free});
    check_diagnosed(both.scene, "E040", "'float'");

    Scene scene;
    const BodyId body = scene.add_body(world, body_named("hand"));
    for (int k = 0; k < 3; ++k)
        scene.add_joint(
            body, {.name = "ball" + std::to_string(k), .type = JointType::ball, .pos = {0.1 * k, 0, 0}});
    check_diagnosed(scene, "U041", "'hand'");
    CHECK(Compiled(scene).find("U041")->message.find("9 freedoms") != std::string::npos);
}

TEST_CASE("compile E042: every joint moves inertia") {
    check_diagnosed(with_body([](BodySpec& b) {
                        b.inertial->mass = 0;
                        b.inertial->inertia = Sym3d::zero();
                    }),
                    "E042", "'elbow'");
    // A point mass on the axis does not move.
    check_diagnosed(with_body([](BodySpec& b) { b.inertial->inertia = Sym3d::zero(); }), "E042", "'elbow'");
    // A body beyond, or rotor inertia, is enough.
    OneHinge carried;
    carried.scene.body(carried.body).inertial.reset();
    carried.scene.add_body(carried.body, body_named("load", {1, 0, 0}));
    CHECK(Compiled(carried.scene).log.all().empty());
    Scene rotor = with_body([](BodySpec& b) { b.inertial.reset(); });
    rotor.joint({0}).armature = 0.1;
    CHECK(Compiled(rotor).log.all().empty());
}

TEST_CASE("compile W043: the joints of one body are independent") {
    OneHinge s;
    s.scene.add_joint(s.body, {.name = "again"});
    check_diagnosed(s.scene, "W043", "'again'");
    // Two parallel hinges apart allow a translation: nothing is repeated. A third makes a plane, a fourth
    // repeats.
    OneHinge apart;
    apart.scene.add_joint(apart.body, {.name = "b", .pos = {1, 0, 0}});
    apart.scene.add_joint(apart.body, {.name = "c", .pos = {0, 1, 0}});
    CHECK(Compiled(apart.scene).log.all().empty());
    apart.scene.add_joint(apart.body, {.name = "d", .pos = {1, 1, 0}});
    check_diagnosed(apart.scene, "W043", "'d'");
}

TEST_CASE("compile E044, W045: loops hold something together") {
    OneHinge s;
    s.scene.add_loop({.name = "nothing", .type = JointType::free, .body_a = world, .body_b = s.body});
    check_diagnosed(s.scene, "E044", "'nothing'");

    OneHinge fixed;
    const BodyId plate = fixed.scene.add_body(fixed.body, body_named("plate"));
    fixed.scene.add_loop({.name = "weld", .type = JointType::fixed, .body_a = fixed.body, .body_b = plate});
    check_diagnosed(fixed.scene, "W045", "'weld'");
}

TEST_CASE("compile E160, W161, W162: constraints between two bodies") {
    const auto constrained = [](std::shared_ptr<const PairConstraint> constraint, bool with_plate = false) {
        OneHinge s;
        const BodyId plate = s.scene.add_body(s.body, body_named("plate"));
        s.scene.add_constraint({.name = "c",
                                .body_a = with_plate ? plate : world,
                                .body_b = s.body,
                                .frame_b = {{3, 4, 5}},
                                .constraint = std::move(constraint)});
        return s.scene;
    };
    check_diagnosed(constrained(nullptr), "E160", "'c' has no PairConstraint");
    check_diagnosed(constrained(std::make_shared<DistanceConstraint>(0)), "E160", "the length is 0");
    check_diagnosed(constrained(std::make_shared<GearConstraint>(0)), "E160", "'gear': the ratio is 0");
    check_diagnosed(constrained(std::make_shared<KnifeEdgeConstraint>(), true), "W161", "'c'");
    check_diagnosed(constrained(std::make_shared<RollingDiskConstraint>(1)), "W162", "the disk lies flat");
    CHECK(Compiled(constrained(std::make_shared<RollingBallConstraint>(1))).log.all().empty());

    OneHinge loop;
    loop.scene.add_loop({.name = "l", .body_a = world, .body_b = loop.body, .closing_time = -1});
    check_diagnosed(loop.scene, "E031", "closing_time");
}

TEST_CASE("compile E046: couplings join two different joints of one coordinate") {
    const auto coupled = [](JointType type, bool with_itself) {
        OneHinge s;
        const BodyId other = s.scene.add_body(s.body, body_named("b"));
        const JointId joint = s.scene.add_joint(other, {.name = "b", .type = type});
        s.scene.add_coupling({.name = "gear", .follower = joint, .leader = with_itself ? joint : s.joint});
        return s.scene;
    };
    for (const JointType type : {JointType::hinge, JointType::slide, JointType::screw})
        CHECK(Compiled(coupled(type, false)).log.all().empty());
    for (const JointType type : {JointType::ball, JointType::universal, JointType::planar})
        check_diagnosed(coupled(type, false), "E046", "'gear'");
    check_diagnosed(coupled(JointType::hinge, true), "E046", "'gear'");
    // W050: a joint that does not move has no coordinate to couple.
    check_diagnosed(coupled(JointType::fixed, false), "W050", "'gear'");
    CHECK(Compiled(coupled(JointType::fixed, false)).model->couplings.empty());
}

TEST_CASE("compile E047: keyframes fit the model") {
    OneHinge s;
    s.scene.add_keyframe({.name = "long", .qpos = {1, 2}});
    check_diagnosed(s.scene, "E047", "'long'");
    OneHinge few;
    few.scene.add_joint(few.body, {.type = JointType::slide, .reference = 3});
    few.scene.add_keyframe({.name = "short", .qpos = {1}});
    check_diagnosed(few.scene, "W191", "qpos has 1 numbers, the model needs 2");
    CHECK(Compiled(few.scene).model->keyframes[0].q == std::vector<double>{1, 3});
    OneHinge v;
    v.scene.add_keyframe({.name = "fast", .qvel = {1, 2, 3}});
    check_diagnosed(v.scene, "E047", "qvel has 3 numbers, the model needs 1");
    Scene ball = with_joint([](JointSpec& j) { j.type = JointType::ball; });
    ball.add_keyframe({.name = "zero", .qpos = {0, 0, 0, 0}});
    // W049: what other engines read as no rotation.
    check_diagnosed(ball, "W049", "'zero'");
    CHECK(Compiled(ball).model->keyframes[0].q == std::vector<double>{1, 0, 0, 0});
}

TEST_CASE("compile W048: settings that a kind of joint does not have") {
    check_diagnosed(with_joint([](JointSpec& j) { j.cone = 1; }), "W048", "'elbow'");
    check_diagnosed(with_joint([](JointSpec& j) { j.swing = 1; }), "W048", "'elbow'");
    check_diagnosed(with_joint([](JointSpec& j) { j.twist = Range{-1, 1}; }), "W048", "'elbow'");
    check_diagnosed(with_joint([](JointSpec& j) { j.range[1] = {-1, 1}; }), "W048", "'elbow'");
    const auto kind = [](JointType type, auto&& change) {
        return with_joint([&](JointSpec& j) {
            j.type = type;
            j.axis = {1, 0, 0};
            change(j);
        });
    };
    check_diagnosed(kind(JointType::ball, [](JointSpec& j) { j.range[0] = {-1, 1}; }), "W048", "'elbow'");
    check_diagnosed(kind(JointType::universal, [](JointSpec& j) { j.reference = 1; }), "W048", "'elbow'");
    check_diagnosed(kind(JointType::planar, [](JointSpec& j) { j.spring_reference = 1; }), "W048", "'elbow'");
    CHECK(Compiled(kind(JointType::planar, [](JointSpec& j) { j.range[2] = {-1, 1}; })).log.all().empty());
    CHECK(Compiled(kind(JointType::ball,
                        [](JointSpec& j) {
                            j.cone = 1;
                            j.twist = Range{-1, 1};
                        }))
              .log.all()
              .empty());
}

TEST_CASE("compile: everything that is wrong is said at once, and strict reading refuses warnings") {
    OneHinge s;
    s.scene.body(s.body).inertial->mass = -1;
    s.scene.joint(s.joint).axis = {0, 0, 0};
    s.scene.joint(s.joint).range[0] = {1, -1};
    Compiled all(s.scene);
    CHECK(all.log.error_count() == 3);
    for (const char* code : {"E033", "E032", "E038"}) CHECK(all.find(code));

    const Scene warned = with_joint([](JointSpec& j) { j.cone = 1; });
    Diagnostics strict;
    strict.set_strict(true);
    CHECK_THROWS_AS(compile(warned, strict), InputError);
    CHECK_NOTHROW(compile(warned));

    // A refused scene of an unsupported kind says so.
    Scene field = with_geom([](GeomSpec& g) {
        g.shape = ShapeType::heightfield;
        g.size = {0, 0, 0};
    });
    field.body({1}).inertial.reset();
    try {
        compile(field);
        FAIL("compiled");
    } catch (const InputError& error) { CHECK(error.kind() == ErrorKind::unsupported); }
}

TEST_CASE("scene: handles of objects that do not exist are refused") {
    OneHinge s;
    for (const BodyId bad : {BodyId{-1}, BodyId{2}, BodyId{}}) {
        CHECK_THROWS_AS(s.scene.add_body(bad, {}), std::out_of_range);
        CHECK_THROWS_AS(s.scene.add_joint(bad, {}), std::out_of_range);
        CHECK_THROWS_AS(s.scene.add_geom(bad, {}), std::out_of_range);
        CHECK_THROWS_AS(s.scene.add_site(bad, {}), std::out_of_range);
        CHECK_THROWS_AS(s.scene.add_loop({.body_a = bad, .body_b = world}), std::out_of_range);
        CHECK_THROWS_AS(s.scene.exclude_collision(world, bad), std::out_of_range);
        CHECK_THROWS_AS(s.scene.body(bad), std::out_of_range);
    }
    CHECK_THROWS_AS(s.scene.add_coupling({.follower = {0}, .leader = {1}}), std::out_of_range);
    CHECK(s.scene.find_body("nobody").index == -1);
    CHECK(s.scene.find_joint("elbow") == s.joint);
}
