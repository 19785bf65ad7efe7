// contact, keyframes.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

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

TEST_CASE("MJCF contact exclusions") {
    const ReadMjcf m = with_bodies(
        "<contact><exclude name='e' body1='a' body2='b'/><exclude body1='world' body2='b'/>"
        "</contact>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.exclusions().size() == 2);
    CHECK(m.scene.exclusions()[0].a.index == 1);
    CHECK(m.scene.exclusions()[0].b.index == 2);
    CHECK(m.scene.exclusions()[1].a == world);
    CHECK(only_message("<contact><exclude body1='a' body2='c'/></contact>") ==
          "error[E084]: there is no body 'c'\n");
    CHECK(only_message("<contact><exclude body1='a'/></contact>") ==
          "error[E005]: <exclude> has no attribute 'body2' (add body2=\"…\")\n");
    CHECK(only_message("<contact><pair geom1='x' geom2='y'/></contact>") ==
          "warning[W092]: <pair> in <contact> is not read yet\n");
}

TEST_CASE("MJCF keyframes") {
    const ReadMjcf m = with_bodies(
        "<keyframe><key name='home' time='1.5' qpos='1 2 3 4 5 6' qvel='7 8'/><key/>"
        "<key ctrl='1'/></keyframe>");
    const std::string text = m.messages();
    CHECK(text.substr(text.find(' ') + 1) ==
          "warning[W093]: attribute 'ctrl' of <key> is not honoured yet\n");
    REQUIRE(m.scene.keyframes().size() == 3);
    CHECK(m.scene.keyframes()[0].name == "home");
    CHECK(m.scene.keyframes()[0].time == 1.5);
    CHECK(m.scene.keyframes()[0].qpos == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(m.scene.keyframes()[0].qvel == std::vector<double>{7, 8});
    CHECK(m.scene.keyframes()[1].qpos.empty());
    CHECK(only_message("<keyframe><key qpos='1 2 x'/></keyframe>") ==
          "error[E006]: attribute 'qpos' of <key>: 'x' is not a finite number (write it like 0.5 or 1e-3)\n");
}
