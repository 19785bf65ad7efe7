#include "io/support_urdf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using lig::test::count_code;
using lig::test::UrdfResult;
using lig::test::with_link;

namespace {

bool equal(const Vec3d& a, const Vec3d& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

double difference(const Mat3d& a, const Mat3d& b) {
    double largest = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a(i, k) - b(i, k)));
    return largest;
}

}  // namespace

TEST_CASE("urdf: inertial") {
    const UrdfResult r(
        with_link("<inertial><origin xyz='1 2 3' rpy='0 0 0'/><mass value='4'/>"
                  "<inertia ixx='5' iyy='6' izz='7' ixy='.1' ixz='.2' iyz='.3'/></inertial>"));
    CHECK(r.diagnostics.empty());
    const InertialSpec& inertial = *r.body("a").spec.inertial;
    CHECK(inertial.mass == 4);
    CHECK(equal(inertial.frame.pos, {1, 2, 3}));
    CHECK(inertial.inertia.xx == 5);
    CHECK(inertial.inertia.yy == 6);
    CHECK(inertial.inertia.zz == 7);
    CHECK(inertial.inertia.xy == .1);
    CHECK(inertial.inertia.xz == .2);
    CHECK(inertial.inertia.yz == .3);
    CHECK(inertial.where.to_string() == "r.urdf:3:1");
    CHECK(r.body("a").spec.where.to_string() == "r.urdf:2:1");
}

TEST_CASE("urdf: a link without inertial has zero mass, whatever its shapes") {
    const UrdfResult r(with_link("<collision><geometry><sphere radius='1'/></geometry></collision>"));
    REQUIRE(r.body("a").spec.inertial.has_value());
    CHECK(r.body("a").spec.inertial->mass == 0);
    CHECK(r.scene.geoms().size() == 1);
    CHECK(r.diagnostics.empty());
}

TEST_CASE("urdf: what an inertial lacks") {
    CHECK(UrdfResult(with_link("<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"))
              .says("r.urdf:3:1: error[E009]: <inertial> of <link \"a\"> has no <mass>"));
    CHECK(UrdfResult(with_link("<inertial><mass value='1'/></inertial>"))
              .says("r.urdf:3:1: error[E009]: <inertial> of <link \"a\"> has no <inertia>"));
    CHECK(UrdfResult(with_link("<inertial><mass/><inertia ixx='1' iyy='1'/></inertial>"))
              .says("r.urdf:3:18: error[E005]: <inertia> has no attribute 'izz'"));
    CHECK(
        UrdfResult(with_link("<inertial><mass value='nan'/><inertia ixx='1' iyy='1' izz='inf'/></inertial>"))
            .says("r.urdf:3:24: error[E006]: attribute 'value' of <mass>: 'nan'"));
    const UrdfResult r(
        with_link("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n<inertial/>"));
    CHECK(r.diagnostics ==
          "r.urdf:4:1: warning[W011]: a second <inertial> inside <link \"a\"> was not read (remove one of "
          "them)\n");
}

TEST_CASE("urdf: rpy turns about the fixed axes x, y, z in this order") {
    const double roll = 0.3, pitch = -0.7, yaw = 1.9;
    const UrdfResult r(
        with_link("<inertial><origin rpy='0.3 -0.7 1.9'/><mass value='1'/>"
                  "<inertia ixx='1' iyy='1' izz='1'/></inertial>"));
    const Mat3d rx{{1, 0, 0}, {0, std::cos(roll), std::sin(roll)}, {0, -std::sin(roll), std::cos(roll)}};
    const Mat3d ry{{std::cos(pitch), 0, -std::sin(pitch)}, {0, 1, 0}, {std::sin(pitch), 0, std::cos(pitch)}};
    const Mat3d rz{{std::cos(yaw), std::sin(yaw), 0}, {-std::sin(yaw), std::cos(yaw), 0}, {0, 0, 1}};
    CHECK(difference(rotation_matrix(r.body("a").spec.inertial->frame.quat), rz * ry * rx) < 1e-15);
}

TEST_CASE("urdf: orientation as a quaternion") {
    const auto origin = [](const char* attributes) {
        return with_link(std::string("<inertial><origin ") + attributes +
                         "/><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>");
    };
    const UrdfResult r(origin("quat_xyzw='0 0 1 2'"));
    const Quatd& q = r.body("a").spec.inertial->frame.quat;
    CHECK(q.w == 2);
    CHECK(q.x == 0);
    CHECK(q.z == 1);
    CHECK(UrdfResult(origin("quat_xyzw='0 0 0 0'")).says("r.urdf:3:30: error[E006]"));
    CHECK(UrdfResult(origin("quat_xyzw='0 0 0 1' rpy='0 0 0'")).says("r.urdf:3:30: error[E014]"));
}

TEST_CASE("urdf: shapes with full sizes become half sizes") {
    const UrdfResult r(
        with_link("<collision><geometry><box size='2 4 6'/></geometry></collision>"
                  "<collision><geometry><cylinder radius='1' length='4'/></geometry></collision>"
                  "<collision><geometry><capsule radius='1' length='6'/></geometry></collision>"
                  "<collision><geometry><sphere radius='3'/></geometry></collision>"
                  "<collision><geometry><capsule radius='2' length='0'/></geometry></collision>"));
    CHECK(r.diagnostics.empty());
    const auto& geoms = r.scene.geoms();
    REQUIRE(geoms.size() == 5);
    CHECK(geoms[0].spec.shape == ShapeType::box);
    CHECK(equal(geoms[0].spec.size, {1, 2, 3}));
    CHECK(geoms[1].spec.shape == ShapeType::cylinder);
    CHECK(equal(geoms[1].spec.size, {1, 2, 0}));
    CHECK(geoms[2].spec.shape == ShapeType::capsule);
    CHECK(equal(geoms[2].spec.size, {1, 3, 0}));
    CHECK(geoms[3].spec.shape == ShapeType::sphere);
    CHECK(equal(geoms[3].spec.size, {3, 0, 0}));
    CHECK(geoms[4].spec.shape == ShapeType::sphere);
    CHECK(equal(geoms[4].spec.size, {2, 0, 0}));
}

TEST_CASE("urdf: visual and collision geoms") {
    const UrdfResult r(with_link(
        "<visual name='seen'><origin xyz='1 0 0'/><geometry><sphere radius='1'/></geometry></visual>"
        "<collision name='felt'><geometry><sphere radius='1'/></geometry></collision>"
        "<visual name='seen'><geometry><sphere radius='1'/></geometry></visual>"));
    CHECK(r.diagnostics.empty());
    const auto& geoms = r.scene.geoms();
    REQUIRE(geoms.size() == 3);
    CHECK(geoms[0].spec.name == "felt");
    CHECK(geoms[0].spec.collides);
    CHECK(geoms[0].spec.contype == 1);
    CHECK(geoms[0].spec.conaffinity == 1);
    CHECK(geoms[0].spec.group == 0);
    CHECK(geoms[1].spec.name == "seen");
    CHECK_FALSE(geoms[1].spec.collides);
    CHECK(geoms[1].spec.contype == 0);
    CHECK(geoms[1].spec.conaffinity == 0);
    CHECK(geoms[1].spec.group == 1);
    CHECK(equal(geoms[1].spec.pose.pos, {1, 0, 0}));
    CHECK(geoms[2].spec.name.empty());  // names of geoms are unique here
    CHECK(geoms[0].body == r.scene.find_body("a"));
}

TEST_CASE("urdf: wrong shapes") {
    const auto shape = [](const char* text) {
        return UrdfResult(with_link(std::string("<collision><geometry>") + text + "</geometry></collision>"));
    };
    CHECK(shape("").says("r.urdf:3:12: error[E009]: <geometry> has no shape"));
    CHECK(shape("<sphere/>").says("r.urdf:3:22: error[E005]: <sphere> has no attribute 'radius'"));
    CHECK(shape("<sphere radius='-1'/>")
              .says("r.urdf:3:38: error[E006]: attribute 'radius' of <sphere> is negative"));
    CHECK(shape("<box size='1 1 -1'/>")
              .says("r.urdf:3:33: error[E006]: attribute 'size' of <box> is negative"));
    CHECK(shape("<box/>").says("r.urdf:3:22: error[E005]: <box> has no attribute 'size'"));
    CHECK(shape("<box size='1 1'/>").says("r.urdf:3:33: error[E007]"));
    CHECK(shape("<sphere radius='0,5'/>").says("r.urdf:3:38: error[E006]"));
    CHECK(shape("<mesh/>").says("r.urdf:3:22: error[E005]: <mesh> has no attribute 'filename'"));
    CHECK(
        UrdfResult(with_link("<collision/>")).says("r.urdf:3:1: error[E009]: <collision> has no <geometry>"));

    const UrdfResult flat = shape("<box size='1 0 1'/>");
    CHECK_FALSE(flat.failed);
    CHECK(flat.scene.geoms().empty());
    CHECK(flat.says("r.urdf:3:22: warning[W076]: <box> has no extent and was left out"));

    const UrdfResult two = shape("<sphere radius='1'/><sphere radius='2'/>");
    CHECK(two.scene.geoms().size() == 1);
    CHECK(two.says("r.urdf:3:42: warning[W011]: a second shape inside <geometry> was not read"));

    const UrdfResult unknown = shape("<shpere radius='1'/>");
    CHECK(unknown.says(
        "r.urdf:3:22: warning[W011]: <shpere> inside <geometry> is not known and was not read (did you "
        "mean 'sphere'?)"));
    CHECK(unknown.failed);
}

TEST_CASE("urdf: materials by value and by name") {
    const auto visual = [](const char* material) {
        return std::string("<visual><geometry><sphere radius='1'/></geometry>") + material + "</visual>";
    };
    const UrdfResult r("<robot name='r'>\n<link name='a'>" + visual("<material name='red'/>") +
                       visual("<material name='own'><color rgba='0 1 0 0.5'/></material>") +
                       visual("<material name='own'/>") + visual("") + visual("\n<material name='rde'/>") +
                       "</link><material name='red'><color rgba='1 0 0 1'/></material></robot>");
    CHECK_FALSE(r.failed);
    const auto& geoms = r.scene.geoms();
    REQUIRE(geoms.size() == 5);
    const std::array<double, 4> red{1, 0, 0, 1}, own{0, 1, 0, 0.5}, grey{0.5, 0.5, 0.5, 1};
    CHECK(geoms[0].spec.rgba == red);
    CHECK(geoms[1].spec.rgba == own);
    CHECK(geoms[2].spec.rgba == own);
    CHECK(geoms[3].spec.rgba == grey);
    CHECK(geoms[4].spec.rgba == grey);
    CHECK(r.diagnostics == "r.urdf:3:17: warning[W075]: there is no material 'rde' (did you mean 'red'?)\n");

    CHECK(UrdfResult("<robot name='r'><link name='a'/><material name='m'/>\n<material name='m'/></robot>")
              .says("r.urdf:2:17: error[E068]: there are two materials 'm'"));
    CHECK(UrdfResult(with_link(visual("<material><color rgba='1 1 1'/></material>"))).says("error[E007]"));
    CHECK(UrdfResult(with_link(visual("<material><texture filename=''/></material>"))).diagnostics.empty());
    CHECK(UrdfResult(with_link(visual("<material><texture filename='a.png'/></material>")))
              .says("warning[W062]: <texture> belongs to an extension and was not read"));
}
