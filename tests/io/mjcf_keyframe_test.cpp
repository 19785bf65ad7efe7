// <keyframe>, from the file to the state.

#include "io/mjcf_support.h"

#include <ligament/model.h>
#include <ligament/state.h>

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

const std::string world_text =
    "<worldbody><body name='f'><freejoint/><geom size='.2'/></body><body name='m' mocap='true' pos='1 2 3'/>"
    "<body name='n' mocap='true' euler='90 0 0'/></worldbody>";

}  // namespace

TEST_CASE("MJCF keyframes: every field") {
    const ReadMjcf m = read_model(
        world_text +
        "<keyframe><key name='home' time='1.5' qpos='1 2 3 2 0 0 0' qvel='1 2 3 4 5 6' "
        "mpos='1 1 1 2 2 2' mquat='0 2 0 0 1 0 0 0'/><key name='half' mpos='5 6 7 8 9 10'/><key act='1' "
        "ctrl='2 3'/></keyframe>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.keyframes().size() == 3);
    CHECK(m.scene.keyframes()[2].act == std::vector<double>{1});
    CHECK(m.scene.keyframes()[2].ctrl == std::vector<double>{2, 3});

    const ReadMjcf two = read_model(
        world_text +
        "<keyframe><key name='home' time='1.5' qpos='1 2 3 2 0 0 0' qvel='1 2 3 4 5 6' "
        "mpos='1 1 1 2 2 2' mquat='0 2 0 0 1 0 0 0'/><key name='half' mpos='5 6 7 8 9 10'/></keyframe>");
    const auto model = compile(two.scene);
    const JointState<double> home = keyframe_state(*model, 0);
    CHECK(home.time == 1.5);
    CHECK(home.q == std::vector<double>{1, 2, 3, 1, 0, 0, 0});
    CHECK(home.v == std::vector<double>{1, 2, 3, 4, 5, 6});
    check_vec(home.kinematic[1].pos, {2, 2, 2});
    check_quat(home.kinematic[0].quat, {0, 1, 0, 0});
    // Orientations that are not given stay.
    const JointState<double> half = keyframe_state(*model, 1);
    check_vec(half.kinematic[0].pos, {5, 6, 7});
    check_quat(half.kinematic[1].quat, {std::sqrt(0.5), std::sqrt(0.5), 0, 0}, 1e-15);
}

// MuJoCo 3.14 completes them in the same way: `key_qpos`, `key_mpos` and `key_mquat` of this model.
TEST_CASE("MJCF keyframes that are shorter than the model leave the rest as it is") {
    const ReadMjcf m = read_model(
        "<worldbody><body pos='1 2 3'><freejoint/><geom size='.2'/></body><body><joint ref='30'/><geom "
        "size='1'/></body><body name='m' mocap='true' pos='1 1 1'/><body name='n' mocap='true' pos='2 1 "
        "1'/></worldbody><keyframe><key name='k' qpos='5 6 7' qvel='1' mpos='2 2 3' mquat='0 1 0 "
        "0'/></keyframe>");
    Diagnostics log;
    const auto model = compile(m.scene, log);
    CHECK(count_code(log, "W191") == 4);
    CHECK(contains(all_text(log), "keyframe 'k': qpos has 3 numbers, the model needs 8"));
    const JointState<double> state = keyframe_state(*model, 0);
    CHECK(state.q == std::vector<double>{5, 6, 7, 1, 0, 0, 0, std::numbers::pi / 6});
    CHECK(state.v == std::vector<double>{1, 0, 0, 0, 0, 0, 0});
    check_vec(state.kinematic[0].pos, {2, 2, 3});
    check_vec(state.kinematic[1].pos, {2, 1, 1});
    check_quat(state.kinematic[0].quat, {0, 1, 0, 0});
    check_quat(state.kinematic[1].quat, {1, 0, 0, 0});
}

TEST_CASE("MJCF keyframes that do not fit the model") {
    const auto error = [](const std::string& key) {
        Diagnostics log;
        const ReadMjcf m = read_model(world_text + "<keyframe><key name='k' " + key + "/></keyframe>");
        try {
            compile(m.scene, log);
        } catch (const InputError&) {}
        return all_text(log);
    };
    CHECK(contains(error("qpos='1 2 3 1 0 0 0 8'"),
                   "error[E047]: keyframe 'k': qpos has 8 numbers, the model needs 7"));
    CHECK(contains(error("qvel='1 2 3 4 5 6 7'"),
                   "error[E047]: keyframe 'k': qvel has 7 numbers, the model needs 6"));
    CHECK(contains(error("mpos='1 2 3 4 5 6 7'"),
                   "error[E047]: keyframe 'k': mpos has 7 numbers, the model needs 6"));
    CHECK(contains(error("mquat='1 2 3 4 5 6 7 8 9'"),
                   "error[E047]: keyframe 'k': mquat has 9 numbers, the model needs 8"));
    CHECK(contains(error("act='1'"), "error[E047]: keyframe 'k': act has 1 numbers, the model needs 0"));
    CHECK(contains(error("mquat='0 0 0 0 1 0 0 0'"), "warning[W049]"));
    CHECK(read_model("<keyframe><key qpos='1 2 x'/></keyframe>").messages() ==
          "m.xml:1:34: error[E006]: attribute 'qpos' of <key>: 'x' is not a finite number (write it like 0.5 "
          "or 1e-3)\n");
}
