// worldbody: nesting, poses and orientations, frames, inertial, sites.

#include "io/mjcf_support.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

const double half = std::sqrt(0.5);

}  // namespace

TEST_CASE("MJCF bodies nest, and keep their names and places") {
    const ReadMjcf m(
        "<mujoco model='two links'>\n"
        "  <worldbody>\n"
        "    <body name='upper' pos='0 0 2'>\n"
        "      <body pos='1 -2 3'/>\n"
        "    </body>\n"
        "    <body name='second' gravcomp='0.25'/>\n"
        "  </worldbody>\n"
        "</mujoco>\n");
    CHECK(m.messages() == "");
    CHECK(m.scene.name == "two links");
    REQUIRE(m.scene.bodies().size() == 4);
    CHECK(m.scene.bodies()[1].spec.name == "upper");
    CHECK(m.scene.bodies()[1].parent == world);
    check_vec(m.scene.bodies()[1].spec.pose.pos, {0, 0, 2});
    CHECK(m.scene.bodies()[2].spec.name == "");
    CHECK(m.scene.bodies()[2].parent.index == 1);
    check_vec(m.scene.bodies()[2].spec.pose.pos, {1, -2, 3});
    CHECK(m.scene.bodies()[2].spec.where.to_string() == "m.xml:4:7");
    CHECK(m.scene.bodies()[3].parent == world);
    CHECK(m.scene.bodies()[3].spec.gravity_scale == 0.75);
    CHECK_FALSE(m.scene.bodies()[3].spec.inertial.has_value());
}

TEST_CASE("MJCF orientations in all their forms") {
    const auto quat = [](const std::string& attribute, const std::string& compiler = "") {
        const ReadMjcf m = read_model("<compiler " + compiler + "/><worldbody><body name='b' " + attribute +
                                      "/></worldbody>");
        CHECK(m.messages() == "");
        return m.body("b").pose.quat;
    };
    check_quat(quat(""), {1, 0, 0, 0});
    // Scaled to unit length.
    check_quat(quat("quat='0 3 0 4'"), {0, 0.6, 0, 0.8});
    check_quat(quat("quat='1e-9 0 0 1e-9'"), {half, 0, 0, half});
    // 90 degrees about z; the axis need not have unit length.
    check_quat(quat("axisangle='0 0 5 90'"), {half, 0, 0, half});
    check_quat(quat("axisangle='0 0 5 1.5707963267948966'", "angle='radian'"), {half, 0, 0, half});
    // x to y, y to -x: again 90 degrees about z. The second axis is made orthogonal to the first.
    check_quat(quat("xyaxes='0 2 0 -3 0.5 0'"), {half, 0, 0, half});
    // Half turns, where the scalar part is zero: about x, y and z.
    check_quat(quat("xyaxes='1 0 0 0 -1 0'"), {0, 1, 0, 0});
    check_quat(quat("xyaxes='-1 0 0 0 1 0'"), {0, 0, 1, 0});
    check_quat(quat("xyaxes='-1 0 0 0 -1 0'"), {0, 0, 0, 1});
    // The shortest turn from z to x is 90 degrees about y; none for z; half a turn about x for -z.
    check_quat(quat("zaxis='7 0 0'"), {half, 0, half, 0});
    check_quat(quat("zaxis='0 0 2'"), {1, 0, 0, 0});
    check_quat(quat("zaxis='0 0 -1'"), {0, 1, 0, 0});
    // 90 degrees about x, then 90 about the new y: (h, h, 0, 0)(h, 0, h, 0) = (1/2, 1/2, 1/2, 1/2).
    check_quat(quat("euler='90 90 0'"), {0.5, 0.5, 0.5, 0.5});
    // About fixed axes the factors come in the other order: (h, 0, h, 0)(h, h, 0, 0) = (1/2, 1/2, 1/2, -1/2).
    check_quat(quat("euler='90 90 0'", "eulerseq='XYZ'"), {0.5, 0.5, 0.5, -0.5});
    // 90 about z, then 90 about the new x: (h, 0, 0, h)(h, h, 0, 0) = (1/2, 1/2, 1/2, 1/2).
    check_quat(quat("euler='90 90 0'", "eulerseq='zxy'"), {0.5, 0.5, 0.5, 0.5});
    check_quat(quat("euler='0 0 1.5707963267948966'", "angle='radian'"), {half, 0, 0, half});
}

TEST_CASE("MJCF orientations that are ambiguous or have no length") {
    CHECK(read_world("<body quat='1 0 0 0' euler='0 0 9'/>").messages() ==
          "m.xml:1:48: error[E083]: <body> gives its orientation both as 'quat' and as 'euler' (keep one of "
          "them)\n");
    CHECK(read_world("<body name='b' quat='0 0 0 0'/>").messages() ==
          "m.xml:1:41: error[E083]: attribute 'quat' of <body \"b\">: the quaternion has no length\n");
    CHECK(read_world("<body zaxis='0 0 0'/>").messages() ==
          "m.xml:1:33: error[E083]: attribute 'zaxis' of <body>: the axis has no length\n");
    CHECK(read_world("<body xyaxes='1 0 0 2 0 0'/>").messages() ==
          "m.xml:1:34: error[E083]: attribute 'xyaxes' of <body>: the two axes are parallel\n");
    CHECK(read_world("<body axisangle='0 0 0 1'/>").messages() ==
          "m.xml:1:37: error[E083]: attribute 'axisangle' of <body>: the axis has no length\n");
    CHECK(count_code(read_world("<body quat='1 0 0 nan'/>").log, "E006") == 1);
    CHECK(count_code(read_world("<body euler='1 0'/>").log, "E007") == 1);
    CHECK(
        read_model("<compiler eulerseq='xyw'/>").messages() ==
        "m.xml:1:29: error[E008]: attribute 'eulerseq' of <compiler>: 'xyw' is not a sequence of three axes "
        "(write three of x, y, z (axes that turn along) or X, Y, Z (fixed axes))\n");
}

TEST_CASE("MJCF frames move what is in them") {
    // The frame turns by 90 degrees about z and shifts by (1, 0, 0): p becomes (1 - p_y, p_x, p_z).
    const ReadMjcf m = read_world(
        "<body name='b'><frame name='f' pos='1 0 0' euler='0 0 90'>"
        "<joint name='j' pos='0.5 0 0' axis='1 0 0'/><geom name='g' size='1' pos='0 2 0'/>"
        "<site name='s' pos='1 1 1'/><body name='c' pos='3 0 0'><geom name='inner' size='1'/></body>"
        "<frame pos='1 0 0' euler='0 0 90'><body name='d'/></frame></frame><site name='outside' pos='1 1 "
        "1'/></body>");
    CHECK(m.messages() == "");
    check_vec(m.joint("j").pos, {1, 0.5, 0});
    check_vec(m.joint("j").axis, {0, 1, 0});
    check_vec(m.geom("g").pose.pos, {-1, 0, 0});
    check_quat(m.geom("g").pose.quat, {half, 0, 0, half});
    check_vec(m.site("s").pose.pos, {0, 1, 1});
    check_vec(m.body("c").pose.pos, {1, 3, 0});
    check_quat(m.body("c").pose.quat, {half, 0, 0, half});
    CHECK(m.scene.bodies()[m.scene.find_body("c").index].parent == m.scene.find_body("b"));
    check_vec(m.geom("inner").pose.pos, {0, 0, 0});
    check_vec(m.body("d").pose.pos, {1, 1, 0});
    check_quat(m.body("d").pose.quat, {0, 0, 0, 1});
    check_vec(m.site("outside").pose.pos, {1, 1, 1});
}

TEST_CASE("MJCF inertial") {
    const std::string text =
        "<body name='diagonal'><inertial pos='1 2 3' mass='4' diaginertia='5 6 7' euler='0 0 90'/></body>"
        "<body name='full'><inertial pos='0 0 0' mass='1' fullinertia='1 2 3 0.1 0.2 0.3'/></body>"
        "<body name='none'><geom size='1'/></body>";
    SUBCASE("as given") {
        const ReadMjcf m = read_world(text);
        CHECK(m.messages() == "");
        const InertialSpec& diagonal = *m.body("diagonal").inertial;
        CHECK(diagonal.mass == 4);
        check_vec(diagonal.frame.pos, {1, 2, 3});
        check_quat(diagonal.frame.quat, {half, 0, 0, half});
        CHECK(diagonal.inertia.xx == 5);
        CHECK(diagonal.inertia.yy == 6);
        CHECK(diagonal.inertia.zz == 7);
        const InertialSpec& full = *m.body("full").inertial;
        CHECK(full.inertia.xx == 1);
        CHECK(full.inertia.yy == 2);
        CHECK(full.inertia.zz == 3);
        CHECK(full.inertia.xy == 0.1);
        CHECK(full.inertia.xz == 0.2);
        CHECK(full.inertia.yz == 0.3);
        CHECK_FALSE(m.body("none").inertial.has_value());
    }
    SUBCASE("inertiafromgeom=true leaves it out") {
        const ReadMjcf m =
            read_model("<compiler inertiafromgeom='true'/><worldbody>" + text + "</worldbody>");
        CHECK(m.messages() == "");
        CHECK_FALSE(m.body("diagonal").inertial.has_value());
    }
    SUBCASE("inertiafromgeom=false never asks the geoms") {
        const ReadMjcf m =
            read_model("<compiler inertiafromgeom='false'/><worldbody>" + text + "</worldbody>");
        CHECK(m.messages() == "");
        CHECK(m.body("diagonal").inertial->mass == 4);
        REQUIRE(m.body("none").inertial.has_value());
        CHECK(m.body("none").inertial->mass == 0);
    }
    SUBCASE("errors") {
        CHECK(read_world("<body><inertial pos='0 0 0'/></body>").messages() ==
              "m.xml:1:26: error[E005]: <inertial> has no attribute 'mass' (add mass=\"…\")\n");
        CHECK(read_world("<body><inertial mass='1'/></body>").messages() ==
              "m.xml:1:26: error[E005]: <inertial> has no attribute 'pos' (add pos=\"…\")\n");
        CHECK(read_world("<body><inertial pos='0 0 0' mass='-1'/></body>").messages() ==
              "m.xml:1:54: error[E006]: attribute 'mass' of <inertial> must not be negative\n");
        CHECK(
            read_world("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"
                       "</body>")
                .messages() ==
            "m.xml:1:90: error[E088]: <inertial> has both 'diaginertia' and 'fullinertia' (keep one of "
            "them)\n");
        CHECK(count_code(
                  read_world("<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>"
                             "</body>")
                      .log,
                  "E088") == 1);
        CHECK(read_world("<inertial pos='0 0 0' mass='1'/>").messages() ==
              "m.xml:1:20: error[E088]: <inertial> inside <worldbody> has no meaning (put it directly into a "
              "<body>)\n");
        CHECK(read_world("<body><inertial pos='0 0 0' mass='1'/><inertial pos='0 0 0' mass='1'/></body>")
                  .messages() == "m.xml:1:58: error[E088]: a body has one <inertial>; this is another\n");
    }
}

TEST_CASE("MJCF mocap bodies are kinematic") {
    const ReadMjcf m = read_world("<body name='hand' mocap='true'/><body name='other' mocap='false'/>");
    CHECK(m.messages() == "");
    CHECK(m.body("hand").kinematic);
    CHECK_FALSE(m.body("other").kinematic);
    CHECK(read_world("<body><body name='b' mocap='true'/></body>").messages() ==
          "m.xml:1:48: error[E088]: <body \"b\">: a mocap body must be a child of the world\n");
    CHECK(read_world("<body mocap='true'><joint/></body>").messages() ==
          "m.xml:1:39: error[E088]: <joint>: a mocap body has no joints\n");
}

TEST_CASE("MJCF sites") {
    const ReadMjcf m = read_world(
        "<site name='a' pos='1 2 3' zaxis='1 0 0' type='box' size='1 1 1' rgba='1 0 0 1'/>"
        "<body><site name='b' type='capsule' fromto='1 0 0 3 0 0' size='0.1'/></body>");
    CHECK(m.messages() == "");
    check_vec(m.site("a").pose.pos, {1, 2, 3});
    check_quat(m.site("a").pose.quat, {half, 0, half, 0});
    // z points from the second point to the first, here along -x.
    check_vec(m.site("b").pose.pos, {2, 0, 0});
    check_quat(m.site("b").pose.quat, {half, 0, -half, 0});
    CHECK(m.scene.sites()[1].body.index == 1);
}

TEST_CASE("MJCF names are used once") {
    CHECK(read_world("<body name='a'/><body name='a'/>").messages() ==
          "m.xml:1:36: error[E086]: there are two of kind body named 'a' (the first is at m.xml:1:20)\n");
    // One body may have the world's name, as links of URDF do; then it is meant.
    const ReadMjcf shadow = read_model(
        "<worldbody><body name='world'/><body name='a'/></worldbody>"
        "<contact><exclude body1='world' body2='a'/></contact>");
    CHECK(shadow.messages() == "");
    CHECK(shadow.scene.exclusions()[0].a.index == 1);
    CHECK(read_world("<body name='world'/><body name='world'/>").messages() ==
          "m.xml:1:40: error[E086]: there are two of kind body named 'world' (the first is at m.xml:1:20)\n");
    CHECK(read_world("<body name='a'><joint name='a'/><geom name='a' size='1'/><site name='a'/></body>")
              .messages() == "");
}

TEST_CASE("MJCF elements and attributes that are not known are named") {
    CHECK(read_world("<bdy/>").messages() ==
          "m.xml:1:20: warning[W011]: <bdy> inside <worldbody> is not known and was not read (did you mean "
          "'body'?)\n");
    CHECK(read_world("<body pso='0 0 1'/>").messages() ==
          "m.xml:1:31: warning[W010]: attribute 'pso' of <body> is not known and was not read (did you mean "
          "'pos'?)\n");
    CHECK(read_model("<worldboby/>").messages() ==
          "m.xml:1:9: warning[W011]: <worldboby> inside <mujoco> is not known and was not read (did you mean "
          "'worldbody'?)\n");
    CHECK(read_world("<camera name='c' pos='0 0 1'/><light directional='true'/>").messages() == "");
    CHECK(read_model("<size njmax='10'/><statistic extent='1'/><visual><map force='1'/></visual><custom/>")
              .messages() == "");
}

TEST_CASE("MJCF elements that build bodies are refused") {
    const ReadMjcf m = read_world("<composite type='cable'/><body><flexcomp name='x'/></body><composite/>");
    CHECK(
        m.messages() ==
        "m.xml:1:20: error[U090]: <composite> is not supported; 2 times, first here (write the bodies out)\n"
        "m.xml:1:51: error[U090]: <flexcomp> is not supported (write the bodies out)\n");
    try {
        Diagnostics log;
        parse_scene("<mujoco><worldbody><composite/></worldbody></mujoco>", "m.xml", {}, log);
        FAIL("not refused");
    } catch (const InputError& error) { CHECK(error.kind() == ErrorKind::unsupported); }
}
