// Equalities: equalities.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

const double half = std::sqrt(0.5);

// Two bodies: `a` at (1, 0, 0), turned by 90 degrees about z; `b` in it at (0, 0, 2), so at (1, 0, 2) in the
// world.
const std::string two_bodies =
    "<worldbody><body name='a' pos='1 0 0' euler='0 0 90'><joint name='ja' ref='90'/><site name='sa' pos='1 "
    "0 0'/>"
    "<body name='b' pos='0 0 2'><joint name='jb' type='slide' ref='3'/><joint name='ball' type='ball'/>"
    "<site name='sb' euler='0 0 90'/></body></body></worldbody>";

ReadMjcf with_bodies(const std::string& after) { return read_model(two_bodies + after); }

std::string only_message(const std::string& after) {
    const ReadMjcf m = with_bodies(after);
    CHECK(m.log.all().size() == 1);
    const std::string text = m.messages();
    return text.substr(text.find(' ') + 1);
}

}  // namespace

TEST_CASE("MJCF connect: the anchor on the second body comes from the reference configuration") {
    const ReadMjcf m = with_bodies(
        "<equality><connect name='c' body1='b' body2='a' anchor='1 2 3' solref='0.1 1'/>"
        "<connect body1='b' anchor='1 2 3'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 2);
    const LoopSpec& first = m.scene.loops()[0];
    CHECK(first.name == "c");
    CHECK(first.type == JointType::ball);
    CHECK(first.body_a.index == 2);
    CHECK(first.body_b.index == 1);
    check_vec(first.frame_a.pos, {1, 2, 3});
    check_vec(first.frame_b.pos, {1, 2, 5});
    // In the world: (1, 2, 3) in b is (1, 2, 5) in a, turned (-2, 1, 5), shifted (-1, 1, 5).
    CHECK(m.scene.loops()[1].body_b == world);
    check_vec(m.scene.loops()[1].frame_b.pos, {-1, 1, 5});
}

TEST_CASE("MJCF weld") {
    const ReadMjcf m = with_bodies(
        "<equality><weld body1='a' body2='b' anchor='0 0 1'/>"
        "<weld body1='a' body2='b' relpose='1 2 3 1 0 0 1' anchor='1 0 0'/>"
        "<weld body1='b' relpose='9 9 9 0 0 0 0'/><weld body1='a' body2='b' torquescale='0'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 4);
    const auto& loops = m.scene.loops();
    CHECK(loops[0].type == JointType::fixed);
    check_vec(loops[0].frame_b.pos, {0, 0, 1});
    check_vec(loops[0].frame_a.pos, {0, 0, 3});
    check_quat(loops[0].frame_a.quat, {1, 0, 0, 0});
    // Turned by 90 degrees about z, the anchor (1, 0, 0) is (0, 1, 0).
    check_vec(loops[1].frame_a.pos, {1, 3, 3});
    check_quat(loops[1].frame_a.quat, {half, 0, 0, half});
    check_vec(loops[1].frame_b.pos, {1, 0, 0});
    // The world in b, by the reference configuration: p_BW = R' (0 - (1, 0, 2)) = (0, 1, -2).
    CHECK(loops[2].body_b == world);
    check_vec(loops[2].frame_a.pos, {0, 1, -2});
    check_quat(loops[2].frame_a.quat, {half, 0, 0, -half});
    CHECK(loops[3].type == JointType::ball);
}

TEST_CASE("MJCF equalities between sites") {
    const ReadMjcf m =
        with_bodies("<equality><connect site1='sa' site2='sb'/><weld site1='sa' site2='sb'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 2);
    for (const LoopSpec& loop : m.scene.loops()) {
        CHECK(loop.body_a.index == 1);
        CHECK(loop.body_b.index == 2);
        check_vec(loop.frame_a.pos, {1, 0, 0});
        check_quat(loop.frame_b.quat, {half, 0, 0, half});
    }
    CHECK(only_message("<equality><connect site1='sa'/></equality>") ==
          "error[E005]: <connect> has no attribute 'site2' (add site2=\"…\")\n");
    CHECK(only_message("<equality><weld site1='sa' site2='sc'/></equality>") ==
          "error[E084]: there is no site 'sc' (did you mean 'sa'?)\n");
}

TEST_CASE("MJCF couplings of joints count from the references") {
    const ReadMjcf m =
        with_bodies("<equality><joint name='c' joint1='jb' joint2='ja' polycoef='0.5 2 0 0 1'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.couplings().size() == 1);
    const CouplingSpec& coupling = m.scene.couplings()[0];
    CHECK(m.scene.joints()[coupling.follower.index].spec.name == "jb");
    CHECK(m.scene.joints()[coupling.leader.index].spec.name == "ja");
    // jb - 3 = 0.5 + 2 (ja - ref) + (ja - ref)^4
    CHECK(coupling.coefficients == std::array<double, 5>{3.5, 2, 0, 0, 1});
    CHECK(only_message("<equality><joint joint1='jb' joint2='jb'/></equality>") ==
          "error[E085]: <joint> couples a joint with itself\n");
    CHECK(only_message("<equality><joint joint1='jb' joint2='ball'/></equality>") ==
          "error[E085]: only hinges and slides can be coupled\n");
}

TEST_CASE("MJCF: a joint that is held, and tendons that follow each other") {
    const ReadMjcf m = with_bodies(
        "<tendon><fixed name='t'><joint joint='ja' coef='1'/></fixed><fixed name='u'><joint joint='jb' "
        "coef='2'/>"
        "</fixed></tendon><equality><joint joint1='jb' polycoef='0.5'/>"
        "<tendon name='e' tendon1='t' tendon2='u' polycoef='0 2'/><tendon tendon1='u'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.couplings().size() == 1);
    CHECK(m.scene.couplings()[0].leader.index == -1);
    CHECK(m.scene.couplings()[0].coefficients[0] == 3.5);  // from the reference, which is 3
    REQUIRE(m.scene.tendon_couplings().size() == 2);
    const TendonCouplingSpec& coupling = m.scene.tendon_couplings()[0];
    CHECK(coupling.name == "e");
    CHECK(coupling.follower.index == 0);
    CHECK(coupling.leader.index == 1);
    CHECK(coupling.coefficients == std::array<double, 5>{0, 2, 0, 0, 0});
    CHECK(m.scene.tendon_couplings()[1].leader.index == -1);
    CHECK(only_message("<equality><tendon tendon1='t'/></equality>") ==
          "error[E084]: there is no tendon 't'\n");
}

TEST_CASE("MJCF: inactive equalities are kept, with their softness and weight") {
    const ReadMjcf m = with_bodies(
        "<default><equality active='false' solref='0.1 2'/></default>"
        "<equality><weld body1='a' torquescale='0.5'/><weld body1='b' active='true' solimp='0.5'/>"
        "<joint joint1='jb' joint2='ja' solref='0.3'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 2);
    CHECK(!m.scene.loops()[0].active);
    CHECK(m.scene.loops()[0].torque_scale == 0.5);
    CHECK(m.scene.loops()[0].soft == Softness{{0.1, 2}, {0.9, 0.95, 0.001, 0.5, 2}});
    CHECK(m.scene.loops()[1].active);
    CHECK(m.scene.loops()[1].soft == Softness{{0.1, 2}, {0.5, 0.95, 0.001, 0.5, 2}});
    REQUIRE(m.scene.couplings().size() == 1);
    CHECK(!m.scene.couplings()[0].active);
    CHECK(m.scene.couplings()[0].soft.solref == std::array<double, 2>{0.3, 2});
}

TEST_CASE("MJCF equalities that are wrong or refused") {
    CHECK(only_message("<equality><connect body1='a'/></equality>") ==
          "error[E005]: <connect> has no attribute 'anchor' (add anchor=\"…\")\n");
    CHECK(only_message("<equality><weld body2='a'/></equality>") ==
          "error[E005]: <weld> has no attribute 'body1' (add body1=\"…\")\n");
    CHECK(only_message("<equality><weld body1='a' site1='sa' site2='sb'/></equality>") ==
          "error[E014]: <weld> has both sites and 'body1' (two sites or two bodies, not both)\n");
    CHECK(only_message("<equality><wled body1='a'/></equality>") ==
          "warning[W011]: <wled> inside <equality> is not known and was not read (did you mean 'weld'?)\n");
    CHECK(only_message("<equality><weld name='x' body1='a'/><weld name='x' body1='b'/></equality>")
              .substr(0, 12) == "error[E086]:");
    for (const char* kind : {"flex", "flexvert", "flexstrain", "distance"})
        CHECK(only_message("<equality><" + std::string(kind) + " geom1='f'/></equality>") ==
              "error[U129]: <" + std::string(kind) + "> in <equality> is not supported (remove it)\n");
}

TEST_CASE("loops of any joint kind") {
    const ReadMjcf m = with_bodies(
        "<equality><loop name='l' type='screw' body1='a' body2='b' pos1='1 0 0' quat1='1 0 0 1' pos2='0 1 0' "
        "quat2='0 2 0 0' pitch='0.1'/><loop type='hinge' body1='b' pos1='1 2 3'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 2);
    const LoopSpec& screw = m.scene.loops()[0];
    CHECK(screw.name == "l");
    CHECK(screw.type == JointType::screw);
    CHECK(screw.pitch == 0.1);
    CHECK(screw.body_a.index == 1);
    CHECK(screw.body_b.index == 2);
    check_vec(screw.frame_a.pos, {1, 0, 0});
    check_quat(screw.frame_a.quat, {half, 0, 0, half});
    check_vec(screw.frame_b.pos, {0, 1, 0});
    check_quat(screw.frame_b.quat, {0, 1, 0, 0});
    // Not given: where frame 1 is in the reference configuration.
    CHECK(m.scene.loops()[1].body_b == world);
    check_vec(m.scene.loops()[1].frame_b.pos, {-1, 1, 5});
    check_quat(m.scene.loops()[1].frame_b.quat, {half, 0, 0, half});

    for (const auto& [word, type] :
         {std::pair{"fixed", JointType::fixed}, std::pair{"slide", JointType::slide},
          std::pair{"ball", JointType::ball}, std::pair{"universal", JointType::universal},
          std::pair{"cylindrical", JointType::cylindrical}, std::pair{"planar", JointType::planar}}) {
        const ReadMjcf one =
            with_bodies("<equality><loop type='" + std::string(word) + "' body1='a'/></equality>");
        CHECK(one.messages() == "");
        REQUIRE(one.scene.loops().size() == 1);
        CHECK(one.scene.loops()[0].type == type);
    }
    CHECK(only_message("<equality><loop body1='a'/></equality>") ==
          "error[E005]: <loop> has no attribute 'type' (add type=\"…\")\n");
    CHECK(only_message("<equality><loop type='ball' body1='a' quat1='0 0 0 0'/></equality>") ==
          "error[E083]: <loop>: the quaternion has no length\n");
}
