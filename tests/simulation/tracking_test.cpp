// Joints that follow clips: how fast errors decay, what gravity and inertia do to that, what a torque limit
// does, and what happens when a character goes limp. Frames of 60 Hz.

#include "core/rotation.h"
#include "core/rotation_vector.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/tracking.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A bar of 2 kg and 1 m that reaches along x from a hinge about y, with a second one at its end.
const char* const two_bars = R"(<mujoco><worldbody>
  <body name='upper'><joint name='shoulder' axis='0 1 0'/>
    <inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.16666666666666666 0.16666666666666666'/>
    <body name='lower' pos='1 0 0'><joint name='elbow' axis='0 1 0'/>
      <inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.16666666666666666 0.16666666666666666'/>
    </body></body></worldbody></mujoco>)";
constexpr double bar_inertia = 2.0 / 3;

const char* const one_ball = R"(<mujoco><worldbody><body name='arm'><joint name='ball' type='ball'/>
  <inertial pos='0.2 0 -0.3' mass='3' diaginertia='0.1 0.07 0.05'/></body></worldbody></mujoco>)";

// A pose that does not change.
MotionClip pose_clip(const Model& model, std::vector<int> joints, std::vector<double> q) {
    return MotionClip(model, {std::move(joints), {0}, std::move(q), {}});
}

// What is left of an error at rest after t, by the closed form of e″ + K_d e′ + K_p e = 0, critically damped.
double left_over(double x_of_t) { return (1 + x_of_t) * std::exp(-x_of_t); }

double error_of(const Simulation& sim, int dof) {
    std::vector<double> errors(sim.model().nv);
    sim.tracking_errors(errors);
    return errors[dof];
}

std::vector<int> all_but_root(const Model& model) {
    std::vector<int> joints;
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
        if (model.joints[j].type != JointType::free) joints.push_back(j);
    return joints;
}

}  // namespace

TEST_CASE("gains from a settling time") {
    for (const double share : {0.9, 0.5, 0.1, 0.02, 1e-6}) {
        const TrackingGains gains = settling_gains(0.4, share);
        CHECK(gains.damping * gains.damping == doctest::Approx(4 * gains.stiffness).epsilon(1e-14));
        CHECK(left_over(0.4 * std::sqrt(gains.stiffness)) == doctest::Approx(share).epsilon(1e-12));
    }
    const TrackingGains tenth = settling_gains(2);
    CHECK(4 * tenth.stiffness == doctest::Approx(15.130).epsilon(1e-5));
    CHECK(2 * tenth.damping == doctest::Approx(7.7794).epsilon(1e-5));
    const TrackingGains paper = paper_gains(2);
    CHECK(paper.stiffness == 0.25);
    CHECK(paper.damping == 1);
    CHECK_THROWS_AS(settling_gains(0), std::invalid_argument);
    CHECK_THROWS_AS(settling_gains(1, 1), std::invalid_argument);
    CHECK_THROWS_AS(paper_gains(-1), std::invalid_argument);
}

// The rows ask for the exact motion, so what is left at the settling time is a tenth whatever the step; the
// tolerance is that of the solver's velocities (1e-4 rad/s of corrections over the settling time).
TEST_CASE("a tenth of the error is left at the settling time, for every step") {
    for (const double settling : {0.05, 0.2, 1.0})
        for (const double steps : {1.0, 3.0, 12.0, 100.0}) {
            CAPTURE(settling);
            CAPTURE(steps);
            const auto model = model_of(two_bars);
            Simulation sim(model);
            sim.track(pose_clip(*model, {0, 1}, {1, -0.5}), {.gains = settling_gains(settling)});
            run(sim, settling, settling / steps);
            CHECK(std::abs(error_of(sim, 0) - 0.1) < 1e-4);
            CHECK(std::abs(error_of(sim, 1) + 0.05) < 1e-4);
            // The velocity is the exact one, too: −x² e⁻ˣ/t of the error.
            const double x = settling * std::sqrt(settling_gains(settling).stiffness);
            CHECK(sim.state().v[0] == doctest::Approx(x * x * std::exp(-x) / settling).epsilon(1e-3));
        }
}

// From event to event equation (22) holds at every instant, so the motion is as exact as the integration.
TEST_CASE("event steps follow as exactly, and keep the limit of torque") {
    SimulationOptions options;
    options.stepping = Stepping::event;
    options.tolerance = 1e-9;
    const auto model = model_of(two_bars);
    Simulation sim(model, options);
    sim.track(pose_clip(*model, {0, 1}, {1, -0.5}), {.gains = settling_gains(0.5)});
    run(sim, 0.5, 1.0 / 30);
    CHECK(std::abs(error_of(sim, 0) - 0.1) < 1e-7);
    CHECK(std::abs(error_of(sim, 1) + 0.05) < 1e-7);
    // Gravity asks for 3 m g/2 + m g/2 about the shoulder, nearly 79 N·m stretched out.
    Simulation weak(model, options);
    weak.track(pose_clip(*model, {0, 1}, {-0.5, -0.5}),
               {.gains = settling_gains(0.5), .torque_limit = 85});
    std::vector<double> forces(2);
    bool limited = false;
    double late = 0;
    run(weak, 4, frame, [&](const StepReport& report) {
        weak.tracking_forces(forces);
        for (const double force : forces) CHECK(std::abs(force) <= 85 * (1 + 1e-9));
        limited = limited || std::abs(forces[0]) > 84.999;
        if (std::abs(report.time - 0.5) < 1e-9) late = error_of(weak, 0);
    });
    CHECK(limited);
    CHECK(late < -0.06);  // more than the tenth of 0.5
    CHECK(std::abs(error_of(weak, 0)) < 1e-6);
}

TEST_CASE("the paper's gains leave 73.6 % of the error at their settling time") {
    const auto model = model_of(two_bars);
    Simulation sim(model);
    sim.track(pose_clip(*model, {0, 1}, {1, -0.5}), {.gains = paper_gains(0.5)});
    run(sim, 0.5, frame);
    CHECK(std::abs(error_of(sim, 0) - 2 / std::numbers::e) < 1e-4);
    CHECK(std::abs(error_of(sim, 1) + 1 / std::numbers::e) < 1e-4);
}

TEST_CASE("errors of any gains decay as their equation has it") {
    // K_p and K_d of damping ratios 0.2, 1 and 3, against the closed forms in long double.
    for (const double ratio : {0.2, 1.0, 3.0}) {
        CAPTURE(ratio);
        const double omega = 9;
        const auto model = model_of(two_bars);
        Simulation sim(model);
        sim.track(pose_clip(*model, {0, 1}, {0.7, 0}), {.gains = {omega * omega, 2 * ratio * omega}});
        run(sim, 0.5, frame);
        const long double a = ratio * omega, t = 0.5, square = a * a - omega * omega;
        const long double b = std::sqrt(std::abs(square));
        const long double wanted = square < 0 ? std::exp(-a * t) * (std::cos(b * t) + a / b * std::sin(b * t))
                                   : square > 0
                                       ? std::exp(-a * t) * (std::cosh(b * t) + a / b * std::sinh(b * t))
                                       : std::exp(-a * t) * (1 + a * t);
        CHECK(error_of(sim, 0) ==
              doctest::Approx(0.7 * static_cast<double>(wanted)).epsilon(1e-3).scale(0.1));
    }
}

TEST_CASE("one joint of a falling character reaches its target in time, whatever the others do") {
    const auto model = character();
    for (const char* name : {"elbow_left", "knee_right"}) {
        CAPTURE(name);
        Simulation sim(model);
        sim.reset(model->find_keyframe("tumble"));
        const int joint = model->find_joint(name);
        const double from = sim.state().q[model->joints[joint].q_adr];
        sim.track(pose_clip(*model, {joint}, {from + 0.5}), {.gains = settling_gains(0.25)});
        run(sim, 0.25, frame);
        CHECK(std::abs(error_of(sim, model->joints[joint].v_adr) - 0.05) < 1e-4);
    }
}

TEST_CASE("a ball joint reaches its target in time, along the shortest way") {
    const auto model = model_of(one_ball);
    const Vec3d turn{0.9, -1.1, 0.6};
    const Quatd target = rotation_exp(turn);
    Simulation sim(model);
    sim.track(pose_clip(*model, {0}, {target.w, target.x, target.y, target.z}),
              {.gains = settling_gains(0.3)});
    for (int k = 1; k <= 18; ++k) {
        step_ok(sim, frame);
        std::vector<double> errors(3);
        sim.tracking_errors(errors);
        const double left = left_over(std::sqrt(settling_gains(0.3).stiffness) * k * frame);
        for (int c = 0; c < 3; ++c) CHECK(std::abs(errors[c] - left * turn[c]) < 1e-4);
    }
}

// A target that moves: with its acceleration fed forward a joint that starts on it stays there; without, as
// the paper's equation has it, it is behind by acceleration/stiffness, here A w²/K_p at the turning points.
TEST_CASE("a joint follows a swinging target") {
    const auto model = model_of(two_bars);
    const double amplitude = 0.8, w = 2 * std::numbers::pi;
    ClipSamples samples{{0, 1}, {}, {}, {}};
    for (int k = 0; k <= 200; ++k) {
        const double t = k / 100.0;
        samples.times.push_back(t);
        samples.q.insert(samples.q.end(), {amplitude * std::sin(w * t), 0.3 * std::cos(w * t)});
        samples.v.insert(samples.v.end(), {amplitude * w * std::cos(w * t), -0.3 * w * std::sin(w * t)});
    }
    const MotionClip clip(*model, samples);
    for (const bool feed_forward : {true, false}) {
        CAPTURE(feed_forward);
        Simulation sim(model);
        JointState<double> state = sim.state();
        state.q = {0, 0.3};
        state.v = {amplitude * w, 0};
        sim.set_state(state);
        sim.track(clip, {.gains = settling_gains(0.2), .feed_forward = feed_forward});
        double largest = 0;
        run(sim, 1.9, frame, [&](const StepReport& report) {
            if (report.time > 1) largest = std::max(largest, std::abs(error_of(sim, 0)));
        });
        const double stiffness = settling_gains(0.2).stiffness, damping = settling_gains(0.2).damping;
        // The steady answer of e″ + K_d e′ + K_p e = −q_d″.
        const double lag = amplitude * w * w / std::hypot(stiffness - w * w, damping * w);
        if (feed_forward)
            CHECK(largest < 1e-4);
        else
            CHECK(largest == doctest::Approx(lag).epsilon(0.02));
    }
}

TEST_CASE("torques of PD depend on inertia and gravity, accelerations do not") {
    const auto model = model_of(two_bars);
    const auto after = [&](TrackingMethod method, double settling) {
        Simulation sim(model);
        sim.track(pose_clip(*model, {0, 1}, {0.6, -0.3}),
                  {.method = method, .gains = settling_gains(settling)});
        run(sim, settling, settling / 400);
        return error_of(sim, 0);
    };
    // The tenth that is to be left is 0.06 rad. The longer it takes, the more gravity does meanwhile.
    CHECK(std::abs(after(TrackingMethod::acceleration, 0.2) - 0.06) < 1e-4);
    CHECK(std::abs(after(TrackingMethod::acceleration, 0.6) - 0.06) < 1e-4);
    CHECK(std::abs(after(TrackingMethod::pd, 0.2) - 0.06) > 0.005);
    CHECK(std::abs(after(TrackingMethod::pd, 0.6) - 0.06) > 0.03);
    // At rest the torque of a single bar carries its weight: K_p I₀ e = m g l cos q.
    const auto one = model_of(R"(<mujoco><worldbody><body><joint name='hinge' axis='0 1 0'/>
      <inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.16666666666666666 0.16666666666666666'/>
      </body></worldbody></mujoco>)");
    Simulation sim(one);
    const TrackingGains gains = settling_gains(0.5);
    sim.track(pose_clip(*one, {0}, {-0.4}), {.method = TrackingMethod::pd, .gains = gains});
    run(sim, 5, 1e-3);
    double q = 0;
    for (int k = 0; k < 200; ++k)
        q = -0.4 + 2 * gravity * 0.5 * std::cos(q) / (bar_inertia * gains.stiffness);
    CHECK(sim.state().q[0] == doctest::Approx(q).epsilon(1e-6));
    std::vector<double> torque(1);
    sim.tracking_forces(torque);
    CHECK(torque[0] == doctest::Approx(-2 * gravity * 0.5 * std::cos(q)).epsilon(1e-6));
}

// Half a turn with a torque that can barely lift the arm: behind the exact motion, never above the limit, and
// there in the end. The kinetic energy is never more than the torque's work can have been.
TEST_CASE("with limited torque a joint lags, stays bounded and recovers") {
    const auto model = model_of(R"(<mujoco><worldbody><body><joint name='hinge' axis='0 1 0'/>
      <inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.16666666666666666 0.16666666666666666'/>
      </body></worldbody></mujoco>)");
    const double limit = 12;  // N·m; the weight has 9.81
    for (const double dt : {frame, 0.25 * frame}) {
        CAPTURE(dt);
        Simulation sim(model);
        sim.track(pose_clip(*model, {0}, {-1.2}), {.gains = settling_gains(0.1), .torque_limit = limit});
        double largest = 0, fastest = 0;
        std::vector<double> torque(1);
        run(sim, 0.1, dt, [&](const StepReport&) {
            sim.tracking_forces(torque);
            largest = std::max(largest, std::abs(torque[0]));
        });
        // From rest with (12 − 9.81 cos q) N·m upwards nothing else can have happened.
        CHECK(error_of(sim, 0) == doctest::Approx(-1.2).epsilon(0.03));
        run(sim, 5, dt, [&](const StepReport&) {
            sim.tracking_forces(torque);
            largest = std::max(largest, std::abs(torque[0]));
            fastest = std::max(fastest, std::abs(sim.state().v[0]));
        });
        CHECK(largest == doctest::Approx(limit).epsilon(1e-9));
        // Work of the torque over all of the way and back: ½ I v² ≤ 12 N·m · 2.4.
        CHECK(0.5 * bar_inertia * fastest * fastest < limit * 2.4);
        CHECK(std::abs(error_of(sim, 0)) < 1e-6);
        CHECK(std::abs(sim.state().v[0]) < 1e-6);
    }
}

// A clip that is beyond a joint's range, followed with any torque: as far as the range goes, at rest there.
TEST_CASE("targets beyond a range are followed up to it") {
    const auto model = model_of(R"(<mujoco><worldbody><body>
      <joint name='hinge' axis='0 1 0' range='-30 90' limited='true'/>
      <inertial pos='0.5 0 0' mass='2' diaginertia='1e-3 0.16666666666666666 0.16666666666666666'/>
      </body></worldbody></mujoco>)");
    const double end = -std::numbers::pi / 6;
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model, {.stepping = stepping});
        sim.track(MotionClip(*model, {{0}, {0, 0.5, 1, 1.5, 2}, {0, -0.9, -0.8, -0.9, 0.3}, {}}),
                  {.gains = settling_gains(0.1)});
        run(sim, 0.9);
        CHECK(std::abs(sim.state().q[0] - end) < 1e-6);
        CHECK(std::abs(sim.state().v[0]) < 1e-6);
        run(sim, 2);
        CHECK(std::abs(sim.state().q[0] - 0.3) < 1e-4);
    }
}

TEST_CASE("limits of single joints, and joints that are not tracked") {
    const auto model = model_of(two_bars);
    Simulation sim(model);
    const double infinity = std::numeric_limits<double>::infinity();
    sim.track(pose_clip(*model, {0, 1}, {1, 1}),
              {.gains = settling_gains(0.1), .torque_limits = {infinity, 3}});
    std::vector<double> torque(2);
    double largest = 0;
    run(sim, 1, frame, [&](const StepReport&) {
        sim.tracking_forces(torque);
        largest = std::max(largest, std::abs(torque[1]));
    });
    CHECK(largest == doctest::Approx(3).epsilon(1e-9));
    CHECK(std::abs(error_of(sim, 0)) < 1e-4);  // … whatever the elbow does to it
    CHECK(std::abs(error_of(sim, 1)) > 0.1);

    sim.reset();
    sim.track(pose_clip(*model, {0, 1}, {1, 1}), {.gains = settling_gains(0.1), .joints = {1}});
    run(sim, 0.5);
    CHECK(error_of(sim, 0) == 0);
    CHECK(std::abs(error_of(sim, 1)) < 1e-4);
    CHECK(sim.state().q[0] > 0.5);  // it falls
}

TEST_CASE("a character goes limp and comes back") {
    const auto model = model_of(two_bars);
    Simulation sim(model);
    sim.track(pose_clip(*model, {0, 1}, {-1, 0.5}), {.gains = settling_gains(0.2), .limp = {{1, 1.5}}});
    run(sim, 1);
    CHECK(std::abs(error_of(sim, 0)) < 1e-4);
    // Between the two nothing acts but gravity: the motion of the model alone.
    Simulation falling(model);
    falling.set_state(sim.state());
    run(sim, 0.5);
    run(falling, 0.5);
    CHECK(sim.state().q == falling.state().q);
    CHECK(std::abs(error_of(sim, 0)) > 0.3);
    std::vector<double> torque(2);
    sim.tracking_forces(torque);
    CHECK(torque[0] == 0);
    run(sim, 0.8);
    CHECK(std::abs(error_of(sim, 0)) < 1e-3);
    sim.release_tracking();
    CHECK_FALSE(sim.is_tracking());
    run(sim, 0.5);
    CHECK(error_of(sim, 0) == 0);
    CHECK(sim.state().q[0] > -0.5);
}

TEST_CASE("a failed step and a restored one leave tracking as it was") {
    const auto model = character();
    Simulation sim(model);
    std::vector<double> q;
    for (const int j : all_but_root(*model))
        for (int k = 0; k < model->joints[j].nq; ++k) q.push_back(model->q0[model->joints[j].q_adr + k]);
    sim.reset(model->find_keyframe("tumble"));
    sim.track(pose_clip(*model, all_but_root(*model), q), {.torque_limit = 60});
    run(sim, 0.2);
    const Snapshot saved = sim.save();
    run(sim, 0.5);
    const JointState<double> wanted = sim.state();
    sim.restore(saved);
    sim.callbacks.control = [](const JointState<double>&, SmoothDynamics&) {
        throw std::runtime_error("no");
    };
    CHECK(sim.step(frame).status == StepStatus::callback_failed);
    sim.callbacks.control = nullptr;
    run(sim, 0.5);
    CHECK(sim.state().q == wanted.q);
    CHECK(sim.state().v == wanted.v);
}

TEST_CASE("clips and options that do not fit are refused") {
    const auto model = model_of(two_bars);
    Simulation sim(model);
    const MotionClip clip = pose_clip(*model, {0}, {1});
    const auto other = character();
    CHECK_THROWS_AS(sim.track(pose_clip(*other, {5}, {0})), std::invalid_argument);
    CHECK_THROWS_WITH(sim.track(clip, {.joints = {1}}),
                      "lig: tracking: the clip has nothing for joint 'elbow'");
    CHECK_THROWS_AS(sim.track(clip, {.gains = {-1, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(sim.track(clip, {.gains = {0, 1}, .feed_forward = false}), std::invalid_argument);
    CHECK_THROWS_AS(sim.track(clip, {.torque_limit = -1}), std::invalid_argument);
    CHECK_THROWS_AS(sim.track(clip, {.torque_limits = {1}}), std::invalid_argument);
    CHECK_THROWS_AS(sim.track(clip, {.limp = {{2, 1}}}), std::invalid_argument);
    CHECK_FALSE(sim.is_tracking());
}

TEST_CASE("the crank of a closed mechanism reaches its target in time") {
    const auto model = model_of(four_bar);
    Simulation sim(model);
    const int crank = model->find_joint("crank");
    const double from = sim.state().q[model->joints[crank].q_adr];
    sim.track(pose_clip(*model, {crank}, {from + 0.6}), {.gains = settling_gains(0.3)});
    run(sim, 0.3, frame, [&](const StepReport& report) { CHECK(report.equality_error < 1e-9); });
    // Closing the loop after a step moves all of its joints a little.
    CHECK(std::abs(error_of(sim, model->joints[crank].v_adr) - 0.06) < 2e-3);
}
