// What closes loops in a URDF: the frames that each form gives, on mechanisms that are closed at zero.

#include "io/support_urdf.h"

#include <ligament/dynamics.h>
#include <ligament/model.h>
#include <ligament/state.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// A four-bar chain in the plane of x and z with the ground as one bar: 0 → a → b → c, each 1 long. The end of
// c is at (1, 0, 0) when all angles are zero.
std::string four_bar(const std::string& loop) {
    const std::string inertial =
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    const auto link = [&](const std::string& name) {
        return "<link name='" + name + "'>" + inertial + "</link>";
    };
    const auto joint = [](const std::string& parent, const std::string& child, const std::string& xyz) {
        return "<joint name='j" + child + "' type='continuous'><parent link='" + parent + "'/><child link='" +
               child + "'/><origin xyz='" + xyz + "'/><axis xyz='0 1 0'/></joint>";
    };
    return "<robot name='r'><link name='base'/>" + link("a") + link("b") + link("c") +
           joint("base", "a", "0 0 0") + joint("a", "b", "0 0 1") + joint("b", "c", "1 0 0") + loop +
           "</robot>";
}

// The pose of each end's frame in the world at zero.
struct Ends {
    Transformd a, b;
    JointType type;
    double residual = 0;
    int rows = 0;
};
Ends ends_of(const std::string& text) {
    const UrdfResult read(text);
    CAPTURE(read.diagnostics);
    CHECK(read.diagnostics == "");
    REQUIRE(read.scene.loops().size() == 1);
    const auto model = compile(read.scene);
    REQUIRE(model->loops.size() == 1);
    const Model::Loop& loop = model->loops[0];
    Workspace<double> ws(model);
    forward_kinematics(JointState<double>(*model), ws);
    std::vector<double> residual(loop.rows);
    loop_residual(ws, 0, residual);
    Ends out{body_pose(ws, loop.body_a) * loop.X_AF, body_pose(ws, loop.body_b) * loop.X_BM, loop.type};
    for (const double r : residual) out.residual = std::max(out.residual, std::abs(r));
    out.rows = loop.rows;
    return out;
}

void check_near(const Vec3d& got, const Vec3d& wanted) {
    for (int k = 0; k < 3; ++k) CHECK(std::abs(got[k] - wanted[k]) < 1e-15);
}

}  // namespace

TEST_CASE("urdf loops: a hinge in each form that has one") {
    for (
        const char* loop :
        {"<loop_joint name='l' type='revolute'><link1 link='base' xyz='1 0 0'/><link2 link='c' xyz='0 0 -1' "
         "rpy='0 0 0'/><axis xyz='0 1 0'/></loop_joint>",
         // The axis in frames that are turned: y is −z there.
         "<loop_joint name='l' type='continuous'><link1 link='base' xyz='1 0 0' rpy='1.5707963267948966 0 "
         "0'/><link2 link='c' xyz='0 0 -1' rpy='1.5707963267948966 0 0'/><axis xyz='0 0 -2'/></loop_joint>",
         "<constraint name='l' type='revolute'><parent link='base'/><parent_origin xyz='1 0 0'/><parent_axis "
         "xyz='0 1 0'/><child link='c'/><child_origin xyz='0 0 -1' rpy='0 0 1.5707963267948966'/><child_axis "
         "xyz='1 0 0'/></constraint>",
         "<gazebo><joint name='l' type='revolute'><parent>base</parent><child>\n c </child><pose>0 0 -1 0 0 "
         "0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>",
         "<gazebo><joint name='l' type='revolute'><parent>world</parent><child>c</child><pose>0 0 -1 0 0 "
         "1.5707963267948966</pose><axis><xyz>1 0 0</xyz></axis></joint></gazebo>"}) {
        CAPTURE(std::string(loop));
        const Ends ends = ends_of(four_bar(loop));
        CHECK(ends.type == JointType::hinge);
        CHECK(ends.rows == 5);
        CHECK(ends.residual < 1e-15);
        check_near(ends.a.p, {1, 0, 0});
        check_near(ends.a.R.z, {0, 1, 0});
        check_near(ends.b.R.z, {0, 1, 0});
    }
}

TEST_CASE("urdf loops: balls, by three names") {
    for (const char* loop :
         {"<loop_joint name='l' type='spherical'><link1 link='base' xyz='1 0 0'/><link2 link='c' xyz='0 0 "
          "-1'/></loop_joint>",
          "<constraint name='l' type='ball'><parent link='base'/><parent_origin xyz='1 0 0'/><child "
          "link='c'/>"
          "<child_origin xyz='0 0 -1'/></constraint>",
          "<drake:ball_constraint><drake:ball_constraint_body_A name='base'/><drake:ball_constraint_body_B "
          "name='c'/><drake:ball_constraint_p_AP value='1 0 0'/><drake:ball_constraint_p_BQ value='0 0 -1'/>"
          "</drake:ball_constraint>"}) {
        CAPTURE(std::string(loop));
        const Ends ends = ends_of(four_bar(loop));
        CHECK(ends.type == JointType::ball);
        CHECK(ends.rows == 3);
        CHECK(ends.residual < 1e-15);
        check_near(ends.b.p, {1, 0, 0});
    }
}

TEST_CASE("urdf loops: a universal joint has an axis on each link") {
    const Ends ends = ends_of(four_bar(
        "<constraint name='l' type='universal'><parent link='base'/><parent_origin xyz='1 0 0'/>"
        "<parent_axis xyz='0 1 0'/><child link='c'/><child_origin xyz='0 0 -1'/><child_axis xyz='1 0 0'/>"
        "</constraint>"));
    CHECK(ends.type == JointType::universal);
    CHECK(ends.rows == 4);
    CHECK(ends.residual < 1e-15);
    check_near(ends.a.R.x, {0, 1, 0});
    check_near(ends.b.R.y, {1, 0, 0});
}

TEST_CASE("urdf loops: links that a loop joins do not collide") {
    const UrdfResult read(
        four_bar("<loop_joint name='l' type='fixed'><link1 link='a'/><link2 link='c'/></loop_joint>"));
    REQUIRE(read.scene.exclusions().size() == 2);  // the first is of the base and a
    CHECK(read.scene.exclusions()[1].a == read.scene.find_body("a"));
    CHECK(read.scene.exclusions()[1].b == read.scene.find_body("c"));
}

TEST_CASE("urdf loops: what is wrong is named with its place") {
    const auto says = [](const std::string& loop, const char* text) {
        const UrdfResult read(four_bar("\n" + loop));
        CAPTURE(read.diagnostics);
        CHECK(read.says(text));
    };
    says("<loop_joint name='l' type='spherical'><link1 link='bse'/><link2 link='c'/></loop_joint>",
         "r.urdf:2:52: error[E067]: the loop 'l' names link 'bse', but no link has this name (did you mean "
         "'base'?)");
    says("<loop_joint name='l' type='spherical'><link1 link='base'/></loop_joint>",
         "r.urdf:2:1: error[E009]: <loop_joint \"l\"> has no <link2>");
    says("<loop_joint name='l' type='sphere'><link1 link='base'/><link2 link='c'/></loop_joint>",
         "error[E008]");
    says(
        "<loop_joint name='l' type='revolute'><link1 link='base'/><link2 link='c'/><axis xyz='0 0 0'/>"
        "</loop_joint>",
        "error[E069]: the axis of <loop_joint \"l\"> is zero or beyond measure");
    says("<loop_joint name='l' type='universal'><link1 link='base'/><link2 link='c'/></loop_joint>",
         "error[E009]: <loop_joint \"l\"> is universal and needs two axes");
    says(
        "<constraint name='l' type='prismatic'><parent link='base'/><parent_axis xyz='1 0 0'/><child "
        "link='c'/>"
        "<child_axis xyz='0 1 0'/></constraint>",
        "error[E069]: <constraint \"l\"> has two axes");
    says(
        "<loop_joint name='l' type='revolute'><link1 link='base'/><link2 link='c'/><limit "
        "lower='0'/></loop_joint>",
        "warning[W011]: <limit> inside <loop_joint \"l\"> is not known");
    says(
        "<gazebo><joint name='l' type='revolute'><parent>base</parent><child>c</child><pose>1 "
        "2</pose></joint>"
        "</gazebo>",
        "error[E007]: <pose> of <joint \"l\"> needs 6 numbers");
    says(
        "<gazebo><joint name='l' type='revolute'><parent>base</parent><child>c</child><physics/></joint>"
        "<plugin/></gazebo>",
        "warning[W011]: <physics> of <joint \"l\">, which closes a loop");
    says(
        "<gazebo><joint name='l' "
        "type='revolute'><parent>base</parent><child>c</child></joint><plugin/></gazebo>",
        "warning[W062]: <gazebo> belongs to an extension");
}
