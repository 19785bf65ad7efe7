// Muscles in motion: all formulations tend to one motion, strong muscles need no short steps, and activations
// are part of what is kept.

#include "support/contact_scenes.h"
#include "support/contenders.h"

#include <ligament/drives.h>
#include <ligament/state.h>

#include <algorithm>
#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// An arm of two links with a muscle around the shoulder and one over both joints.
const std::string arm =
    "<mujoco><worldbody><site name='p' pos='-.15 0 0'/><body><joint name='a' axis='0 1 0' damping='.2'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='2' contype='0' conaffinity='0'/>"
    "<geom name='ring' type='cylinder' size='.06 .05' euler='90 0 0' mass='0' contype='0' conaffinity='0'/>"
    "<site name='q' pos='.15 0 .05'/><site name='r' pos='.3 0 -.03'/>"
    "<body pos='.4 0 0'><joint name='b' axis='0 1 0' damping='.2' stiffness='4'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1' contype='0' conaffinity='0'/>"
    "<site name='s' pos='.1 0 -.04'/></body></body></worldbody>"
    "<tendon><spatial name='one'><site site='p'/><geom geom='ring'/><site site='q'/></spatial>"
    "<spatial name='two'><site site='p'/><site site='r'/><site site='s'/></spatial></tendon>"
    "<actuator><muscle tendon='one' force='400' lengthrange='.15 .35'/>"
    "<muscle tendon='two' force='150' lengthrange='.45 .7' timeconst='.05 .1' tausmooth='.2'/></actuator>"
    "<keyframe><key act='.3 .1' ctrl='.8 .4'/></keyframe></mujoco>";

// By the classical Runge–Kutta method on all of state and activations.
JointState<double> reference_motion(const std::shared_ptr<const Model>& model, double seconds, int steps) {
    JointState<double> state = keyframe_state(*model, 0);
    const std::vector<double>& ctrl = model->keyframes[0].ctrl;
    Workspace<double> ws(model);
    DriveWorkspace<double> drives(*model);
    const std::size_t nv = model->nv, na = model->na;
    struct Rates {
        std::vector<double> q, v, act;
    };
    const auto rates_at = [&](const JointState<double>& at) {
        forward_kinematics(at, ws);
        update_drives(at, ws, drives);
        std::vector<double> tau(nv, 0.0), qacc(nv);
        add_smooth_forces<double>(at, *model, ctrl, drives, tau);
        forward_dynamics<double>(at, tau, ws, drives, qacc);
        return Rates{at.v, qacc, drives.act_dot};
    };
    const auto moved = [&](const Rates& r, double h) {  // hinges: q moves as v says
        JointState<double> to = state;
        for (std::size_t k = 0; k < nv; ++k) to.q[k] += h * r.q[k], to.v[k] += h * r.v[k];
        for (std::size_t k = 0; k < na; ++k) to.act[k] += h * r.act[k];
        return to;
    };
    const double h = seconds / steps;
    for (int step = 0; step < steps; ++step) {
        const Rates a = rates_at(state), b = rates_at(moved(a, h / 2)), c = rates_at(moved(b, h / 2)),
                    d = rates_at(moved(c, h));
        JointState<double> to = moved(a, h / 6);
        for (const auto& [r, weight] : {std::pair{&b, h / 3}, {&c, h / 3}, {&d, h / 6}}) {
            for (std::size_t k = 0; k < nv; ++k) to.q[k] += weight * r->q[k], to.v[k] += weight * r->v[k];
            for (std::size_t k = 0; k < na; ++k) to.act[k] += weight * r->act[k];
        }
        state = to;
    }
    return state;
}

JointState<double> motion(const std::shared_ptr<const Model>& model, const SimulationOptions& options,
                          double seconds, double dt) {
    Simulation sim(model, options);
    sim.reset(0);
    run(sim, seconds, dt);
    return sim.state();
}

double distance(const JointState<double>& a, const JointState<double>& b) {
    double most = 0;
    for (const auto list : {&JointState<double>::q, &JointState<double>::act})
        for (std::size_t k = 0; k < (a.*list).size(); ++k)
            most = std::max(most, std::abs((a.*list)[k] - (b.*list)[k]));
    return most;
}

}  // namespace

TEST_CASE("muscles: all formulations tend to the motion of an independent integration") {
    const std::shared_ptr<const Model> model = model_of(arm);
    constexpr double seconds = 0.4;
    const JointState<double> wanted = reference_motion(model, seconds, 4000);
    // It is exact enough, though the curves have kinks, and the arm has moved far.
    CHECK(distance(wanted, reference_motion(model, seconds, 2000)) < 1e-8);
    CHECK(distance(wanted, keyframe_state(*model, 0)) > 0.5);
    for (const auto& [formulation, options] : contenders()) {
        CAPTURE(formulation);
        const double coarse = distance(motion(model, options, seconds, 1.0 / 120), wanted),
                     fine = distance(motion(model, options, seconds, 1.0 / 1920), wanted);
        CHECK(fine < 5e-3);
        // Activations are of first order in every formulation.
        CHECK(fine < 0.25 * coarse);
    }
}

TEST_CASE("muscles: a strong muscle on a light body does not shorten faster than it can") {
    // 1 kN on 1 g: the muscle's damping alone would slow the body down within 0.5 µs.
    const std::shared_ptr<const Model> model = model_of(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
        "<geom size='.01' mass='.001'/></body></worldbody><actuator><muscle joint='j' force='1000' "
        "lengthrange='-.2 .1'/></actuator><keyframe><key qpos='0' act='1' ctrl='1'/></keyframe></mujoco>");
    const double fastest = 1.5 * 0.3 / (1.05 - 0.75);  // vmax L₀
    for (const char* formulation : {"implicit", "impulse"}) {
        CAPTURE(std::string(formulation));
        Simulation sim(model, {.formulation = formulation});
        sim.reset(0);
        for (int k = 0; k < 60; ++k) {
            const StepReport report = sim.step(1e-2);
            CHECK(was_taken(report));
            CHECK(std::abs(sim.state().v[0]) <= fastest * (1 + 1e-9));
            // Without a load it gets shorter as fast as it can, up to the 5 % that the first steps take.
            if (k == 9) CHECK(sim.state().q[0] == doctest::Approx(-0.1 * fastest).epsilon(0.05));
        }
    }
}

TEST_CASE("muscles: activations are in keyframes and snapshots, bit for bit") {
    const std::shared_ptr<const Model> model = model_of(arm);
    for (const auto& [formulation, options] : contenders()) {
        CAPTURE(formulation);
        Simulation sim(model, options);
        sim.reset(0);
        CHECK(sim.state().act == std::vector<double>{0.3, 0.1});
        run(sim, 0.1, 1e-2);
        const Snapshot half_way = sim.save();
        run(sim, 0.1, 1e-2);
        const JointState<double> once = sim.state();
        CHECK(once.act[0] > 0.3);
        sim.restore(half_way);
        run(sim, 0.1, 1e-2);
        CHECK(sim.state().q == once.q);
        CHECK(sim.state().act == once.act);
    }
}
