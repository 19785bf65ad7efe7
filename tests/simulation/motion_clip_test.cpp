// Curves through samples: where they pass, how smooth they are, what happens at their ends.

#include "core/rotation.h"
#include "support/random_scene.h"
#include "support/simulation_scenes.h"

#include <ligament/motion_clip.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A free joint, a ball and a hinge.
std::shared_ptr<const Model> three_joints() {
    return model_of(R"(<mujoco><worldbody><body name='a'><freejoint name='free'/><geom size='0.1'/>
      <body pos='1 0 0'><joint name='ball' type='ball'/><geom size='0.1'/>
      <body pos='1 0 0'><joint name='hinge'/><geom size='0.1'/></body></body></body></worldbody></mujoco>)");
}

ClipSamples random_samples(const Model& model, int count) {
    Random random(8);
    ClipSamples samples;
    double time = -0.3;
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) samples.joints.push_back(j);
    for (int k = 0; k < count; ++k) {
        samples.times.push_back(time += random.uniform(0.05, 0.4));
        const JointState<double> state = random_state(random, model);
        samples.q.insert(samples.q.end(), state.q.begin(), state.q.end());
    }
    return samples;
}

struct Sampled {
    std::vector<double> q, v, a;
};
Sampled sample(const Model& model, const MotionClip& clip, double time) {
    Sampled out{model.q0, std::vector<double>(model.nv), std::vector<double>(model.nv)};
    clip.sample(time, out.q, out.v, out.a);
    return out;
}

double largest_of(const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0;
    for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    return largest;
}

// The velocity that leads from one to the other in unit time.
std::vector<double> from_to(const Model& model, Workspace<double>& ws, const std::vector<double>& a,
                            const std::vector<double>& b) {
    std::vector<double> v(model.nv);
    difference<double>(ws, a, b, v);
    return v;
}

}  // namespace

TEST_CASE("a curve passes through its samples, and its rates are those of its coordinates") {
    const auto model = three_joints();
    Workspace<double> ws(model);
    for (const ClipEnds ends : {ClipEnds::hold, ClipEnds::loop}) {
        const ClipSamples samples = random_samples(*model, 9);
        const MotionClip clip(*model, samples, ends);
        for (std::size_t k = 0; k < samples.times.size(); ++k) {
            const std::vector<double> q(samples.q.begin() + k * model->nq,
                                        samples.q.begin() + (k + 1) * model->nq);
            const Sampled at = sample(*model, clip, samples.times[k]);
            const std::vector<double> off = from_to(*model, ws, q, at.q);
            CHECK(largest_of(off, std::vector<double>(model->nv)) < 1e-13);
        }
        // Differences of 2e-6 s: their error is rounding over that, and the jumps of the accelerations at
        // samples (some 100 /s²) times the time. So velocities are continuous.
        const double h = 1e-6;
        double jump = 0;
        for (double t = clip.begin() + 2 * h; t < clip.end() - 2 * h; t += 1e-3) {
            const Sampled before = sample(*model, clip, t - h), here = sample(*model, clip, t),
                          after = sample(*model, clip, t + h);
            std::vector<double> v = from_to(*model, ws, before.q, after.q), a(model->nv);
            for (double& x : v) x /= 2 * h;
            jump = std::max(jump, largest_of(v, here.v));
            for (int k = 0; k < model->nv; ++k) a[k] = (after.v[k] - before.v[k]) / (2 * h);
            bool at_sample = false;
            for (const double s : samples.times) at_sample = at_sample || std::abs(s - t) <= h;
            // Relative: accelerations reach hundreds.
            if (!at_sample)
                for (int k = 0; k < model->nv; ++k)
                    CHECK(std::abs(a[k] - here.a[k]) < 1e-3 + 1e-4 * std::abs(here.a[k]));
        }
        CHECK(jump < 1e-3);
    }
}

// Curves through samples of a smooth motion with its velocities: the error is of fourth order.
TEST_CASE("half as far apart, sixteen times as near") {
    const auto model = three_joints();
    Workspace<double> ws(model);
    const Vec3d a{0.7, -0.2, 0.4}, b{-0.3, 0.9, 0.5};
    const auto turn = [&](double t) { return rotation_exp(std::sin(3 * t) * a) * rotation_exp(t * b); };
    const auto spin = [&](double t) {
        // ω of a product, in the axes behind both.
        return b + transpose_mul(rotation_matrix(rotation_exp(t * b)), (3 * std::cos(3 * t)) * a);
    };
    const auto error = [&](int intervals) {
        ClipSamples samples{{1, 2}, {}, {}, {}};
        for (int k = 0; k <= intervals; ++k) {
            const double t = 2.0 * k / intervals;
            const Quatd q = turn(t);
            const Vec3d w = spin(t);
            samples.times.push_back(t);
            samples.q.insert(samples.q.end(), {q.w, q.x, q.y, q.z, std::sin(5 * t)});
            samples.v.insert(samples.v.end(), {w.x, w.y, w.z, 5 * std::cos(5 * t)});
        }
        const MotionClip clip(*model, samples);
        struct {
            double turn = 0, angle = 0;
        } worst;
        for (double t = 0; t <= 2; t += 0.0037) {
            const Sampled at = sample(*model, clip, t);
            const Quatd q{at.q[7], at.q[8], at.q[9], at.q[10]};
            worst.turn = std::max(worst.turn, length(rotation_log(conjugate(q) * turn(t))));
            worst.angle = std::max(worst.angle, std::abs(at.q[11] - std::sin(5 * t)));
        }
        return worst;
    };
    const auto coarse = error(40), fine = error(80);
    CHECK(coarse.turn < 1e-4);
    CHECK(coarse.turn / fine.turn == doctest::Approx(16).epsilon(0.1));
    CHECK(coarse.angle / fine.angle == doctest::Approx(16).epsilon(0.1));
}

TEST_CASE("a steady turn stays steady") {
    const auto model = three_joints();
    ClipSamples samples{{1}, {}, {}, {}};
    const Vec3d w{1.1, -0.4, 2.0};
    for (const double t : {0.0, 0.2, 0.5, 0.6, 1.3}) {
        const Quatd q = rotation_exp(t * w);
        samples.times.push_back(t);
        samples.q.insert(samples.q.end(), {q.w, q.x, q.y, q.z});
    }
    const MotionClip clip(*model, samples);
    for (double t = 0; t < 1.3; t += 0.01) {
        const Sampled at = sample(*model, clip, t);
        CHECK(length(rotation_log(conjugate(rotation_exp(t * w)) *
                                  Quatd{at.q[7], at.q[8], at.q[9], at.q[10]})) < 1e-14);
        for (int k = 0; k < 3; ++k) CHECK(std::abs(at.v[6 + k] - w[k]) < 1e-12);
        for (int k = 0; k < 3; ++k) CHECK(std::abs(at.a[6 + k]) < 1e-10);
    }
}

TEST_CASE("ends are held or joined") {
    const auto model = three_joints();
    const ClipSamples open{{2}, {1, 2, 3}, {0, 1, 3}, {}};
    const MotionClip held(*model, open);
    CHECK(sample(*model, held, 0).q[11] == 0);
    CHECK(sample(*model, held, 0).v[9] == 0);
    CHECK(sample(*model, held, 9).q[11] == 3);
    CHECK(sample(*model, held, 9).a[9] == 0);
    // One more interval leads back to the beginning.
    const MotionClip looped(*model, open, ClipEnds::loop);
    CHECK(looped.period() == 3);
    for (const double t : {1.0, 1.7, 2.3, 3.5, 3.9})
        for (const double turns : {-30.0, -3.0, 3.0, 300.0}) {
            const Sampled here = sample(*model, looped, t), there = sample(*model, looped, t + turns);
            CHECK(here.q[11] == doctest::Approx(there.q[11]).epsilon(1e-12));
            CHECK(here.v[9] == doctest::Approx(there.v[9]).epsilon(1e-11));
        }
    CHECK(sample(*model, looped, 1 - 1e-9).v[9] ==
          doctest::Approx(sample(*model, looped, 1 + 1e-9).v[9]).epsilon(1e-6));
    // … unless the end is the beginning. Where a free joint is does not count.
    const MotionClip closed(*model, {{2}, {1, 2, 3}, {0, 1, 0}, {}}, ClipEnds::loop);
    CHECK(closed.period() == 2);
    const MotionClip walk(*model, {{0, 2}, {0, 1}, {0, 0, 0, 1, 0, 0, 0, 5, 9, 0, 0, 1, 0, 0, 0, 5}, {}},
                          ClipEnds::loop);
    CHECK(walk.period() == 1);
    const MotionClip pose(*model, {{2}, {4}, {0.3}, {}}, ClipEnds::loop);
    CHECK(sample(*model, pose, 11).q[11] == 0.3);
    CHECK(sample(*model, pose, 11).v[9] == 0);
}

TEST_CASE("keyframes are a clip") {
    const auto model = character();
    const int both[] = {0, 1};
    const double times[] = {0, 2};
    const MotionClip clip(*model, keyframe_samples(*model, both, times));
    CHECK(sample(*model, clip, 2).q[2] == doctest::Approx(2.2));
    CHECK_THROWS_AS(keyframe_samples(*model, both, std::span(times, 1)), std::invalid_argument);
    const int none[] = {7};
    CHECK_THROWS_AS(keyframe_samples(*model, none), std::invalid_argument);
    CHECK_THROWS_AS(keyframe_samples(*three_joints()), std::invalid_argument);
}

TEST_CASE("samples that do not fit are refused") {
    const auto model = three_joints();
    const auto refused = [&](ClipSamples samples) {
        CHECK_THROWS_AS(MotionClip(*model, std::move(samples)), std::invalid_argument);
    };
    refused({{2}, {}, {}, {}});
    refused({{3}, {0}, {0}, {}});
    refused({{2, 1}, {0}, {0, 1, 0, 0, 0}, {}});
    refused({{2}, {0}, {0, 1}, {}});
    refused({{2}, {0}, {0}, {1, 2}});
    refused({{2}, {0, 0}, {0, 1}, {}});
    refused({{2}, {0}, {std::nan("")}, {}});
    refused({{1}, {0}, {0, 0, 0, 0}, {}});
}
