// Tables of paths: columns by name, and what is wrong with its place.

#include "support.h"
#include "support/simulation_scenes.h"

#include <ligament/kinematic_paths.h>

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const char* const stage = R"(<mujoco><worldbody>
  <body name="hand" mocap="true"/><body name="left.foot" mocap="true"/>
  <body name="bob"><joint/><geom size="0.1"/></body>
</worldbody></mujoco>)";

PathSamples parse(const std::string& text, const Model& model) {
    Diagnostics log;
    return parse_paths(text, "paths.csv", model, log);
}

std::string errors_of(const std::string& text, const Model& model) {
    Diagnostics log;
    CHECK_THROWS_AS(parse_paths(text, "paths.csv", model, log), InputError);
    return all_text(log);
}

}  // namespace

TEST_CASE("paths: columns are found by name, in any order") {
    const auto model = model_of(stage);
    const PathSamples samples = parse(
        "hand.z,left.foot.qw,time,hand.x,\"hand.y\",left.foot.qy,left.foot.qz,left.foot.qx\r\n"
        "3,1,-0.5,1,2,0,0,0\r\n\r\n6,0.5,+1e1,4,5,0.25,-2,7\r\n",
        *model);
    CHECK(samples.times == std::vector<double>{-0.5, 10});
    REQUIRE(samples.paths.size() == 2);
    const PathSamples::Path &hand = samples.paths[0], &foot = samples.paths[1];
    CHECK(hand.body == model->find_body("hand"));
    REQUIRE(hand.pos.size() == 2);
    CHECK(hand.quat.empty());
    CHECK(hand.pos[1].x == 4);
    CHECK(hand.pos[1].y == 5);
    CHECK(hand.pos[1].z == 6);
    CHECK(foot.body == model->find_body("left.foot"));
    CHECK(foot.pos.empty());
    REQUIRE(foot.quat.size() == 2);
    CHECK(foot.quat[1].w == 0.5);
    CHECK(foot.quat[1].x == 7);
    CHECK(foot.quat[1].y == 0.25);
    CHECK(foot.quat[1].z == -2);
}

TEST_CASE("paths: what is wrong is said with its place") {
    const auto model = model_of(stage);
    const auto says = [&](const std::string& text, const char* words) {
        CAPTURE(text);
        const std::string errors = errors_of(text, *model);
        CAPTURE(errors);
        CHECK(contains(errors, words));
    };
    says("", "paths.csv: error[E002]");
    says("t,hand.x\n", "paths.csv:1:1: error[E180]: column 't' is neither the time nor of a body");
    says("hand.x,hand.y,hand.z\n0,0,0\n", "paths.csv:1:1: error[E180]: there is no column 'time'");
    says("time\n0\n", "there is no column of a body (they are called 'hand.x' and so on)");
    says("time,hnad.x\n0,0\n",
         "paths.csv:1:6: error[E181]: there is no body 'hnad' (did you mean 'hand'?)");
    says("time,bob.x\n0,0\n",
         "paths.csv:1:6: error[E181]: there is no path for body 'bob', which is not kinematic");
    says("time,world.x\n0,0\n", "E181");
    says("time,hand.v\n0,0\n", "paths.csv:1:6: error[E180]: column 'hand.v' is neither");
    says("time,hand.x,hand.z\n0,0,0\n", "paths.csv:1:1: error[E180]: body 'hand' has no column 'hand.y'");
    says("time,hand.qw,hand.qx,hand.qy\n0,1,0,0\n", "body 'hand' has no column 'hand.qz'");
    says("time,hand.x,hand.x\n0,0,0\n", "paths.csv:1:13: error[E180]: there are two columns 'hand.x'");
    says("time,time\n0,0\n", "there are two columns 'time'");
    says("time,hand.x,hand.y,hand.z\n", "there are no rows");
    const std::string head = "time,hand.x,hand.y,hand.z\n0,1,2,3\n";
    says(head + "1,2,x,3\n", "paths.csv:3:5: error[E180]: column 3 needs a number, not 'x'");
    says(head + "1,2,nan,3\n", "column 3 needs a number, not 'nan'");
    says(head + "1,2\n", "paths.csv:3:3: error[E180]: the row has 2 fields; column 3 is needed");
    says(head + "0,1,2,3\n", "paths.csv:3:1: error[E182]: the time 0 does not come after 0");
    says("time,hand.qw,hand.qx,hand.qy,hand.qz\n0,0,0,0,0\n",
         "paths.csv:2:3: error[E180]: the quaternion of body 'hand' is zero");
    Diagnostics missing;
    CHECK_THROWS_AS(load_paths("no/such/file.csv", *model, missing), InputError);
    CHECK(count_code(missing, "E001") == 1);
    // All wrong columns are named at once.
    Diagnostics log;
    CHECK_THROWS_AS(parse_paths("time,a.x,b.x\n", "p.csv", *model, log), InputError);
    CHECK(count_code(log, "E181") == 2);
}
