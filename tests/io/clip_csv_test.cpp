// Clips as tables: what `run` writes reads back, missing joints are left out, and what is wrong is said with
// its place.

#include "support.h"
#include "support/simulation_scenes.h"

#include <ligament/motion_clip.h>

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const char* const leg = R"(<mujoco><worldbody><body><joint name='hip' type='ball'/><geom size='0.1'/>
  <body pos='0 0 -1'><joint name='knee'/><geom size='0.1'/><body pos='0 0 -1'><joint type='slide'/>
  <geom size='0.1'/></body></body></body></worldbody></mujoco>)";

ClipSamples parse(const std::string& text, const Model& model) {
    Diagnostics log;
    return parse_clip(text, "clip.csv", model, {}, log);
}

std::string errors_of(const std::string& text, const Model& model) {
    Diagnostics log;
    try {
        parse_clip(text, "clip.csv", model, {}, log);
    } catch (const InputError&) {}
    return all_text(log);
}

}  // namespace

TEST_CASE("columns are found by name, in any order; joints without columns are not part of the clip") {
    const auto model = model_of(leg);
    const ClipSamples clip = parse("energy,\"knee\",time,joint2\r\n,0.5,1,7\r\n\r\n3,0.75,2,8\r\n", *model);
    CHECK(clip.joints == std::vector<int>{1, 2});
    CHECK(clip.times == std::vector<double>{1, 2});
    CHECK(clip.q == std::vector<double>{0.5, 7, 0.75, 8});
    CHECK(clip.v.empty());
    const ClipSamples fast = parse("time,knee,knee.v\n0,1,2\n", *model);
    CHECK(fast.v == std::vector<double>{2});
    // Of a clip whose velocities are not all there none are used.
    CHECK(parse("time,knee,knee.v,joint2\n0,1,2,3\n", *model).v.empty());
}

TEST_CASE("what is written reads back to the same bits") {
    const auto model = model_of(leg);
    ClipSamples samples{{0, 1}, {0.1, 0.25, 1}, {}, {}};
    for (const double x : {0.1, 0.2, 0.7})
        samples.q.insert(samples.q.end(), {std::cos(x), std::sin(x), 0, 0, x / 3});
    const ClipSamples back = parse(clip_to_csv(*model, samples), *model);
    CHECK(back.joints == samples.joints);
    CHECK(back.times == samples.times);
    CHECK(back.q == MotionClip(*model, samples).samples().q);
    CHECK(back.v == MotionClip(*model, samples).samples().v);
}

TEST_CASE("what is wrong is said with its place") {
    const auto model = model_of(leg);
    CHECK(contains(errors_of("", *model), "clip.csv: error[E002]"));
    CHECK(
        contains(errors_of("t,knee\n0,1\n", *model), "clip.csv:1:1: error[E150]: there is no column 'time'"));
    CHECK(contains(errors_of("time;knee\n0;1\n", *model), "columns are separated by commas"));
    CHECK(contains(errors_of("time,knei\n0,1\n", *model), "error[E151]"));
    CHECK(contains(errors_of("time,hip.qw,hip.qx,hip.qy\n0,1,0,0\n", *model),
                   "error[E150]: joint 'hip' has no column 'hip.qz'"));
    CHECK(contains(errors_of("time,hip.qw,hip.qx,hip.qy,hip.qz,knee\n0,0,0,0,0,1\n", *model),
                   "clip.csv:2:3: error[E150]: the quaternion of joint 'hip' is zero"));
    CHECK(contains(errors_of("time,knee\n", *model), "there are no rows"));
    CHECK(contains(errors_of("time,knee\n0,1\n1,x\n", *model),
                   "clip.csv:3:3: error[E150]: column 2 needs a number, not 'x'"));
    CHECK(contains(errors_of("time,knee\n0,1\n1\n", *model),
                   "clip.csv:3:1: error[E150]: the row has 1 fields"));
    CHECK(contains(errors_of("time,knee\n0,1\n0,2\n", *model),
                   "clip.csv:3:1: error[E157]: the time 0 does not come after 0"));
    Diagnostics log;
    CHECK_THROWS_AS(parse_clip("", "clip.txt", *model, {}, log), InputError);
    CHECK(count_code(log, "E158") == 1);
    Diagnostics missing;
    CHECK_THROWS_AS(load_clip("no/such/file.csv", *model, {}, missing), InputError);
    CHECK(count_code(missing, "E001") == 1);
}
