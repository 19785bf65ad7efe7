// Curves through samples against the curves that they were taken from, and bodies that are led along them.

#include "core/rotation.h"
#include "support/simulation_scenes.h"

#include <ligament/kinematic_paths.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

const char* const stage = R"(<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="hand" mocap="true" pos="1 2 3" quat="0 1 0 0"/>
  <body name="crane" mocap="true">
    <body name="bob" pos="0 0 0"><joint name="rope" axis="0 1 0"/>
      <inertial pos="0 0 -1" mass="1" diaginertia="0.25 0.25 0.25"/></body></body>
  <body name="free"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>)";

constexpr double period = 2, w = 2 * std::numbers::pi / period;

// Comes to rest at whole periods, as the ends of paths do. By 4 sin³ x = 3 sin x − sin 3x the third
// derivative is at most 7.5 (w/2)³.
constexpr double third = 7.5 * (w / 2) * (w / 2) * (w / 2);
double wave(double t) { return std::pow(std::sin(w * t / 2), 3); }
double wave_rate(double t) { return 1.5 * w * std::pow(std::sin(w * t / 2), 2) * std::cos(w * t / 2); }
double wave_second(double t) {
    const double s = std::sin(w * t / 2), c = std::cos(w * t / 2);
    return 0.75 * w * w * s * (2 * c * c - s * s);
}

const Vec3d amplitude{0.3, -0.2, 0.5}, centre{1, 0, 2};
const Vec3d axis{0.6, 0, 0.8};

PathSamples sampled(const Model& model, int rows) {
    PathSamples samples;
    PathSamples::Path path{model.find_body("hand"), {}, {}};
    for (int k = 0; k <= rows; ++k) {
        const double t = period * k / rows;
        samples.times.push_back(t);
        path.pos.push_back(centre + wave(t) * amplitude);
        path.quat.push_back(rotation_exp(wave(t) * axis));
    }
    samples.paths.push_back(path);
    return samples;
}

double size(const Vec3d& v) { return std::sqrt(dot(v, v)); }
double angle_between(const Quatd& a, const Quatd& b) { return size(rotation_log(conjugate(a) * b)); }

}  // namespace

TEST_CASE("paths: the curve comes near the one that its samples are of, with its rates") {
    const auto model = model_of(stage);
    for (const int rows : {40, 80, 160}) {
        CAPTURE(rows);
        const KinematicPaths paths(*model, sampled(*model, rows));
        // A rate from a parabola is wrong by h²/6 of the third derivative, the value by a quarter of that
        // times h; the second rate by 6/h times the error of the rates, less than 4 of which meet.
        const double h = period / rows;
        double value = 0, rate = 0, second = 0, turn = 0, spin = 0;
        for (int k = 0; k <= 1000; ++k) {
            const double t = period * k / 1000;
            BaseMotion<double> motion{};
            paths.sample(0, t, motion);
            value = std::max(value, size(motion.pos - (centre + wave(t) * amplitude)));
            rate = std::max(rate, size(motion.velocity.lin - wave_rate(t) * amplitude));
            second = std::max(second, size(motion.acceleration.lin - wave_second(t) * amplitude));
            turn = std::max(turn, angle_between(motion.quat, rotation_exp(wave(t) * axis)));
            spin = std::max(spin, size(motion.velocity.ang - wave_rate(t) * axis));
            CHECK(dot(motion.quat, motion.quat) == doctest::Approx(1).epsilon(1e-14));
        }
        CHECK(value < size(amplitude) * third * h * h * h / 24 * 1.1);
        CHECK(rate < size(amplitude) * third * h * h / 6 * 1.1);
        CHECK(second < size(amplitude) * third * h);
        CHECK(turn < third * h * h * h / 24 * 1.1);
        CHECK(spin < third * h * h / 6 * 1.1);
    }
}

TEST_CASE("paths: rates are those of the curve itself, and go on over samples") {
    const auto model = model_of(stage);
    PathSamples samples;
    samples.times = {0, 0.4, 0.5, 1.5, 1.7};
    PathSamples::Path path{model->find_body("hand"), {}, {}};
    for (const double t : samples.times) {
        path.pos.push_back({std::sin(9 * t), t * t, -t});
        // About axes that differ, by large angles; of any length, and of either sign.
        const Quatd q = rotation_exp(Vec3d{3 * t, std::cos(4 * t), std::sin(7 * t)});
        const double f = t == 0.5 ? -3 : 2;
        path.quat.push_back({f * q.w, f * q.x, f * q.y, f * q.z});
    }
    samples.paths.push_back(path);
    const KinematicPaths paths(*model, samples);
    const auto at = [&](double t) {
        BaseMotion<double> motion{};
        paths.sample(0, t, motion);
        return motion;
    };
    const double d = 1e-5;
    for (const double t : {0.1, 0.4 - 2e-5, 0.4 + 2e-5, 0.45, 0.9, 1.3, 1.6}) {
        CAPTURE(t);
        const BaseMotion<double> before = at(t - d), here = at(t), after = at(t + d);
        // Central differences: d² of the curve's third rate, at most 10³, and rounding by 1e-16/d.
        CHECK(size(here.velocity.lin - (0.5 / d) * (after.pos - before.pos)) < 1e-6);
        CHECK(size(here.velocity.ang - (0.5 / d) * rotation_log(after.quat * conjugate(before.quat))) < 1e-6);
        CHECK(size(here.acceleration.lin - (0.5 / d) * (after.velocity.lin - before.velocity.lin)) < 1e-5);
        CHECK(size(here.acceleration.ang - (0.5 / d) * (after.velocity.ang - before.velocity.ang)) < 1e-4);
    }
    for (std::size_t k = 0; k < samples.times.size(); ++k) {
        const BaseMotion<double> before = at(samples.times[k] - 1e-9), after = at(samples.times[k] + 1e-9);
        CHECK(size(at(samples.times[k]).pos - path.pos[k]) < 1e-15);
        CHECK(angle_between(at(samples.times[k]).quat, path.quat[k]) < 1e-14);
        CHECK(size(before.velocity.lin - after.velocity.lin) < 1e-5);
        CHECK(size(before.velocity.ang - after.velocity.ang) < 1e-5);
    }
}

TEST_CASE("paths: bodies rest at both ends; what is not given stays") {
    const auto model = model_of(stage);
    PathSamples samples = sampled(*model, 10);
    samples.paths[0].quat.clear();
    const KinematicPaths paths(*model, samples);
    for (const double t : {-100.0, -1e-9, 0.0, period, period + 1e-9, 1e6}) {
        BaseMotion<double> motion{};
        motion.quat = {0, 0, 1, 0};
        motion.velocity.ang = {1, 2, 3};
        paths.sample(0, t, motion);
        CHECK(size(motion.pos - centre) < 1e-15);
        CHECK(size(motion.velocity.lin) < 1e-12);
        CHECK(motion.quat.y == 1);
        CHECK(size(motion.velocity.ang) == 0);
    }
    // A single row is a place.
    PathSamples one{{3}, {{model->find_body("hand"), {{4, 5, 6}}, {}}}};
    Simulation sim(model);
    KinematicPaths(*model, one).start(sim);
    CHECK(sim.state().kinematic[0].pos.y == 5);
    CHECK(sim.state().kinematic[0].quat.x == 1);
}

TEST_CASE("paths: bodies that are led keep to them, with velocities that do not jump") {
    const auto model = model_of(stage);
    for (const std::string formulation : {"reduced", "multiplier", "implicit"}) {
        CAPTURE(formulation);
        double off[2] = {}, turned[2] = {};
        for (const int halved : {0, 1}) {
            SimulationOptions options;
            options.formulation = formulation;
            Simulation sim(model, options);
            const KinematicPaths paths(*model, sampled(*model, 400));
            paths.start(sim);
            const int steps = halved ? 120 : 60;
            const double h = period / steps;
            for (int k = 0; k < steps; ++k) {
                const Motion<double> before = sim.state().kinematic[0].velocity;
                paths.lead(sim, h);
                CHECK(size(sim.state().kinematic[0].velocity.lin - before.lin) == 0);
                REQUIRE(sim.step(h).status == StepStatus::ok);
                const BaseMotion<double>& now = sim.state().kinematic[0];
                const double t = sim.state().time;
                off[halved] = std::max(off[halved], size(now.pos - (centre + wave(t) * amplitude)));
                turned[halved] =
                    std::max(turned[halved], angle_between(now.quat, rotation_exp(wave(t) * axis)));
            }
            // Three times the error of the trapezoidal rule, h³/12 of the third derivative.
            const double bound = 3 * std::pow(h, 3) / 12 * third;
            CHECK(off[halved] < size(amplitude) * bound);
            CHECK(turned[halved] < bound);
        }
        CHECK(off[1] < off[0] / 6);  // third order: an eighth
        CHECK(turned[1] < turned[0] / 6);
    }
}

TEST_CASE("paths: an error halves with each step") {
    const auto model = model_of(stage);
    Simulation sim(model);
    const KinematicPaths paths(*model, {{0}, {{model->find_body("hand"), {{0, 0, 0}}, {{1, 0, 0, 0}}}}});
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.pos = {0, 0, 1};
    motion.quat = rotation_exp(Vec3d{0.5, 0, 0});
    sim.set_kinematic(1, motion);
    const auto step = [&] {
        paths.lead(sim, 0.01);
        REQUIRE(sim.step(0.01).status == StepStatus::ok);
    };
    // e⁺ = e − (e + e⁻)/6 with e⁻ = 0 at first, for the body was at rest.
    double e = 1, before = 0;
    for (int k = 0; k < 20; ++k) {
        step();
        const double next = e - (e + before) / 6;
        before = e;
        e = next;
        CHECK(sim.state().kinematic[0].pos.z == doctest::Approx(e).epsilon(1e-9));
        CHECK(rotation_log(sim.state().kinematic[0].quat).x == doctest::Approx(0.5 * e).epsilon(1e-9));
    }
    CHECK(e < 1e-5);
}

TEST_CASE("paths: a pendulum under a crane that speeds up evenly swings as in slanted gravity") {
    // At constant acceleration a the bob swings about the direction of g − a: from rest below the crane by
    // twice atan(a/g), and there and back by the period of that amplitude. Energy in the crane's frame tells
    // the velocity at each angle: (1 + 0.25) θ̇²/2 = g (cos θ − 1) + a sin θ, for 1 kg at 1 m with
    // 0.25 kg·m².
    const auto model = model_of(stage);
    const double a = 3, g = 9.81;
    for (const std::string formulation : {"reduced", "multiplier"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        options.stepping = Stepping::smooth;
        options.integrator = SmoothIntegrator::rk45;
        Simulation sim(model, options);
        // Rows before the start, so that the parabola is all there is.
        PathSamples samples;
        PathSamples::Path path{model->find_body("crane"), {}, {}};
        for (int k = -2; k <= 12; ++k) {
            const double t = 0.25 * k;
            samples.times.push_back(t);
            path.pos.push_back({0.5 * a * t * t, 0, 0});
        }
        samples.paths.push_back(path);
        const KinematicPaths paths(*model, samples);
        paths.start(sim);
        for (int k = 0; k < 120; ++k) {
            paths.lead(sim, 0.02);
            REQUIRE(sim.step(0.02).status == StepStatus::ok);
            const double angle = sim.state().q[0], rate = sim.state().v[0];
            // About +y the bob goes to −x for positive angles, against the acceleration.
            CHECK(0.5 * 1.25 * rate * rate == doctest::Approx(g * (std::cos(angle) - 1) + a * std::sin(angle))
                                                  .scale(1)
                                                  .epsilon(1e-5));
        }
        CHECK(sim.state().kinematic[1].pos.x == doctest::Approx(0.5 * a * 2.4 * 2.4).epsilon(1e-9));
    }
}

TEST_CASE("paths: another acceleration alone leaves what a formulation remembers") {
    // Bodies on joints of the crane swing on as if nobody had asked: setting it again to what it is changes
    // no bit of the run.
    const auto model = model_of(stage);
    for (const std::string formulation : {"multiplier", "implicit"}) {
        SimulationOptions options;
        options.formulation = formulation;
        if (formulation == "implicit") options.integrator = SmoothIntegrator::bdf2;
        Simulation one(model, options), other(model, options);
        for (Simulation* sim : {&one, &other}) {
            JointState<double> state = sim->state();
            state.q[0] = 1;
            sim->set_state(state);
        }
        for (int k = 0; k < 30; ++k) {
            other.set_kinematic(model->find_body("crane"), other.state().kinematic[1]);
            REQUIRE(one.step(0.01).status == StepStatus::ok);
            REQUIRE(other.step(0.01).status == StepStatus::ok);
        }
        CHECK(one.state().q[0] == other.state().q[0]);
        CHECK(one.state().v[0] == other.state().v[0]);
    }
}

TEST_CASE("paths: samples that cannot be are refused") {
    const auto model = model_of(stage);
    const int hand = model->find_body("hand");
    const auto refusal = [&](PathSamples samples) -> std::string {
        try {
            KinematicPaths(*model, std::move(samples));
        } catch (const std::invalid_argument& error) { return error.what(); }
        return "";
    };
    const auto says = [&](PathSamples samples, const char* words) {
        CHECK(refusal(std::move(samples)).find(words) != std::string::npos);
    };
    const Vec3d o{0, 0, 0};
    says({{}, {{hand, {}, {}}}}, "no samples");
    says({{0, 0}, {{hand, {o, o}, {}}}}, "rise");
    says({{0, NAN}, {{hand, {o, o}, {}}}}, "finite");
    says({{0}, {{model->find_body("free"), {o}, {}}}}, "not kinematic");
    says({{0}, {{99, {o}, {}}}}, "not kinematic");
    says({{0, 1}, {{hand, {o}, {}}}}, "'hand' has not as many");
    says({{0}, {{hand, {{0, INFINITY, 0}}, {}}}}, "'hand' is not finite");
    says({{0}, {{hand, {}, {{0, 0, 0, 0}}}}}, "zero");
    says({{0}, {{hand, {o}, {}}, {hand, {o}, {}}}}, "twice");
    says({{0, 1e-320}, {{hand, {o, {1e-3, 0, 0}}, {}}}}, "too fast");
    says({{0, 1, 2}, {{hand, {{1e308, 0, 0}, {-1e308, 0, 0}, o}, {}}}}, "too fast");
}
