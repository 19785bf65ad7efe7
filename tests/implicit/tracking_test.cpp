// Clips with penalties are followed as with hard contact: errors decay by the order of the method, torques
// keep their limits.

#include "core/rotation.h"
#include "support/implicit_runs.h"

#include <ligament/tracking.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// A hinge and a ball, over a floor that the hand may press on.
const char* const arm = R"(<mujoco><worldbody><geom type='plane' size='0 0 1' condim='1'/>
  <body pos='0 0 0.6'><joint name='shoulder' axis='0 1 0'/>
    <geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='2' condim='1'/>
    <body pos='.5 0 0'><joint name='elbow' type='ball'/>
      <geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1' condim='1'/>
    </body></body></worldbody></mujoco>)";

Simulation make(Touching touching, SmoothIntegrator integrator = SmoothIntegrator::automatic) {
    SimulationOptions options = implicit_options(integrator);
    options.touching = touching;
    options.implicit.penalty_dissipation = touching == Touching::penalty ? 30 : 1;
    return Simulation(model_of(arm), options);
}

// Both joints swing, about axes that turn.
MotionClip swinging(const Model& model) {
    ClipSamples samples{{0, 1}, {}, {}, {}};
    for (int k = 0; k <= 200; ++k) {
        const double t = k / 100.0, w = std::numbers::pi;
        const Quatd ball =
            rotation_exp(Vec3d{0.4 * std::sin(w * t), -0.5 * std::sin(w * t), 0.3 * std::cos(w * t)});
        samples.times.push_back(t);
        samples.q.insert(samples.q.end(), {-0.4 * std::cos(w * t), ball.w, ball.x, ball.y, ball.z});
    }
    return MotionClip(model, samples);
}

double largest_error(const Simulation& sim) {
    std::vector<double> errors(sim.model().nv);
    sim.tracking_errors(errors);
    double most = 0;
    for (const double e : errors) most = std::max(most, std::abs(e));
    return most;
}

// The largest difference of coordinates from hard contact in steps of 1/4 ms.
double apart(const TrackingOptions& how, double dt, SmoothIntegrator integrator, double seconds) {
    Simulation one = make(Touching::penalty, integrator), other = make(Touching::hard);
    for (Simulation* sim : {&one, &other}) sim->track(swinging(sim->model()), how);
    run(one, seconds, dt);
    run(other, seconds, 2.5e-4);
    double most = 0;
    for (std::size_t k = 0; k < one.state().q.size(); ++k)
        most = std::max(most, std::abs(one.state().q[k] - other.state().q[k]));
    return most;
}

}  // namespace

TEST_CASE("implicit: errors of clips decay by the order of the method") {
    for (const TrackingMethod method : {TrackingMethod::acceleration, TrackingMethod::pd})
        for (const bool feed_forward : {true, false})
            for (const double limit : {HUGE_VAL, 12.0}) {
                CAPTURE(method == TrackingMethod::pd);
                CAPTURE(feed_forward);
                CAPTURE(limit);
                const TrackingOptions how{.method = method,
                                          .gains = settling_gains(0.4),
                                          .feed_forward = feed_forward,
                                          .torque_limit = limit};
                const SmoothIntegrator euler = SmoothIntegrator::automatic, bdf2 = SmoothIntegrator::bdf2;
                const double coarse = apart(how, 4e-3, euler, 0.2), fine = apart(how, 1e-3, euler, 0.2);
                CHECK(coarse < 6e-3);
                CHECK(fine < 0.35 * coarse);
                // Its first step is backward Euler.
                CHECK(apart(how, 4e-3, bdf2, 0.2) < coarse);
            }
}

// Rates are differences of targets and joints alike, so that a joint that is there stays there.
TEST_CASE("implicit: a joint that is on its clip stays on it, in long steps") {
    for (const SmoothIntegrator integrator : {SmoothIntegrator::automatic, SmoothIntegrator::bdf2}) {
        Simulation sim = make(Touching::penalty, integrator);
        sim.track(swinging(sim.model()), {.gains = settling_gains(0.1)});
        run(sim, 1);
        double most = 0;
        std::vector<double> torque(sim.model().nv);
        run(sim, 0.9, frame, [&](const StepReport&) {
            most = std::max(most, largest_error(sim));
            sim.tracking_forces(torque);
            CHECK(std::abs(torque[0]) > 0);
        });
        CHECK(most < (integrator == SmoothIntegrator::bdf2 ? 1e-4 : 1e-8));
    }
}

TEST_CASE("implicit: torques of clips keep their limit, with the hand on the floor") {
    Simulation soft = make(Touching::penalty), hard = make(Touching::hard);
    std::vector<double> torque(soft.model().nv), other(soft.model().nv);
    for (Simulation* sim : {&soft, &hard}) {
        // Far below the floor.
        sim->track(MotionClip(sim->model(), {{0, 1}, {0}, {1.2, 1, 0, 0, 0}, {}}),
                   {.gains = settling_gains(0.2), .torque_limit = 8});
        double most = 0;
        run(*sim, 3, frame, [&](const StepReport&) {
            sim->tracking_forces(torque);
            for (const double t : torque) most = std::max(most, std::abs(t));
        });
        CHECK(most == doctest::Approx(8).epsilon(1e-9));
        CHECK(std::abs(sim->state().v[0]) < 1e-4);
    }
    soft.tracking_forces(torque);
    hard.tracking_forces(other);
    for (std::size_t k = 0; k < torque.size(); ++k)
        CHECK(torque[k] == doctest::Approx(other[k]).epsilon(1e-3).scale(8));
    CHECK(std::abs(soft.state().q[0] - hard.state().q[0]) < 1e-3);
}

TEST_CASE("implicit: a character goes limp and comes back") {
    Simulation sim = make(Touching::penalty);
    sim.track(swinging(sim.model()), {.gains = settling_gains(0.1), .limp = {{0.5, 0.7}}});
    run(sim, 0.5);
    CHECK(largest_error(sim) < 1e-3);
    run(sim, 0.2);
    CHECK(largest_error(sim) > 0.1);
    std::vector<double> torque(sim.model().nv);
    sim.tracking_forces(torque);
    for (const double t : torque) CHECK(t == 0);
    run(sim, 0.8);
    CHECK(largest_error(sim) < 1e-3);
}
