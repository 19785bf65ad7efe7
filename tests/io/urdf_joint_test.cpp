#include "io/support_urdf.h"

#include <doctest/doctest.h>

#include <limits>

using namespace lig;
using lig::test::count_code;
using lig::test::UrdfResult;
using lig::test::with_joint;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const char* const full_limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";

}  // namespace

TEST_CASE("urdf: the types of joints") {
    const struct {
        const char* name;
        JointType type;
    } cases[] = {
        {"revolute", JointType::hinge},
        {"continuous", JointType::hinge},
        {"prismatic", JointType::slide},
        {"floating", JointType::free},
        {"planar", JointType::planar},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const UrdfResult r(with_joint(c.name, c.type == JointType::free ? "" : "<axis xyz='0 2 0'/>"));
        REQUIRE_FALSE(r.failed);
        const Scene::Joint& joint = r.joint("j");
        CHECK(joint.spec.type == c.type);
        CHECK(joint.body == r.scene.find_body("b"));
        CHECK(joint.spec.where.to_string() == "r.urdf:4:1");
        if (c.type != JointType::free) CHECK(joint.spec.axis.y == 2);
        CHECK(joint.spec.pos.x == 0);
    }
}

TEST_CASE("urdf: the origin of a joint is the pose of its child") {
    const UrdfResult r(with_joint("continuous", "<origin xyz='1 2 3' rpy='3.141592653589793 0 0'/>"));
    const Pose& pose = r.body("b").spec.pose;
    CHECK(pose.pos.x == 1);
    CHECK(pose.pos.y == 2);
    CHECK(pose.pos.z == 3);
    CHECK(pose.quat.x == doctest::Approx(1));
    CHECK(r.body("b").parent == r.scene.find_body("a"));
    CHECK(r.joint("j").spec.axis.x == 1);  // the default axis
    CHECK(r.joint("j").spec.axis.z == 0);
}

TEST_CASE("urdf: a fixed joint leaves a named frame") {
    // What it would say about its motion is without meaning, as in files whose joints were frozen.
    const UrdfResult r(with_joint(
        "fixed", "<origin xyz='1 0 0'/><axis xyz='0 0 0'/><mimic joint='none'/>" + std::string(full_limit)));
    CHECK(r.diagnostics.empty());
    CHECK(r.scene.joints().empty());
    CHECK(r.body("b").joints.empty());
    CHECK(r.body("b").spec.pose.pos.x == 1);
    REQUIRE(r.scene.sites().size() == 1);
    const Scene::Site& site = r.scene.sites()[0];
    CHECK(site.spec.name == "j");
    CHECK(site.body == r.scene.find_body("b"));
    CHECK(site.spec.pose.pos.x == 0);
}

TEST_CASE("urdf: limits and dynamics") {
    const UrdfResult r(with_joint("revolute", std::string(full_limit) +
                                                  "<dynamics damping='5' friction='6'/>"
                                                  "<calibration rising='0'/>"
                                                  "<safety_controller k_velocity='1'/>"));
    CHECK(r.diagnostics.empty());
    const JointSpec& spec = r.joint("j").spec;
    CHECK(spec.range[0].lower == -1);
    CHECK(spec.range[0].upper == 2);
    CHECK(spec.range[1].upper == infinity);
    CHECK(spec.effort.upper == 3);
    CHECK(spec.velocity_limit == 4);
    CHECK(spec.damping == 5);
    CHECK(spec.friction_loss == 6);
}

TEST_CASE("urdf: limits that are missing, empty or odd") {
    const auto range_of = [](const UrdfResult& r) { return r.joint("j").spec.range[0]; };

    const UrdfResult none(with_joint("revolute", ""));
    CHECK(none.diagnostics ==
          "r.urdf:4:1: warning[W071]: <joint \"j\"> has no <limit> and is taken as unlimited (add "
          "<limit>, or make it continuous)\n");
    CHECK(range_of(none).lower == -infinity);
    CHECK(none.joint("j").spec.effort.upper == infinity);

    const UrdfResult no_range(with_joint("prismatic", "<limit effort='1' velocity='2'/>"));
    CHECK(
        no_range.says("r.urdf:5:1: warning[W071]: <limit> of <joint \"j\"> has neither 'lower' nor 'upper'"));
    CHECK(range_of(no_range).upper == infinity);
    CHECK(no_range.joint("j").spec.effort.upper == 1);

    const UrdfResult half(with_joint("revolute", "<limit upper='1' effort='1' velocity='2'/>"));
    CHECK(half.diagnostics.empty());
    CHECK(range_of(half).lower == 0);  // by the specification
    CHECK(range_of(half).upper == 1);

    const UrdfResult no_effort(with_joint("revolute", "<limit lower='-1' upper='1'/>"));
    CHECK(no_effort.says("r.urdf:5:1: warning[W071]: <limit> of <joint \"j\"> lacks 'effort' or 'velocity'"));
    CHECK(no_effort.joint("j").spec.velocity_limit == infinity);

    const UrdfResult zeros(with_joint("revolute", "<limit lower='0' upper='0' effort='0' velocity='0'/>"));
    CHECK(zeros.says(
        "r.urdf:5:1: warning[W071]: all values of <limit> of <joint \"j\"> are 0, taken as unlimited"));
    CHECK(range_of(zeros).upper == infinity);
    CHECK(zeros.joint("j").spec.effort.upper == infinity);

    const UrdfResult equal(with_joint("revolute", "<limit lower='1' upper='1' effort='1' velocity='1'/>"));
    CHECK(equal.says("r.urdf:5:1: warning[W071]: the limits of <joint \"j\"> are equal: it cannot move"));
    CHECK(range_of(equal).upper == 1);

    const UrdfResult swapped(with_joint("revolute", "<limit lower='1' upper='-1' effort='1' velocity='1'/>"));
    CHECK(swapped.failed);
    CHECK(swapped.says("r.urdf:5:15: error[E070]: the lower limit of <joint \"j\"> is above the upper"));

    const UrdfResult continuous(with_joint("continuous", full_limit));
    CHECK(continuous.says(
        "r.urdf:5:1: warning[W071]: 'lower' and 'upper' have no effect on <joint \"j\">, which is "
        "continuous"));
    CHECK(range_of(continuous).upper == infinity);
    CHECK(continuous.joint("j").spec.effort.upper == 3);

    const UrdfResult negative(with_joint("continuous", "<limit effort='-1' velocity='1'/>"));
    CHECK(negative.says("r.urdf:5:16: warning[W071]: attribute 'effort' of <limit> is negative"));
    CHECK(negative.joint("j").spec.effort.upper == infinity);

    CHECK(UrdfResult(with_joint("continuous", "<dynamics damping='-1'/>"))
              .says("r.urdf:5:20: error[E006]: attribute 'damping' of <dynamics> is negative"));
    CHECK(UrdfResult(with_joint("revolute", "<limit lower='-inf' upper='1' effort='1' velocity='1'/>"))
              .says("r.urdf:5:15: error[E006]: attribute 'lower' of <limit>: '-inf' is not a finite number"));
}

TEST_CASE("urdf: an axis without direction") {
    CHECK(UrdfResult(with_joint("continuous", "<axis xyz='0 0 0'/>"))
              .says("r.urdf:5:12: error[E069]: the axis of <joint \"j\"> is zero"));
    CHECK(UrdfResult(with_joint("planar", "<axis xyz='0 -0 0'/>")).says("error[E069]"));
    CHECK(UrdfResult(with_joint("continuous", "<axis/>"))
              .says("r.urdf:5:1: error[E005]: <axis> has no attribute 'xyz'"));
    CHECK(UrdfResult(with_joint("continuous", "<axis xyz='0 nan 0'/>")).says("r.urdf:5:14: error[E006]"));
    CHECK_FALSE(UrdfResult(with_joint("floating", "<axis xyz='0 0 0'/>")).failed);
}

TEST_CASE("urdf: joints that lack something") {
    const auto robot = [](const char* joint) {
        return UrdfResult(std::string("<robot name='r'><link name='a'/><link name='b'/>\n") + joint +
                          "</robot>");
    };
    CHECK(robot("<joint name='j' type='fixed'><child link='b'/></joint>").diagnostics ==
          "r.urdf:2:1: error[E009]: <joint \"j\"> has no <parent> (add <parent link=\"…\"/>)\n");
    CHECK(robot("<joint name='j' type='fixed'><parent link='a'/></joint>").diagnostics ==
          "r.urdf:2:1: error[E009]: <joint \"j\"> has no <child> (add <child link=\"…\"/>)\n");
    CHECK(robot("<joint name='j'><parent link='a'/><child link='b'/></joint>").diagnostics ==
          "r.urdf:2:1: error[E005]: <joint \"j\"> has no attribute 'type' (add type=\"…\")\n");
    CHECK(robot("<joint type='fixed'><parent link='a'/><child link='b'/></joint>").diagnostics ==
          "r.urdf:2:1: error[E005]: <joint> has no attribute 'name' (add name=\"…\")\n");
    CHECK(robot("<joint name='j' type='fixed'><parent/><child link='b'/></joint>").diagnostics ==
          "r.urdf:2:30: error[E005]: <parent> has no attribute 'link' (add link=\"…\")\n");
    CHECK(robot("<joint name='j' type='revolut'><parent link='a'/><child link='b'/></joint>")
              .says("r.urdf:2:23: error[E008]: attribute 'type' of <joint \"j\">: 'revolut' is not one of "
                    "fixed, revolute, "
                    "continuous, prismatic, floating, planar (did you mean 'revolute'?)"));
}

namespace {

// Joints j1 (first) and j2 between three links; types and contents given.
std::string two_joints(const char* type1, const char* content1, const char* type2, const char* content2) {
    return std::string("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>") +
           "<joint name='j1' type='" + type1 + "'><parent link='a'/><child link='b'/>\n" + content1 +
           "</joint><joint name='j2' type='" + type2 + "'><parent link='b'/><child link='c'/>\n" + content2 +
           "</joint></robot>";
}

}  // namespace

TEST_CASE("urdf: mimic, with a leader that comes later") {
    const UrdfResult r(two_joints("continuous", "<mimic joint='j2' multiplier='-2' offset='0.5'/>",
                                  "prismatic", full_limit));
    CHECK(r.diagnostics.empty());
    REQUIRE(r.scene.couplings().size() == 1);
    const CouplingSpec& coupling = r.scene.couplings()[0];
    CHECK(coupling.follower == r.scene.find_joint("j1"));
    CHECK(coupling.leader == r.scene.find_joint("j2"));
    CHECK(coupling.coefficients == std::array<double, 5>{0.5, -2, 0, 0, 0});
    CHECK(coupling.where.to_string() == "r.urdf:2:1");

    const UrdfResult defaults(two_joints("continuous", "", "continuous", "<mimic joint='j1'/>"));
    CHECK(defaults.scene.couplings().at(0).coefficients == std::array<double, 5>{0, 1, 0, 0, 0});
}

TEST_CASE("urdf: wrong mimics") {
    CHECK(UrdfResult(two_joints("continuous", "<mimic joint='j3'/>", "continuous", "")).diagnostics ==
          "r.urdf:2:15: warning[W078]: <joint \"j1\"> follows 'j3', but no joint has this name: it "
          "moves freely (did you mean 'j1'?)\n");
    CHECK(UrdfResult(two_joints("continuous", "<mimic joint='j1'/>", "continuous", ""))
              .says("r.urdf:2:1: error[E072]: <joint \"j1\"> follows itself"));
    const UrdfResult cycle(
        two_joints("continuous", "<mimic joint='j2'/>", "continuous", "<mimic joint='j1'/>"));
    CHECK(cycle.says("r.urdf:2:1: error[E072]: <joint \"j1\"> follows itself through other mimic joints"));
    CHECK(cycle.log.error_count() == 1);
    CHECK(
        UrdfResult(two_joints("continuous", "<mimic joint='j2'/>", "planar", ""))
            .says("r.urdf:2:1: error[E072]: <joint \"j1\"> follows 'j2', but 'j2' has several coordinates"));
    CHECK(
        UrdfResult(two_joints("floating", "<mimic joint='j2'/>", "continuous", ""))
            .says("r.urdf:2:1: error[E072]: <joint \"j1\"> follows 'j2', but 'j1' has several coordinates"));
    const UrdfResult frozen(two_joints("continuous", "<mimic joint='j2'/>", "fixed", ""));
    CHECK(frozen.diagnostics ==
          "r.urdf:2:1: warning[W073]: <joint \"j1\"> follows 'j2', which is fixed: it moves freely (remove "
          "<mimic>)\n");
    CHECK(frozen.scene.couplings().empty());
    CHECK(UrdfResult(two_joints("continuous", "<mimic/>", "continuous", "")).says("r.urdf:2:1: error[E005]"));
}
