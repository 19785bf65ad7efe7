// What fails says so, and leaves the simulation as it was.

#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

// A step that is to fail: with this status, naming this, leaving every bit as it was.
void check_fails(Simulation& sim, double dt, StepStatus status, const char* where) {
    const std::vector<std::byte> before = sim.save().to_bytes();
    const std::size_t events = sim.contacts().events.size();
    const StepReport report = sim.step(dt);
    CHECK(name_of(report.status) == name_of(status));
    CHECK_MESSAGE(report.where.find(where) != std::string::npos, report.where);
    CHECK(report.time == sim.state().time);
    CHECK(same_bytes(sim.save().to_bytes(), before));
    CHECK(sim.contacts().events.size() == events);
}

// After a failure a simulation goes on as one that never met it.
void check_usable(Simulation& sim, Simulation& twin) {
    for (int k = 0; k < 10; ++k) {
        CHECK(sim.step(0.005).status == StepStatus::ok);
        CHECK(twin.step(0.005).status == StepStatus::ok);
    }
    CHECK(same_bits(sim, twin));
}

struct Pair {
    Pair() {
        for (Simulation* each : {&sim, &twin})
            for (int k = 0; k < 60; ++k) each->step(0.005);
    }
    Simulation sim{model_of(walker)}, twin{model_of(walker)};
};

}  // namespace

TEST_CASE("statuses: all have names") {
    CHECK(name_of(StepStatus::ok) == "ok");
    CHECK(name_of(StepStatus::not_converged) == "not_converged");
    CHECK(name_of(StepStatus::non_finite) == "non_finite");
    CHECK(name_of(StepStatus::step_too_small) == "step_too_small");
    CHECK(name_of(StepStatus::bad_arguments) == "bad_arguments");
    CHECK(name_of(StepStatus::callback_failed) == "callback_failed");
    CHECK(name_of(StepStatus::equality_open) == "equality_open");
    CHECK(name_of(StepStatus::overflow) == "overflow");
}

TEST_CASE("statuses: durations that are none") {
    Pair p;
    for (const double dt : {0.0, -0.01, nan_value, inf, -inf})
        check_fails(p.sim, dt, StepStatus::bad_arguments, "duration");
    check_usable(p.sim, p.twin);
    JointState<double> state = p.sim.state();
    state.time = 1e9;
    p.sim.set_state(state);
    check_fails(p.sim, 1e-9, StepStatus::bad_arguments, "rounding of the time");
}

TEST_CASE("statuses: numbers that leave the range of double") {
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity})
        for (const double speed : {1e155, 1e200, 1e308})
            for (const int which : {0, 2, 3, 6}) {
                CAPTURE(speed);
                CAPTURE(which);
                Simulation sim(model_of(walker), {.stepping = stepping, .max_substeps = 100});
                JointState<double> state = sim.state();
                state.v[which] = -speed;
                sim.set_state(state);
                const std::vector<std::byte> before = sim.save().to_bytes();
                const StepReport report = sim.step(0.01);
                CAPTURE(report.where);
                if (report.status == StepStatus::ok || report.status == StepStatus::not_converged) {
                    for (const double x : sim.state().q) CHECK(std::isfinite(x));
                    for (const double x : sim.state().v) CHECK(std::isfinite(x));
                } else {
                    CHECK((report.status == StepStatus::non_finite ||
                           report.status == StepStatus::step_too_small));
                    CHECK(report.where != "");
                    CHECK(same_bytes(sim.save().to_bytes(), before));
                }
                sim.reset();
                CHECK(sim.step(0.01).status == StepStatus::ok);
            }
}

TEST_CASE("statuses: inputs that are not finite are named") {
    Pair p;
    for (const double bad : {nan_value, inf}) {
        p.sim.inputs().ctrl[1] = bad;
        check_fails(p.sim, 0.01, StepStatus::non_finite, "control of actuator 'hip_r'");
        p.sim.inputs().ctrl[1] = 0;
        p.sim.inputs().xfrc_applied[2].ang.y = bad;
        check_fails(p.sim, 0.01, StepStatus::non_finite, "body 'thigh_l'");
        p.sim.inputs().xfrc_applied[2].ang.y = 0;
        p.sim.inputs().qfrc_applied[7] = bad;
        check_fails(p.sim, 0.01, StepStatus::non_finite, "joint 'knee_l'");
        p.sim.inputs().qfrc_applied[7] = 0;
    }
    p.sim.inputs().ctrl.clear();
    check_fails(p.sim, 0.01, StepStatus::non_finite, "controls");
    p.sim.inputs().ctrl.assign(4, 0.0);
    check_usable(p.sim, p.twin);
}

TEST_CASE("statuses: states that are not finite are refused by name") {
    Pair p;
    const auto refused = [&](auto&& spoil, const char* why) {
        JointState<double> state = p.sim.state();
        spoil(state);
        CHECK_THROWS_WITH_AS(p.sim.set_state(state), doctest::Contains(why), std::invalid_argument);
    };
    refused([](JointState<double>& s) { s.q[8] = nan_value; }, "coordinate of joint 'knee_l'");
    refused([](JointState<double>& s) { s.v[2] = inf; }, "velocity of joint 'root'");
    refused([](JointState<double>& s) { s.act[1] = nan_value; }, "activation of actuator 'knee_r'");
    refused([](JointState<double>& s) { s.time = nan_value; }, "time");
    refused([](JointState<double>& s) { s.q.pop_back(); }, "another model");
    refused([](JointState<double>& s) { std::fill_n(s.q.begin() + 3, 4, 0.0); },
            "quaternion of joint 'root'");
    check_usable(p.sim, p.twin);

    Simulation moving(model_of(moving_table));
    BaseMotion<double> motion = moving.state().kinematic[0];
    CHECK_THROWS_WITH_AS(moving.set_kinematic(2, motion), doctest::Contains("not kinematic"),
                         std::invalid_argument);
    motion.acceleration.ang.x = nan_value;
    CHECK_THROWS_WITH_AS(moving.set_kinematic(1, motion), doctest::Contains("'table' is not finite"),
                         std::invalid_argument);
    CHECK_THROWS_AS(moving.reset(0), std::invalid_argument);
}

TEST_CASE("statuses: callbacks that throw, whatever it is, at any call") {
    for (const double when : {0.0, 0.5, 1.0})  // at the first call of a step, in the middle, at the last
        for (const bool on_floor : {true, false}) {
            CAPTURE(when);
            CAPTURE(on_floor);
            Pair p;
            if (!on_floor)  // where the smooth integrator calls it
                for (Simulation* each : {&p.sim, &p.twin}) {
                    JointState<double> state = each->state();
                    state.q[2] += 3;
                    each->set_state(state);
                }
            const double dt = 0.3;
            int calls = 0, fatal = -1;
            std::function<void(SmoothDynamics&)> act;
            const auto control = [&](const JointState<double>&, SmoothDynamics& dynamics) {
                dynamics.ctrl[0] = 0.1;
                if (calls++ == fatal) act(dynamics);
            };
            // How many calls there are.
            const Snapshot start = p.sim.save();
            p.sim.callbacks.control = control;
            REQUIRE(p.sim.step(dt).status == StepStatus::ok);
            fatal = static_cast<int>(when * (calls - 1));
            p.sim.restore(start);
            const auto on_call = [&](std::function<void(SmoothDynamics&)> what) {
                calls = 0;
                act = std::move(what);
            };
            on_call([](SmoothDynamics&) { throw std::runtime_error("out of ideas"); });
            check_fails(p.sim, dt, StepStatus::callback_failed, "the control failed: out of ideas");
            on_call([](SmoothDynamics&) { throw 7; });
            check_fails(p.sim, dt, StepStatus::callback_failed, "the control failed");
            on_call([](SmoothDynamics& dynamics) { dynamics.ctrl[2] = nan_value; });
            check_fails(p.sim, dt, StepStatus::non_finite,
                        "control of actuator 'knee_l' is not finite, set by");
            on_call([](SmoothDynamics& dynamics) { dynamics.xfrc_applied[3].lin.x = inf; });
            check_fails(p.sim, dt, StepStatus::non_finite, "body 'shin_l' is not finite, set by");
            on_call([&p](SmoothDynamics&) { p.sim.reset(); });
            check_fails(p.sim, dt, StepStatus::callback_failed, "cannot be reset by a callback");
            StepReport inner;
            on_call([&](SmoothDynamics&) {
                inner = p.sim.step(0.01);
                throw std::runtime_error("done");
            });
            check_fails(p.sim, dt, StepStatus::callback_failed, "done");
            CHECK(inner.status == StepStatus::bad_arguments);
            p.sim.callbacks.control = {};
            check_usable(p.sim, p.twin);
        }
}

TEST_CASE("statuses: a contact callback that throws takes the step back") {
    Pair p;
    int calls = 0;
    p.sim.callbacks.contacts = [&](const Simulation&, std::span<const ContactEvent>) {
        ++calls;
        throw std::runtime_error("no");
    };
    check_fails(p.sim, 0.005, StepStatus::callback_failed, "the contact callback failed: no");
    CHECK(calls == 1);
    p.sim.callbacks.contacts = {};
    check_usable(p.sim, p.twin);
}

// compile refuses joints that move nothing. A mass that slides onto the axis it turns about is left to the
// step.
TEST_CASE("statuses: a position without inertia, in all kinds of sub-steps") {
    Scene scene;
    const BodyId body = scene.add_body(
        world, {.name = "bead", .inertial = InertialSpec{1, {{1, 0, 0}}, Sym3d::diagonal(0, 0, 0), {}}});
    scene.add_joint(body, {.name = "turn", .axis = {0, 0, 1}});
    scene.add_joint(body, {.name = "slide", .type = JointType::slide, .axis = {1, 0, 0}});
    const auto model = compile(scene);
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity, Stepping::smooth}) {
        Simulation sim(model, {.stepping = stepping});
        REQUIRE(sim.step(0.01).status == StepStatus::ok);
        JointState<double> state = sim.state();
        state.q = {0, -1};
        sim.set_state(state);
        check_fails(sim, 0.01, StepStatus::non_finite,
                    stepping == Stepping::velocity ? "inertia of body 'bead'" : "joint 'turn'");
        state.q = {0, -0.5};
        sim.set_state(state);
        CHECK(sim.step(0.01).status == StepStatus::ok);
    }
}

TEST_CASE("statuses: more sub-steps than allowed") {
    // A spring of 1e8 N·m/rad on 1 kg: 1,600 vibrations a second and more.
    const char* const stiff =
        R"(<mujoco><worldbody><body name="b"><joint name="j" axis="0 1 0" stiffness="1e8"/>
      <geom size="0.1" pos="1 0 0" mass="1"/></body></worldbody></mujoco>)";
    for (const SmoothIntegrator integrator : {SmoothIntegrator::automatic, SmoothIntegrator::rk45,
                                              SmoothIntegrator::euler, SmoothIntegrator::rk4}) {
        Simulation sim(model_of(stiff), {.integrator = integrator, .max_substeps = 30});
        JointState<double> state = sim.state();
        state.q[0] = 0.1;
        sim.set_state(state);
        if (integrator == SmoothIntegrator::automatic || integrator == SmoothIntegrator::rk45)
            check_fails(sim, 0.1, StepStatus::step_too_small, "more than 30 steps");
        CHECK(sim.step(1e-6).status == StepStatus::ok);
    }
    // A box that spins on a floor.
    Simulation sim(
        model_of(R"(<mujoco><worldbody><geom type="plane" size="5 5 1"/><body name="b" pos="0 0 0.1">
      <freejoint name="j"/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>)"),
        {.max_substeps = 3});
    JointState<double> state = sim.state();
    state.v[3] = 300;
    sim.set_state(state);
    check_fails(sim, 0.1, StepStatus::step_too_small, "more than 3 sub-steps");
    CHECK(sim.step(1e-4).status == StepStatus::ok);
}

TEST_CASE("statuses: a loop that cannot be closed") {
    Scene scene = scene_of(four_bar);
    Simulation sim(compile(scene));
    JointState<double> state = sim.state();
    state.q[2] = 1.5;
    sim.set_state(state);
    check_fails(sim, 0.01, StepStatus::equality_open, "pin");
    sim.reset();
    CHECK(sim.step(0.01).status == StepStatus::ok);
}

TEST_CASE("statuses: what a simulation cannot do is refused by name") {
    const auto model = model_of(walker);
    CHECK_THROWS_WITH_AS(
        Simulation(model, {.solver = "magic"}),
        doctest::Contains(
            "no solver 'magic'; there are automatic, sweeps, split-step, soft-step, classic, dantzig, pgs"),
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(Simulation(nullptr), doctest::Contains("no model"), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.tolerance = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.tolerance = nan_value}), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.max_substeps = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.iterations = -1}), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.accuracy = -1}), std::invalid_argument);
    CHECK_THROWS_AS(Simulation(model, {.threads = 0}), std::invalid_argument);
    const auto refused = [&](const SimulationOptions& options, const char* why) {
        CHECK_THROWS_WITH_AS(Simulation(model, options), doctest::Contains(why), std::invalid_argument);
    };
    refused({.formulation = "magic"}, "no formulation 'magic'; there are reduced");
    refused({.formulation = "reducd"}, "did you mean 'reduced'?");
    refused({.coordinates = Coordinates::maximal}, "'reduced' does not have the coordinates maximal");
    refused({.multiplier = {.equalities = EqualityMethod::anticipation}},
            "'reduced' does not have the option multiplier.equalities (--loops); it is of 'multiplier'");
    refused({.multiplier = {.law = Law::kinematic}}, "'reduced' does not have the option multiplier.law");
    refused({.multiplier = {.baumgarte = 5}}, "'reduced' does not have the option multiplier.baumgarte");
    refused({.multiplier = {.baumgarte = -1}},
            "multiplier.baumgarte (--baumgarte) is -1; it has to be at least 0");
    refused({.multiplier = {.baumgarte = inf}}, "multiplier.baumgarte (--baumgarte) is inf");
    refused({.integrator = SmoothIntegrator::rattle}, "'reduced' does not have the integrator rattle");
    CHECK(Simulation(model, {.formulation = "reduced", .coordinates = Coordinates::joint}).step().status ==
          StepStatus::ok);
}
