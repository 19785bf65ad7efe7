// Joints: kinds, units, limits, springs, and our own kinds.

#include "io/mjcf_support.h"

#include <limits>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

ReadMjcf read_joint(const std::string& joint, const std::string& before = "") {
    return read_model(before + "<worldbody><body name='b'>" + joint + "</body></worldbody>");
}

}  // namespace

TEST_CASE("MJCF joint with nothing said") {
    const ReadMjcf m = read_joint("<joint/>");
    CHECK(m.messages() == "");
    const JointSpec& joint = m.scene.joints()[0].spec;
    CHECK(joint.name == "");
    CHECK(joint.type == JointType::hinge);
    check_vec(joint.pos, {0, 0, 0});
    check_vec(joint.axis, {0, 0, 1});
    CHECK(joint.range[0].lower == -infinity);
    CHECK(joint.range[0].upper == infinity);
    CHECK(joint.spring_reference == 0.0);
    CHECK(joint.effort.upper == infinity);
}

TEST_CASE("MJCF hinge: angles are degrees unless the compiler says otherwise") {
    const std::string text =
        "<joint name='j' type='hinge' pos='1 2 3' axis='0 2 0' range='-90 180' ref='45' springref='30' "
        "stiffness='2' damping='3' armature='4' frictionloss='5' actuatorfrcrange='-7 7' group='1' user='1 "
        "2' "
        "solreflimit='0.1 1'/>";
    SUBCASE("degrees") {
        const ReadMjcf m = read_joint(text);
        CHECK(m.messages() == "");
        const JointSpec& joint = m.joint("j");
        check_vec(joint.pos, {1, 2, 3});
        check_vec(joint.axis, {0, 2, 0});
        CHECK(joint.range[0].lower == doctest::Approx(-pi / 2).epsilon(1e-15));
        CHECK(joint.range[0].upper == doctest::Approx(pi).epsilon(1e-15));
        CHECK(joint.reference == doctest::Approx(pi / 4).epsilon(1e-15));
        CHECK(joint.spring_reference.value() == doctest::Approx(pi / 6).epsilon(1e-15));
        CHECK(joint.stiffness == 2);
        CHECK(joint.damping == 3);
        CHECK(joint.armature == 4);
        CHECK(joint.friction_loss == 5);
        CHECK(joint.effort.upper == 7);
    }
    SUBCASE("radians") {
        const ReadMjcf m = read_joint(text, "<compiler angle='radian'/>");
        CHECK(m.joint("j").range[0].upper == 180);
        CHECK(m.joint("j").reference == 45);
        CHECK(m.joint("j").spring_reference == 30.0);
    }
    SUBCASE("the compiler element may come last") {
        const ReadMjcf m = read_model(
            "<worldbody><body><joint name='j' ref='2'/></body></worldbody>"
            "<compiler angle='radian'/>");
        CHECK(m.joint("j").reference == 2);
    }
}

TEST_CASE("MJCF slide: lengths stay lengths") {
    const ReadMjcf m = read_joint("<joint name='j' type='slide' range='-1 2' ref='3' springref='4'/>");
    CHECK(m.messages() == "");
    CHECK(m.joint("j").type == JointType::slide);
    CHECK(m.joint("j").range[0].lower == -1);
    CHECK(m.joint("j").range[0].upper == 2);
    CHECK(m.joint("j").reference == 3);
    CHECK(m.joint("j").spring_reference == 4.0);
}

TEST_CASE("MJCF ball and free joints") {
    const ReadMjcf m = read_world(
        "<body><joint name='ball' type='ball' range='0 90'/></body>"
        "<body><freejoint name='free'/></body><body><joint name='also' type='free' damping='2' pos='1 1 "
        "1'/></body>");
    CHECK(m.messages() == "");
    CHECK(m.joint("ball").type == JointType::ball);
    CHECK(m.joint("ball").cone.value() == doctest::Approx(pi / 2).epsilon(1e-15));
    CHECK(m.joint("ball").range[0].upper == infinity);
    CHECK(m.joint("free").type == JointType::free);
    CHECK(m.joint("also").type == JointType::free);
    CHECK(m.joint("also").damping == 2);
    check_vec(m.joint("also").pos, {0, 0, 0});
}

TEST_CASE("MJCF freejoint is not touched by default classes") {
    const ReadMjcf m = read_model(
        "<default><joint damping='3' armature='1' range='-1 1'/></default>"
        "<worldbody><body><freejoint name='f'/></body></worldbody>");
    CHECK(m.messages() == "");
    CHECK(m.joint("f").damping == 0);
    CHECK(m.joint("f").armature == 0);
}

TEST_CASE("MJCF limits: when they hold") {
    const auto limited = [](const std::string& joint, const std::string& compiler) {
        const ReadMjcf m = read_joint("<joint name='j' type='slide' " + joint + "/>", compiler);
        CHECK(m.messages() == "");
        return m.joint("j").range[0].upper == 1;
    };
    CHECK(limited("range='0 1'", ""));
    CHECK(limited("range='0 1' limited='auto'", ""));
    CHECK(limited("range='0 1' limited='true'", ""));
    CHECK_FALSE(limited("range='0 1' limited='false'", ""));
    CHECK_FALSE(limited("", ""));
    const std::string off = "<compiler autolimits='false'/>";
    CHECK(limited("range='0 1' limited='true'", off));
    CHECK_FALSE(limited("range='0 1' limited='false'", off));
    CHECK_FALSE(limited("", off));
    CHECK(read_joint("<joint name='j' range='0 1'/>", off).messages() ==
          "m.xml:1:88: error[E085]: <joint \"j\"> has 'range', but it is not said whether that holds (write "
          "limited=\"true\" or \"false\", or <compiler autolimits=\"true\"/>)\n");
}

TEST_CASE("MJCF limits that make no sense") {
    CHECK(
        read_joint("<joint range='2 1' limited='true'/>").messages() ==
        "m.xml:1:49: error[E085]: <joint>: the lower end of the range must be smaller than the upper end\n");
    CHECK(read_joint("<joint range='1 1' limited='true'/>").messages() == "");  // held at one value
    // MuJoCo takes such a range for none unless `limited` insists.
    CHECK(read_joint("<joint range='1 0'/>").messages() ==
          "m.xml:1:49: warning[W094]: <joint>: the lower end of the range is not below the upper end, so it "
          "does "
          "not hold (swap the numbers, or remove it)\n");
    CHECK(read_joint("<joint range='0 0'/>", "<default><joint range='0 1'/></default>").messages() == "");
    CHECK(read_joint("<joint limited='true'/>").messages() ==
          "m.xml:1:51: error[E085]: <joint> is limited, but has no range (add range=\"lower upper\")\n");
    CHECK(
        read_joint("<joint type='ball' range='10 20'/>").messages() ==
        "m.xml:1:61: error[E085]: <joint>: the range of a ball starts at 0; its end is the largest angle\n");
    // A class that limits a ball without a range: MuJoCo then holds every rotation.
    const ReadMjcf held = read_joint("<joint type='ball'/>", "<default><joint limited='true'/></default>");
    CHECK(held.messages() ==
          "m.xml:1:77: warning[W095]: <joint> is limited, but its range leaves no angle: it does not turn "
          "(add range=\"0 angle\", or limited=\"false\")\n");
    CHECK(held.scene.joints()[0].spec.cone == 0.0);
    CHECK(read_joint("<joint type='ball' limited='true' range='0 -3'/>").scene.joints()[0].spec.cone == 0.0);
    CHECK(read_joint("<joint type='free' range='0 1'/>").messages() ==
          "m.xml:1:61: warning[W094]: <joint>: a free joint has no limits (remove 'range' and 'limited')\n");
    CHECK(read_joint("<joint type='free'/>", "<default><joint range='0 1'/></default>").messages() == "");
    CHECK(read_joint("<joint range='1 2 3'/>").messages() ==
          "m.xml:1:49: error[E007]: <joint> needs 2 numbers in its range, not 3 (lower and upper for each "
          "coordinate)\n");
    CHECK(count_code(read_joint("<joint range='1 inf'/>").log, "E006") == 1);
    CHECK(count_code(read_joint("<joint actuatorfrcrange='2 1'/>").log, "W094") == 1);
    CHECK(count_code(read_joint("<joint actuatorfrcrange='2 1' actuatorfrclimited='true'/>").log, "E120") ==
          1);
    CHECK(read_joint("<joint actuatorfrcrange='-1 2'/>").messages() == "");
}

TEST_CASE("MJCF joints in places and with values that are refused") {
    CHECK(read_world("<joint/>").messages() ==
          "m.xml:1:20: error[E088]: <joint>: the world has no joints (put it into a <body>)\n");
    CHECK(read_joint("<body><freejoint/></body>").messages() ==
          "m.xml:1:41: error[E088]: <freejoint>: a free joint must be on a child of the world (elsewhere, "
          "write "
          "<joint type=\"free\"/>)\n");
    CHECK(read_joint("<joint axis='0 0 0'/>").messages() ==
          "m.xml:1:48: error[E083]: attribute 'axis' of <joint>: the axis has no length\n");
    CHECK(read_joint("<joint damping='-1'/>").messages() ==
          "m.xml:1:51: error[E006]: attribute 'damping' of <joint> must not be negative\n");
    CHECK(read_joint("<joint type='hing'/>").messages() ==
          "m.xml:1:48: error[E008]: attribute 'type' of <joint>: 'hing' is not one of hinge, slide, ball, "
          "free, "
          "universal, cylindrical, planar, screw (did you mean 'hinge'?)\n");
    CHECK(read_joint("<joint type='ball' ref='1'/>").messages() ==
          "m.xml:1:59: warning[W094]: attribute 'ref' of <joint> has no effect on joints of this type\n");
    CHECK(count_code(read_joint("<joint springdamper='0.1 0'/>").log, "E006") == 1);
    CHECK(count_code(read_joint("<joint stiffness='1 2 3 4'/>").log, "E007") == 1);
}

TEST_CASE("MJCF joints: springs and dampers of higher order, softness, margin") {
    const ReadMjcf m = read_joint(
        "<joint name='j' stiffness='1 -2 3' damping='4 5' springdamper='0.1 0.7' margin='5' "
        "actuatorgravcomp='true' "
        "group='2' actuatorfrcrange='-1 2' solreflimit='0.1 0.2' solimplimit='0.8' solreffriction='0.3' "
        "solimpfriction='0.7' user='1'/><joint name='k' class='c' stiffness='9'/>",
        "<default><default class='c'><joint stiffness='1 2 3' springdamper='1 1'/></default></default>");
    CHECK(m.messages() == "");
    const JointSpec& j = m.joint("j");
    CHECK(j.stiffness == 1);
    CHECK(j.stiffness_poly == std::array<double, 2>{-2, 3});
    CHECK(j.damping == 4);
    CHECK(j.damping_poly == std::array<double, 2>{5, 0});
    CHECK(j.spring_damper == std::array<double, 2>{0.1, 0.7});
    CHECK(j.margin == 5);  // not in degrees
    CHECK(j.actuators_carry_gravity);
    CHECK(j.group == 2);
    CHECK(j.effort == Range{-1, 2});
    CHECK(j.soft_limit == Softness{{0.1, 0.2}, {0.8, 0.95, 0.001, 0.5, 2}});
    CHECK(j.soft_friction == Softness{{0.3, 1}, {0.7, 0.95, 0.001, 0.5, 2}});
    CHECK(m.joint("k").stiffness == 9);
    CHECK(m.joint("k").stiffness_poly == std::array<double, 2>{2, 3});
}

TEST_CASE("our own: cone, swing and twist of balls, in the unit of the file") {
    const std::string ball = "<joint name='j' type='ball' axis='1 0 0' swing='30' twist='-45 90'/>";
    const ReadMjcf degrees = read_joint(ball);
    CHECK(degrees.messages() == "");
    CHECK(*degrees.joint("j").swing == doctest::Approx(pi / 6).epsilon(1e-15));
    CHECK(degrees.joint("j").twist->lower == doctest::Approx(-pi / 4).epsilon(1e-15));
    CHECK(degrees.joint("j").twist->upper == doctest::Approx(pi / 2).epsilon(1e-15));
    CHECK(!degrees.joint("j").cone);
    CHECK(*read_joint(ball, "<compiler angle='radian'/>").joint("j").swing == 30);
    CHECK(*read_joint("<joint name='j' type='ball' cone='90'/>").joint("j").cone ==
          doctest::Approx(pi / 2).epsilon(1e-15));
    CHECK(count_code(read_joint("<joint type='ball' cone='90' range='0 90'/>").log, "E085") == 1);
    CHECK(count_code(read_joint("<joint type='hinge' swing='90'/>").log, "E085") == 1);
    CHECK(count_code(read_joint("<joint type='ball' twist='2 1'/>").log, "E085") == 1);
}

TEST_CASE("our own: kinds of bodies") {
    const ReadMjcf m =
        read_world("<body name='p' kind='planar'/><body name='q' kind='particle'/><body name='r'/>");
    CHECK(m.messages() == "");
    CHECK(m.body("p").kind == BodyKind::planar);
    CHECK(m.body("q").kind == BodyKind::particle);
    CHECK(m.body("r").kind == BodyKind::rigid);
    CHECK(count_code(read_world("<body kind='round'/>").log, "E008") == 1);
}

TEST_CASE("MJCF: several joints of a body stay in their order") {
    const ReadMjcf m = read_joint(
        "<joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0'/><geom size='1'/>"
        "<joint name='z'/>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.bodies()[1].joints.size() == 3);
    CHECK(m.scene.joints()[m.scene.bodies()[1].joints[0].index].spec.name == "x");
    CHECK(m.scene.joints()[m.scene.bodies()[1].joints[2].index].spec.name == "z");
}

TEST_CASE("joint kinds beyond MJCF") {
    const ReadMjcf m = read_world(
        "<body><joint name='u' type='universal' axis='1 0 0' axis2='0 0 1' range='-90 90 -45 45'/></body>"
        "<body><joint name='c' type='cylindrical' axis='0 1 0' range='-180 180 -2 3'/></body>"
        "<body><joint name='p' type='planar' range='-1 1 -2 2 -90 90'/></body>"
        "<body><joint name='s' type='screw' pitch='0.01' range='0 360'/></body>");
    CHECK(m.messages() == "");
    CHECK(m.joint("u").type == JointType::universal);
    check_vec(m.joint("u").axis, {1, 0, 0});
    check_vec(m.joint("u").axis2, {0, 0, 1});
    CHECK(m.joint("u").range[0].upper == doctest::Approx(pi / 2).epsilon(1e-15));
    CHECK(m.joint("u").range[1].upper == doctest::Approx(pi / 4).epsilon(1e-15));
    CHECK(m.joint("c").type == JointType::cylindrical);
    CHECK(m.joint("c").range[0].lower == doctest::Approx(-pi).epsilon(1e-15));
    CHECK(m.joint("c").range[1].lower == -2);
    CHECK(m.joint("c").range[1].upper == 3);
    CHECK(m.joint("p").type == JointType::planar);
    CHECK(m.joint("p").range[1].upper == 2);
    CHECK(m.joint("p").range[2].upper == doctest::Approx(pi / 2).epsilon(1e-15));
    CHECK(m.joint("s").type == JointType::screw);
    CHECK(m.joint("s").pitch == 0.01);
    CHECK(m.joint("s").range[0].upper == doctest::Approx(2 * pi).epsilon(1e-15));
    CHECK(count_code(read_world("<body><joint type='planar' range='-1 1'/></body>").log, "E007") == 1);
}

TEST_CASE("MJCF ball with a stiffness about each of three axes") {
    const ReadMjcf m = read_model(
        "<default><joint axisstiffness='9 9 9'/></default><worldbody><body>"
        "<joint name='plain' type='ball' axisstiffness='1 2 3' damping='4'/></body><body><frame euler='0 0 "
        "90'>"
        "<joint name='turned' type='ball' stiffnessaxes='0 2 0 0'/></frame></body>"
        "<body><joint name='hinge'/></body></worldbody>");
    CHECK(m.messages() == "");
    check_vec(m.joint("plain").axis_stiffness.value(), {1, 2, 3});
    check_quat(m.joint("plain").stiffness_axes, {1, 0, 0, 0});
    CHECK(m.joint("plain").stiffness == 0);
    CHECK(m.joint("plain").damping == 4);
    check_vec(m.joint("turned").axis_stiffness.value(), {9, 9, 9});
    // Half a turn about x, then a quarter about z.
    const double s = std::sqrt(0.5);
    check_quat(m.joint("turned").stiffness_axes, {0, s, s, 0});
    CHECK_FALSE(m.joint("hinge").axis_stiffness.has_value());

    const auto places = [](const std::string& joint) { return read_joint(joint).messages(); };
    CHECK(contains(places("<joint axisstiffness='1 2 3'/>"), "m.xml:1:57"));
    CHECK(contains(places("<joint axisstiffness='1 2 3'/>"), "E170"));
    CHECK(contains(places("<joint type='slide' stiffnessaxes='1 0 0 0'/>"), "E170"));
    CHECK(contains(places("<joint type='ball' axisstiffness='1 2'/>"), "E00"));
    CHECK(contains(places("<joint type='ball' axisstiffness='1 2 3' stiffnessaxes='0 0 0 0'/>"), "E083"));
}
