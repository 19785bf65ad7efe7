// BVH: what skeletons mean for a model, what is written reads back to the same motion, and what is wrong is
// said with its place.

#include "core/rotation.h"
#include "support.h"
#include "support/random_scene.h"
#include "support/simulation_scenes.h"

#include <ligament/motion_clip.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double degree = std::numbers::pi / 180;

const char* const arm = R"(<mujoco><compiler angle='radian'/><worldbody>
  <body name='trunk' pos='0 0 1'><freejoint name='root'/><geom size='0.1'/>
    <body name='upper_arm' pos='0.2 0 0.3' quat='0.5 0.5 0.5 0.5'><joint name='shoulder' type='ball'/>
      <geom size='0.1'/>
      <body name='lower_arm' pos='0 0.3 0'><joint name='elbow' axis='0 0 1' ref='0.25'/><geom size='0.1'/>
        <body name='hand' pos='0 0.3 0'>
          <joint name='wrist_x' axis='1 0 0'/><joint name='wrist_y' axis='0 1 0'/>
          <joint name='wrist_z' axis='0 0 1'/><geom size='0.1'/></body>
      </body></body></body></worldbody></mujoco>)";

const char* const skeleton = R"(HIERARCHY
ROOT root
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Shoulder {
    OFFSET 0.2 0.3 0
    Channels 3 Yrotation zrotation XROTATION
    JOINT clavicle
    {
      OFFSET 0.1 0 0
      CHANNELS 1 Yrotation
      JOINT elbow
      {
        OFFSET 0 0 0.3
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 0 0 0.3
        }
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
)";

std::string frames(const std::string& first, const std::string& second) {
    return skeleton + first + "\n" + second + "\n";
}

Quatd about(const Vec3d& axis, double degrees) { return rotation_exp(degrees * degree * axis); }

double apart(const Quatd& a, const Quatd& b) { return length(rotation_log(conjugate(a) * b)); }

Quatd quaternion_of(const ClipSamples& samples, std::size_t at) {
    return {samples.q[at], samples.q[at + 1], samples.q[at + 2], samples.q[at + 3]};
}

ClipSamples parse(const std::string& text, const Model& model, Diagnostics& log,
                  const ClipOptions& options = {}) {
    return parse_clip(text, "clip.bvh", model, options, log);
}

// The errors that a text ends in.
std::string errors_of(const std::string& text, const Model& model, const ClipOptions& options = {}) {
    Diagnostics log;
    try {
        parse(text, model, log, options);
    } catch (const InputError&) {}
    return all_text(log);
}

// The largest difference of two clips of the same joints and times: of rotations as angles.
double difference(const Model& model, const ClipSamples& a, const ClipSamples& b) {
    REQUIRE(a.joints == b.joints);
    REQUIRE(a.times.size() == b.times.size());
    REQUIRE(a.q.size() == b.q.size());
    double largest = 0;
    std::size_t at = 0;
    for (std::size_t k = 0; k < a.times.size(); ++k)
        for (const int j : a.joints) {
            const Model::Joint& joint = model.joints[j];
            const int numbers = joint.nq > joint.nv ? joint.nq - 4 : joint.nq;
            for (int c = 0; c < numbers; ++c)
                largest = std::max(largest, std::abs(a.q[at + c] - b.q[at + c]));
            if (joint.nq > joint.nv)
                largest =
                    std::max(largest, apart(quaternion_of(a, at + numbers), quaternion_of(b, at + numbers)));
            at += joint.nq;
        }
    return largest;
}

}  // namespace

TEST_CASE("a skeleton moves the joints of its names") {
    const auto model = model_of(arm);
    Diagnostics log;
    const ClipSamples clip =
        parse(frames("1 2 3 0 0 0  0 0 0  0  0 0 0", "-1 0.5 0 10 20 30  40 50 60  0  0 0 70"), *model, log);
    CHECK(all_text(log) ==
          "clip.bvh:9:11: warning[W153]: 'clavicle' is not in the model (what they turn goes "
          "to the joints below them)\n"
          "clip.bvh:13:13: warning[W154]: joint 'elbow' cannot follow all of 'elbow': up to "
          "70 degrees are left out\n");
    CHECK(clip.joints == std::vector<int>{0, 1, 2});
    CHECK(clip.times == std::vector<double>{0, 0.5});
    const std::size_t row = 7 + 4 + 1;
    // Zero pose: positions are those of the file with y up; the arm at its reference.
    CHECK(clip.q[0] == 1);
    CHECK(clip.q[1] == -3);
    CHECK(clip.q[2] == 2);
    CHECK(apart(quaternion_of(clip, 3), Quatd::identity()) < 1e-15);
    CHECK(apart(quaternion_of(clip, 7), Quatd::identity()) < 1e-15);
    CHECK(clip.q[11] == doctest::Approx(0.25).epsilon(1e-14));
    // x, y and z of the file are x, z and −y here.
    const Vec3d x{1, 0, 0}, y{0, 0, 1}, z{0, -1, 0};
    CHECK(apart(quaternion_of(clip, row + 3), about(z, 10) * about(x, 20) * about(y, 30)) < 1e-14);
    // The shoulder's frame has the axes of the upper arm, which are turned by a third about (1, 1, 1): its x,
    // y and z are the world's y, z and x.
    const Vec3d fx{0, 0, 1}, fy{0, 1, 0}, fz{-1, 0, 0};
    CHECK(apart(quaternion_of(clip, row + 7), about(fy, 40) * about(fz, 50) * about(fx, 60)) < 1e-14);
    // The elbow's axis is z of the arm, x of the world: about y of the file it cannot turn.
    CHECK(clip.q[row + 11] == doctest::Approx(0.25).epsilon(1e-12));
}

TEST_CASE("hinges take the twist, and large rests are told") {
    const auto model = model_of(arm);
    Diagnostics log;
    const ClipSamples clip =
        parse(frames("0 0 0 0 0 0  0 0 0  0  0 25 0", "0 0 0 0 0 0  0 0 0  12  0 25 0"), *model, log);
    CHECK(clip.q[11] == doctest::Approx(0.25 + 25 * degree).epsilon(1e-13));
    // The clavicle's 12 degrees about y reach the elbow: R_y(12) R_x(25) has the twist 25 about x, by
    // tan(θ/2) = x/w of the product.
    CHECK(clip.q[23] == doctest::Approx(0.25 + 25 * degree).epsilon(1e-13));
    CHECK(contains(all_text(log),
                   "warning[W154]: joint 'elbow' cannot follow all of 'elbow': up to 12 degrees"));
    CHECK(count_code(log, "W154") == 1);
}

TEST_CASE("several hinges of a body share a joint of the skeleton") {
    const auto model = model_of(arm);
    // The axes of the hand are those of the arm: y, z, x of the world are its x, y, z.
    const double angles[3] = {0.4, -0.7, 0.3};
    Diagnostics log;
    std::string text = skeleton;
    text.replace(text.find("JOINT elbow"), 11, "JOINT Hand");
    // In the file's axes: world y is −z of the file, world z is y, world x is x.
    const auto to_zxy = [&](double a, double b, double c) {
        const Quatd q =
            about({0, 0, -1}, a / degree) * about({0, 1, 0}, b / degree) * about({1, 0, 0}, c / degree);
        const Mat3d R = rotation_matrix(q);
        const double bx = std::asin(R.y.z);
        return std::to_string(std::atan2(-R.y.x, R.y.y) / degree) + " " + std::to_string(bx / degree) + " " +
               std::to_string(std::atan2(-R.x.z, R.z.z) / degree);
    };
    const ClipSamples clip = parse(text + "0 0 0 0 0 0  0 0 0  0  0 0 0\n0 0 0 0 0 0  0 0 0  0  " +
                                       to_zxy(angles[0], angles[1], angles[2]) + "\n",
                                   *model, log);
    CHECK(clip.joints == std::vector<int>{0, 1, 3, 4, 5});
    // Six decimals of a degree.
    for (int k = 0; k < 3; ++k) CHECK(std::abs(clip.q[14 + 11 + k] - angles[k]) < 1e-7);
    CHECK(count_code(log, "W154") == 0);
}

TEST_CASE("maps, scale, axes and roots are as asked for") {
    const auto model = model_of(arm);
    Diagnostics log;
    const std::string text = frames("100 200 300 0 0 0  0 0 0  0  0 0 0", "0 0 0 0 0 0  0 0 0  30  0 0 0");
    const ClipSamples clip =
        parse(text, *model, log,
              {.scale = 0.01, .up = ClipOptions::Up::z, .map = {{"clavicle", "wrist_y"}}, .root = "root"});
    CHECK(clip.joints == std::vector<int>{0, 1, 2, 4});
    CHECK(clip.q[0] == 1);
    CHECK(clip.q[1] == 2);
    CHECK(clip.q[2] == 3);
    // y of the file is y of the world: z_arm is x, x_arm is y: the wrist's y is z of the world.
    CHECK(std::abs(clip.q[2 * 13 - 1]) < 1e-12);
    CHECK(contains(errors_of(text, *model, {.map = {{"clavicel", "elbow"}}}),
                   "E155]: the skeleton has no joint 'clavicel' (did you mean 'clavicle'?)"));
    CHECK(contains(
        errors_of(text, *model, {.map = {{"clavicle", "elbo"}}}),
        "clip.bvh:9:11: error[E155]: the model has no joint or body 'elbo' (did you mean 'elbow'?)"));
    CHECK(contains(errors_of(text, *model, {.root = "roof"}),
                   "E155]: there is no skeleton with the root 'roof'"));
    std::string two = text;
    two.insert(two.find("MOTION"), "ROOT second\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n");
    CHECK(contains(errors_of(two, *model),
                   "E156]: the file holds 2 skeletons (choose one of 'root', 'second')"));
    CHECK(errors_of(two, *model, {.root = "root"}) == errors_of(text, *model));
}

TEST_CASE("what is written reads back: the character, and trees of all joints") {
    Random random(11);
    for (int trial = 0; trial < 12; ++trial) {
        CAPTURE(trial);
        std::shared_ptr<const Model> model = character();
        if (trial > 0) {
            TreeShape shape;
            shape.bodies = 2 + trial;
            shape.kinematic = trial % 3;
            model = compile(random_scene(random, shape));
        }
        ClipSamples samples;
        for (int j = 0; j < static_cast<int>(model->joints.size()); ++j) samples.joints.push_back(j);
        for (int k = 0; k < 20; ++k) {
            samples.times.push_back(k / 24.0);
            for (const Model::Joint& joint : model->joints) {
                double q[joints::max_nq];
                random_coordinates(random, joints::joint_info(joint.type), 3, q);
                samples.q.insert(samples.q.end(), q, q + joint.nq);
            }
        }
        // Angles come back within half a turn of the frame before: continuous motions, from where the reader
        // begins.
        std::size_t first = 0;
        for (const Model::Joint& joint : model->joints) {
            for (int c = 0; c < joint.nq && joint.nq == joint.nv; ++c)
                samples.q[first + c] = model->q0[joint.q_adr + c];
            first += joint.nq;
        }
        const std::size_t row = samples.q.size() / 20;
        for (std::size_t k = 1; k < 20; ++k) {
            std::size_t at = k * row;
            for (const Model::Joint& joint : model->joints) {
                for (int c = 0; c < joint.nq && joint.nq == joint.nv; ++c)
                    samples.q[at + c] = samples.q[at + c - row] + std::sin(samples.q[at + c]);
                at += joint.nq;
            }
        }
        for (const ClipOptions& options :
             {ClipOptions{}, ClipOptions{.scale = 0.01, .up = ClipOptions::Up::z}}) {
            const std::string text = clip_to_bvh(*model, samples, options);
            Diagnostics log;
            const ClipSamples back = parse(text, *model, log, options);
            CHECK(all_text(log) == "");
            CHECK(difference(*model, samples, back) < 1e-10);
            for (std::size_t k = 0; k < 20; ++k)
                CHECK(back.times[k] == doctest::Approx(samples.times[k]).epsilon(1e-14));
        }
    }
}

TEST_CASE("right angles, where two of the written angles are one, read back as well") {
    const auto model = model_of(arm);
    for (const double off : {0.0, 1e-12, 1e-9, 1e-6})
        for (const double side : {-90.0, 90.0}) {
            const Quatd q = about({0, 0, 1}, 37) * about({1, 0, 0}, side + off) * about({0, 1, 0}, -58);
            ClipSamples samples{{1}, {0}, {q.w, q.x, q.y, q.z}, {}};
            for (const auto up : {ClipOptions::Up::y, ClipOptions::Up::z}) {
                Diagnostics log;
                const ClipOptions options{.up = up};
                const ClipSamples back = parse(clip_to_bvh(*model, samples, options), *model, log, options);
                CHECK(apart(quaternion_of(back, 7), q) < 1e-13);
            }
        }
}

TEST_CASE("what is wrong is said with its place") {
    const auto model = model_of(arm);
    const std::string good = frames("0 0 0 0 0 0  0 0 0  0  0 0 0", "0 0 0 0 0 0  0 0 0  0  0 0 0");
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return errors_of(text, *model);
    };
    CHECK(
        contains(errors_of("", *model), "error[E150]: the file needs 'HIERARCHY', not the end of the file"));
    CHECK(contains(with("ROOT", "RODE"), "clip.bvh:2:1: error[E150]: a skeleton begins with 'ROOT'"));
    CHECK(contains(with("XROTATION", "rotX"), "clip.bvh:8:36: error[E150]: channel 3 of joint 'Shoulder'"));
    CHECK(contains(with("0.2 0.3 0", "0.2 0,3 0"),
                   "clip.bvh:7:16: error[E150]: OFFSET needs a number, not '0,3' (write "
                   "decimal points"));
    CHECK(
        contains(with("Frames: 2", "Frames: x"), "clip.bvh:26:9: error[E150]: Frames needs a whole number"));
    CHECK(contains(with("Frame Time: 0.5", "Frame Time: 0"), "error[E150]: the frame time is not positive"));
    CHECK(contains(with("Frames: 2", "Frames: 3"), "warning[W152]: the file has 2 whole frames, not 3"));
    CHECK(contains(with("Frames: 2", "Frames: 1"),
                   "warning[W152]: there are more numbers than 1 frames of 13"));
    CHECK(contains(with("End Site", "Ende Site"), "'Ende' is nothing that joint 'elbow' can have"));
    const std::string stranger =
        "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION Frames 1 Frame Time 1 5";
    CHECK(contains(errors_of(stranger, *model), "clip.bvh:1:16: error[E151]"));
}

TEST_CASE("texts that are cut off or altered end in a message") {
    const auto model = model_of(arm);
    const std::string good = frames("1 2 3 4 5 6  7 8 9  10  11 12 13", "0 0 0 0 0 0  0 0 0  0  0 0 0");
    for (std::size_t length = 0; length + 14 < good.size(); ++length)
        CHECK(errors_of(good.substr(0, length), *model) != errors_of(good, *model));
    Random random(5);
    const std::string_view pieces[] = {"{", "}", "JOINT", "CHANNELS", "End Site",
                                       "1e999", "-", "nan", "99999999999", "MOTION",
                                       "\xff\xfe", "ROOT", "Xrotation", "Frames:"};
    int refused = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        std::string text = good;
        for (int k = 0; k < 1 + trial % 3; ++k) {
            const std::size_t at = random_index(random, static_cast<int>(text.size()));
            if (trial % 2)
                text.replace(at, 1 + random_index(random, 6),
                             pieces[random_index(random, std::size(pieces))]);
            else
                text[at] = static_cast<char>(random_index(random, 256));
        }
        Diagnostics log;
        try {
            const MotionClip clip(*model, parse(text, *model, log));
        } catch (const InputError&) { ++refused; }
    }
    CHECK(refused > 1000);
}
