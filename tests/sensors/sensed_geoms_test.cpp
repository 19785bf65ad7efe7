// Rays and distances between geoms against plane geometry.

#include <ligament/dynamics.h>
#include <ligament/sensors.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace lig;

namespace {

using Kind = ObjectRef::Kind;

struct Readings {
    explicit Readings(const Scene& scene) : model(compile(scene)), sensors(*model) {
        Workspace<double> ws(model);
        DriveWorkspace<double> drives(*model);
        const JointState<double> state(*model);
        forward_kinematics(state, ws);
        update_drives(state, ws, drives);
        read_sensors<double>(state, std::vector<double>(model->nv), {}, drives, ws, sensors);
    }
    std::vector<double> operator[](int which) const {
        REQUIRE(sensors.status[which] == SensorStatus::read);
        const auto begin = sensors.readings.begin() + model->sensors[which].adr;
        return {begin, begin + model->sensors[which].dim};
    }

    std::shared_ptr<const Model> model;
    SensorWorkspace<double> sensors;
};

void check(const std::vector<double>& got, const std::vector<double>& expected, double tolerance = 1e-13) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(got[k] - expected[k]) <= tolerance);
    }
}

SensorSpec rangefinder(ObjectRef object, std::vector<std::string> data = {}) {
    SensorSpec spec{.type = SensorType::rangefinder, .object = object};
    spec.data = std::move(data);
    return spec;
}
const std::vector<std::string> all_fields = {"dist", "dir", "origin", "point", "normal", "depth"};

Pose turned_about_y(Vec3d pos, double angle) {
    return {pos, {std::cos(angle / 2), 0, std::sin(angle / 2), 0}};
}

}  // namespace

TEST_CASE("sensors: a rangefinder measures along the z axis of its site") {
    Scene scene;
    const BodyId drone = scene.add_body(world, {.pose = {{0, 0, 0.7}}});
    scene.add_joint(drone, {.type = JointType::free});
    scene.add_geom(drone, {.size = {0.1, 0, 0}});  // its own, which it does not see
    scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane});
    // Neither what is transparent nor contact masks count: only the second is seen.
    scene.add_geom(world, {.pose = {{0.2, 0, 0.7}}, .size = {0.05, 0, 0}, .rgba = {1, 1, 1, 0}});
    scene.add_geom(world, {.pose = {{1, 0, 0.7}}, .size = {0.3, 0, 0}, .contype = 0, .conaffinity = 0});
    const double down = std::numbers::pi, slant = 5 * std::numbers::pi / 6;
    for (const double angle : {down, slant, std::numbers::pi / 2, 0.0}) {
        const SiteId eye = scene.add_site(drone, {.pose = turned_about_y({0, 0, 0}, angle)});
        scene.add_sensor(rangefinder({Kind::site, eye.index}, all_fields));
    }
    const Readings readings(scene);
    const double far = 0.7 / std::cos(std::numbers::pi / 6);
    check(readings[0], {0.7, 0, 0, -1, 0, 0, 0.7, 0, 0, 0, 0, 0, 1, 0.7});
    check(readings[1], {far, 0.5, 0, -std::sqrt(0.75), 0, 0, 0.7, far / 2, 0, 0, 0, 0, 1, far});
    check(readings[2], {0.7, 1, 0, 0, 0, 0, 0.7, 0.7, 0, 0.7, -1, 0, 0, 0.7});
    check(readings[3], {-1, 0, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 0, 0, -1});  // the sky
}

TEST_CASE("sensors: a ray meets planes within their sizes, faces of meshes, and surfaces from within") {
    Scene scene;
    const auto look = [&](Vec3d from, double angle) {
        const SiteId eye = scene.add_site(world, {.pose = turned_about_y(from, angle)});
        scene.add_sensor(rangefinder({Kind::site, eye.index}));
    };
    const BodyId things = scene.add_body(world, {});
    scene.add_geom(things, {.shape = ShapeType::plane, .size = {1, 2, 0}});
    look({0.9, 0, 1}, std::numbers::pi);
    look({1.1, 0, 1}, std::numbers::pi);
    // Inside of a box, off its middle: 0.3 m to the face above.
    scene.add_geom(things, {.shape = ShapeType::box, .pose = {{5, 0, 0}}, .size = {1, 1, 0.5}});
    look({5.3, 0.2, 0.2}, 0);
    // A wedge of two triangles, hollow from above, whose hull would close it.
    TriangleMesh wedge{{{-1, -1, 1}, {-1, 1, 1}, {0, -1, 0}, {0, 1, 0}, {1, -1, 1}, {1, 1, 1}},
                       {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}}};
    scene.add_mesh({.name = "wedge",
                    .inertia = MeshInertia::shell,
                    .mesh = std::make_shared<const TriangleMesh>(wedge)});
    scene.add_geom(things, {.shape = ShapeType::mesh, .pose = {{-5, 0, 0}}, .mesh = "wedge"});
    look({-5.25, 0.1, 3}, std::numbers::pi);
    const Readings readings(scene);
    check(readings[0], {1});
    check(readings[1], {-1});
    check(readings[2], {0.3});
    check(readings[3], {2.75});
}

TEST_CASE("sensors: a camera measures through each of its pixels") {
    Scene scene;
    scene.add_geom(world, {.shape = ShapeType::plane});
    const BodyId holder = scene.add_body(world, {.pose = {{0, 0, 2}}});
    // Down, x to the right: rows run towards −y.
    scene.add_camera(holder, {.name = "lens", .fovy = 90, .resolution = {3, 2}});
    scene.add_camera(holder, {.name = "parallel", .orthographic = true, .fovy = 4, .resolution = {2, 2}});
    scene.add_sensor(rangefinder({Kind::camera, 0}, {"dist", "point", "depth"}));
    scene.add_sensor(rangefinder({Kind::camera, 1}, {"dist", "dir", "origin"}));
    const Readings readings(scene);
    // A right angle over two rows: one pixel is a unit at the depth of one, twice that on the floor.
    std::vector<double> lens, parallel;
    for (const double y : {1.0, -1.0})
        for (const double x : {-2.0, 0.0, 2.0}) {
            const double distance = std::sqrt(x * x + y * y + 4);
            lens.insert(lens.end(), {distance, x, y, 0, 2});
        }
    for (const double y : {1.0, -1.0})
        for (const double x : {-1.0, 1.0}) parallel.insert(parallel.end(), {2, 0, 0, -1, x, y, 2});
    check(readings[0], lens);
    check(readings[1], parallel);
}

TEST_CASE("sensors: distances between geoms and between all geoms of two bodies") {
    Scene scene;
    const BodyId left = scene.add_body(world, {.name = "left"});
    scene.add_joint(left, {.type = JointType::free});
    const BodyId right = scene.add_body(world, {.name = "right", .pose = {{2, 0, 0}}});
    scene.add_joint(right, {.type = JointType::free});
    const GeomId far = scene.add_geom(left, {.pose = {{-1, 0, 0}}, .size = {0.2, 0, 0}});
    scene.add_geom(left, {.size = {0.5, 0, 0}, .contype = 0, .conaffinity = 0});
    const GeomId ball = scene.add_geom(right, {.size = {0.3, 0, 0}});
    const GeomId deep = scene.add_geom(right, {.pose = {{0.4, 0, 0}}, .size = {0.3, 0, 0}});
    const auto add = [&](ObjectRef a, ObjectRef b, double cutoff) {
        for (const SensorType type : {SensorType::distance, SensorType::normal, SensorType::fromto})
            scene.add_sensor({.type = type, .object = a, .reference = b, .cutoff = cutoff});
    };
    const ObjectRef left_body{Kind::body, left.index}, right_body{Kind::body, right.index};
    add(left_body, right_body, 5);
    add(right_body, left_body, 5);
    add({Kind::geom, far.index}, {Kind::geom, ball.index}, 1);
    add({Kind::geom, ball.index}, {Kind::geom, deep.index}, 0);
    add(left_body, right_body, 0);
    const Readings readings(scene);
    check(readings[0], {1.2});
    check(readings[1], {1, 0, 0});
    check(readings[2], {0.5, 0, 0, 1.7, 0, 0});
    check(readings[4], {-1, 0, 0});
    check(readings[5], {1.7, 0, 0, 0.5, 0, 0});
    // Further away than the cutoff: nothing is found.
    check(readings[6], {1});
    check(readings[7], {0, 0, 0});
    check(readings[8], {0, 0, 0, 0, 0, 0});
    // They overlap by 0.2 m: the way from the deepest point of the first in the second leads back.
    check(readings[9], {-0.2});
    check(readings[10], {-1, 0, 0});
    check(readings[11], {2.3, 0, 0, 2.1, 0, 0});
    // Without a cutoff only overlaps are found.
    check(readings[12], {0});
}

TEST_CASE("sensors: of objects that cannot be measured are refused") {
    const auto refused = [](SensorSpec spec) {
        Scene scene;
        scene.add_body(world, {.name = "b"});
        scene.add_site(world, {.name = "s"});
        scene.add_sensor(std::move(spec));
        Diagnostics log;
        CHECK_THROWS_AS(compile(scene, log), InputError);
        REQUIRE(log.all().size() == 1);
        CHECK(log.all()[0].code->id == std::string_view("E057"));
    };
    refused({.type = SensorType::distance, .object = {Kind::site, 0}, .reference = {Kind::body, 1}});
    refused({.type = SensorType::contact, .object = {Kind::site, 0}});
    refused({.type = SensorType::rangefinder, .object = {Kind::body, 1}});
    refused({.type = SensorType::rangefinder, .object = {Kind::site, 0}, .data = {"colour"}});
    refused({.type = SensorType::contact, .count = 0});
    refused({.type = SensorType::contact, .reduce = "meanforce"});
}
