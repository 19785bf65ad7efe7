// Springs and dampers between two bodies: our section <force>.

#include "io/mjcf_support.h"
#include "support/model_compare.h"

#include <ligament/save.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

const std::string bodies =
    "<worldbody><body name='a' pos='1 2 3'><freejoint/><geom size='.1'/></body>"
    "<body name='b' pos='1 2 4' euler='0 0 90'><freejoint/><geom size='.2'/></body></worldbody>";

ReadMjcf read_bushing(const std::string& bushing) {
    return read_model(bodies + "<force>" + bushing + "</force>");
}

const BushingSpec& only(const ReadMjcf& m) {
    REQUIRE(m.scene.bushings().size() == 1);
    return m.scene.bushings()[0];
}

}  // namespace

TEST_CASE("MJCF bushing with all attributes") {
    const ReadMjcf m = read_bushing(
        "<bushing name='mount' body1='a' body2='b' pos1='1 0 0' quat1='0 2 0 0' pos2='0 1 0' axis2='3 0 0' "
        "stiffness='1 2 3' damping='4' turnstiffness='5' turndamping='6 7 8' active='false'/>");
    CHECK(m.messages() == "");
    const BushingSpec& bushing = only(m);
    CHECK(bushing.name == "mount");
    CHECK(bushing.body_a.index == 1);
    CHECK(bushing.body_b.index == 2);
    check_vec(bushing.frame_a.pos, {1, 0, 0});
    check_quat(bushing.frame_a.quat, {0, 1, 0, 0});
    check_vec(bushing.frame_b.pos, {0, 1, 0});
    check_vec(rotation_matrix(bushing.frame_b.quat).z, {1, 0, 0});
    check_vec(bushing.stiffness, {1, 2, 3});
    check_vec(bushing.damping, {4, 4, 4});
    check_vec(bushing.turn_stiffness, {5, 5, 5});
    check_vec(bushing.turn_damping, {6, 7, 8});
    CHECK_FALSE(bushing.frequency.has_value());
    CHECK_FALSE(bushing.active);
}

TEST_CASE("MJCF bushing by frequency; a body that is absent is the world") {
    const ReadMjcf m = read_bushing("<bushing body2='b' frequency='2' turnfrequency='3' dampratio='0.5'/>");
    CHECK(m.messages() == "");
    const BushingSpec& bushing = only(m);
    CHECK(bushing.body_a == world);
    CHECK(bushing.frequency == 2.0);
    CHECK(bushing.turn_frequency == 3.0);
    CHECK(bushing.damping_ratio == 0.5);
    CHECK(bushing.active);
}

TEST_CASE("MJCF bushing without a second frame is at rest in the reference configuration") {
    const ReadMjcf m = read_bushing("<bushing body1='a' body2='b' pos1='1 0 0' stiffness='1'/>");
    CHECK(m.messages() == "");
    // (2, 2, 3) seen from b at (1, 2, 4), turned by a quarter about z.
    check_vec(only(m).frame_b.pos, {0, -1, -1});
    check_quat(only(m).frame_b.quat, {std::sqrt(0.5), 0, 0, -std::sqrt(0.5)});
}

TEST_CASE("MJCF bushings that are wrong are named with their place") {
    const auto text = [](const std::string& bushing) { return read_bushing(bushing).messages(); };
    const auto place = [&](std::size_t offset) {
        return "m.xml:1:" +
               std::to_string(std::string("<mujoco><force>").size() + bodies.size() + offset + 1);
    };
    const std::string unknown = text("<bushing body1='a' body2='c' stiffness='1'/>");
    CHECK(contains(unknown, "E084"));
    CHECK(contains(unknown, place(std::string("<bushing body1='a' body2='").size())));
    const std::string two = text("<bushing body1='a' stiffness='1 2'/>");
    CHECK(contains(two, "E007"));
    CHECK(contains(two, place(std::string("<bushing body1='a' stiffness='").size())));
    CHECK(contains(text("<bushing stiffness='1'/>"), "body1"));
    CHECK(contains(text("<bushing body1='a' stiffness='x'/>"), "E006"));
    CHECK(contains(text("<bushing body1='a' quat1='0 0 0 0' stiffness='1'/>"), "E083"));
    CHECK(contains(text("<bushing body1='a' quat1='1 0 0 0' axis1='1 0 0' stiffness='1'/>"), "E014"));
    CHECK(contains(text("<bushing body1='a' stifness='1'/>"), "'stiffness'"));
    CHECK(contains(text("<spring body1='a'/>"), "W011"));
    CHECK(contains(
        text("<bushing name='x' body1='a' stiffness='1'/><bushing name='x' body1='b' stiffness='1'/>"),
        "E086"));
    // What compile finds has the place of the element.
    const ReadMjcf negative = read_bushing("<bushing name='n' body1='a' stiffness='-1'/>");
    Diagnostics log;
    CHECK_THROWS_AS(compile(negative.scene, log), InputError);
    CHECK(contains(all_text(log), "E171"));
    CHECK(contains(all_text(log), place(0)));
}

TEST_CASE("MJCF bushings are repeated and attached with their bodies") {
    const ReadMjcf m = read_model(
        "<worldbody><replicate count='3' offset='1 0 0'><body name='x'><freejoint/><geom size='.1'/></body>"
        "</replicate></worldbody><force><bushing name='t' body1='x' stiffness='7'/></force>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.bushings().size() == 3);
    for (int k = 0; k < 3; ++k) {
        CHECK(m.scene.bushings()[k].name == "t" + std::to_string(k));
        CHECK(m.scene.bushings()[k].body_a.index == k + 1);
        check_vec(m.scene.bushings()[k].stiffness, {7, 7, 7});
    }
}

TEST_CASE("MJCF bushings are written as they are read") {
    const ReadMjcf m = read_bushing(
        "<bushing name='one' body1='a' body2='b' pos1='.1 .2 .3' quat1='1 .2 .3 .4' stiffness='1 2 3' "
        "turndamping='.7'/><bushing body2='b' pos2='0 0 0' frequency='2.5' turnfrequency='.3' "
        "dampratio='.1'/>"
        "<bushing body1='a' turnstiffness='1' damping='0 0 4' active='false'/>");
    REQUIRE(m.messages() == "");
    const std::string written = write_mjcf(m.scene, {});
    const ReadMjcf again(written);
    CAPTURE(written);
    CHECK(again.messages() == "");
    const auto first = compile(m.scene), second = compile(again.scene);
    REQUIRE(second->bushings.size() == 3);
    CHECK(ModelComparison(*first, *second).first_difference() == "");
    CHECK(write_mjcf(again.scene, {}) == written);
}
