// Limits, dry friction, loops, actuators and drives from event to event: closed forms and integrations of
// their own, in frames of 60 Hz.

#include "core/length.h"
#include "core/rotation.h"
#include "support/event_runs.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double degree = std::numbers::pi / 180;

// A bar of 2 kg and 1 m that reaches along x from a hinge about y: positive angles turn it down, and gravity
// does so with `weight` cos q.
constexpr double weight = 2 * gravity * 0.5, bar_inertia = 2.0 / 3;
std::string bar(const std::string& joint, const std::string& actuator = "", double pull = gravity) {
    return "<mujoco><option gravity='0 0 " + std::to_string(-pull) +
           "'/><worldbody><body name='bar'><joint name='hinge' axis='0 1 0' " + joint +
           "/><inertial pos='0.5 0 0' mass='2' diaginertia='1e-9 0.16666666666666666 "
           "0.16666666666666666'/></body></worldbody><actuator>" +
           actuator + "</actuator></mujoco>";
}

// How long the bar falls from rest at `from` to `to`: ω² = 2 weight/I (sin q − sin from), dt = dq/ω. With
// q = from + u² the integrand is smooth where the fall begins.
double fall_time(double from, double to) {
    const double end = std::sqrt(to - from);
    const auto f = [&](double u) {
        const double q = from + u * u;
        // (sin q − sin from)/u² by the product form.
        const double half = 0.5 * u * u;
        const double share = u > 0 ? std::sin(half) / half * std::cos(0.5 * (q + from)) : std::cos(from);
        return 2 / std::sqrt(2 * weight / bar_inertia * share);
    };
    const int parts = 2000;
    double sum = 0;
    for (int i = 0; i < parts; ++i) {
        const double a = end * i / parts, b = end * (i + 1) / parts;
        sum += (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b));
    }
    return sum;
}

}  // namespace

TEST_CASE("event: a hinge falls on its limit, when it should, and stays there") {
    const double from = -80 * degree, limit = 30 * degree, when = fall_time(from, limit);
    Simulation sim(model_of(bar("range='-90 30' limited='true'")), by_events());
    JointState<double> state = sim.state();
    state.q[0] = from;
    sim.set_state(state);
    run_until(sim, when - 1e-6);
    const double speed = std::sqrt(2 * weight / bar_inertia * (std::sin(limit) - std::sin(from)));
    CHECK(off(sim.state().v[0], speed) < 1e-5);  // 1 µs before
    run_until(sim, when + 1e-6);
    CHECK(sim.state().v[0] == 0);
    int impacts = 0;
    run(sim, 2, frame, [&](const StepReport& report) {
        impacts += report.impacts;
        CHECK(std::abs(sim.state().q[0] - limit) < 1e-7);
        CHECK(std::abs(sim.state().v[0]) < 1e-12);
    });
    CHECK(impacts == 0);
    std::vector<double> force(1);
    sim.limit_forces(force);
    CHECK(off(force[0], -weight * std::cos(limit)) < 1e-6);
}

// Three at once: a limit that a bar rests on, a second bar on the end of the first that falls on its own
// limit, and a ball that falls on the second bar. What the first bar rests on takes part in both impacts.
TEST_CASE("event: impacts at a limit and on it at the same time") {
    Simulation sim(model_of(R"(<mujoco><worldbody>
      <body name="upper"><joint name="upper" axis="0 1 0" range="-90 0" limited="true"/>
        <geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0" mass="2"/>
        <body name="lower" pos="1.1 0 0"><joint name="lower" axis="0 1 0" range="-60 10" limited="true"/>
          <geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0" mass="1"/></body></body>
      <body name="ball" pos="1.6 0 1"><freejoint name="ball"/><geom size="0.1" mass="1"/></body>
      </worldbody></mujoco>)"),
                   by_events());
    JointState<double> state = sim.state();
    state.q[sim.model().joints[sim.model().find_joint("lower")].q_adr] = -50 * degree;
    sim.set_state(state);
    double energy = total(sim.energy()), rise = 0, beyond = 0;
    int impacts = 0;
    run(sim, 2.5, frame, [&](const StepReport& report) {
        impacts += report.impacts;
        rise = std::max(rise, total(sim.energy()) - energy);
        energy = std::min(energy, total(sim.energy()));
        beyond = std::max(beyond, report.limit_violation);
        for (const char* name : {"upper", "lower"}) {
            const Model::Joint& joint = joint_of(sim, name);
            const double upper = name[0] == 'u' ? 0 : 10 * degree;
            beyond = std::max(beyond, sim.state().q[joint.q_adr] - upper);
        }
    });
    MESSAGE("two bars and a ball: " << impacts << " impacts, energy above its minimum by " << rise
                                    << " J, limits passed by " << beyond << " rad");
    CHECK(impacts >= 2);
    CHECK(rise < 1e-6);
    CHECK(beyond < 1e-6);
    // Both bars are at their limits; the ball has rolled off.
    CHECK(std::abs(sim.state().q[joint_of(sim, "upper").q_adr]) < 1e-6);
    CHECK(std::abs(sim.state().q[joint_of(sim, "lower").q_adr] - 10 * degree) < 1e-6);
    CHECK(std::abs(sim.state().v[joint_of(sim, "upper").v_adr]) < 1e-9);
}

// Two balls on one vertical axis, the lower one at its lower limit, the upper one falls 0.5 m onto it, e =
// 0.5. All at once, the lower one stays where it is and the upper one leaves with its share. Pair by pair,
// the lower one is pushed and stopped again, and takes 3/8 of the speed each time, until nothing is left.
TEST_CASE("event: what falls on something at its limit, by both laws of impacts") {
    for (const ImpactLaw law : {ImpactLaw::simultaneous, ImpactLaw::sequential}) {
        SimulationOptions options = by_events();
        options.impact = law;
        Simulation sim(model_of(R"(<mujoco><default><geom condim="1"/></default><worldbody>
          <body name="low"><joint name="low" type="slide" axis="0 0 1" range="0 1" limited="true"/>
            <geom size="0.1" mass="1"/></body>
          <body name="high" pos="0 0 0.7"><joint name="high" type="slide" axis="0 0 1"/>
            <geom size="0.1" mass="3" restitution="0.5"/></body></worldbody></mujoco>)"),
                       options);
        const double fall = std::sqrt(2 * 0.5 / gravity), up = 0.5 * gravity * fall, t = 0.5 * up / gravity;
        run_until(sim, fall + t);
        if (law == ImpactLaw::simultaneous) {
            CHECK(off(sim.state().v[1], up - gravity * t) < 1e-6);
            CHECK(off(sim.state().q[1] + 0.5, up * t - 0.5 * gravity * t * t) < 1e-6);
        } else {
            CHECK(std::abs(sim.state().v[1]) < 1e-6);
            CHECK(std::abs(sim.state().q[1] + 0.5) < 1e-6);
        }
        CHECK(std::abs(sim.state().v[0]) < 1e-6);
        run_until(sim, fall * 3 + 0.1);
        CHECK(std::abs(sim.state().v[1]) < 1e-9);
        std::vector<double> force(2);
        sim.limit_forces(force);
        CHECK(off(force[0], 4 * gravity) < 1e-6);
    }
}

// An arm along x with a mass of its own aside, which pulls it down and twists it: it comes to rest at both
// limits.
TEST_CASE("event: a ball holds its swing and twist limits under load") {
    Simulation sim(model_of(R"(<mujoco><default><geom size="0.05" contype="0" conaffinity="0"/></default>
      <worldbody><body><joint name="ball" type="ball" axis="1 0 0" swing="40" twist="-20 25" damping="60"/>
      <geom pos="1 0 0" mass="30"/><geom pos="0.5 0.4 0" mass="10"/></body></worldbody></mujoco>)"),
                   by_events());
    const auto angles = [&] {
        const double* q = sim.state().q.data();
        const Quatd r{q[0], q[1], q[2], q[3]};
        const Vec3d axis = rotation_matrix(r) * Vec3d{1, 0, 0};
        return std::array{std::acos(axis.x), 2 * std::atan2(r.x, r.w)};
    };
    double swing = 0, twist = 0;
    int impacts = 0;
    EventCounts counts;
    run(sim, 10, frame, [&](const StepReport& report) {
        counts.add(report);
        impacts += report.impacts;
        swing = std::max(swing, angles()[0] - 40 * degree);
        twist = std::max(twist, -20 * degree - angles()[1]);
    });
    MESSAGE("ball: swing " << angles()[0] / degree << " deg, twist " << angles()[1] / degree
                           << " deg, at most " << swing << " and " << twist << " rad beyond; " << impacts
                           << " impacts, " << counts.fallbacks << " fallbacks");
    CHECK(swing < 1e-6);
    CHECK(twist < 1e-6);
    CHECK(std::abs(angles()[0] - 40 * degree) < 1e-6);
    const bool low = std::abs(angles()[1] + 20 * degree) < 1e-6,
               high = std::abs(angles()[1] - 25 * degree) < 1e-6;
    CHECK((low || high));
    CHECK(sim.energy().kinetic < 1e-9);  // along the limit it creeps, by its damping
    CHECK(impacts < 10);
}

// --- dry friction ------------------------------------------------------------------------------------------

TEST_CASE("event: dry friction of a slide holds, and gives way beyond its bound") {
    const auto slide = [](double force, double tolerance = 1e-9) {
        Simulation sim(model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody><body>
          <joint name="x" type="slide" axis="1 0 0" frictionloss="3"/><geom size="0.1" mass="2"/>
          </body></worldbody></mujoco>)"),
                       by_events(tolerance));
        sim.inputs().qfrc_applied[0] = force;
        return sim;
    };
    for (const double force : {2.0, 2.999, -2.999}) {
        Simulation sim = slide(force);
        run(sim, 1);
        CHECK(std::abs(sim.state().q[0]) < 1e-12);
        CHECK(std::abs(sim.state().v[0]) < 1e-12);
    }
    for (const double force : {3.001, -5.0}) {
        CAPTURE(force);
        Simulation sim = slide(force);
        run(sim, 1);
        const double a = (force - std::copysign(3, force)) / 2;
        CHECK(off(sim.state().v[0], a) < 1e-6);
        CHECK(off(sim.state().q[0], a / 2) < 1e-6);
    }
    // Slows down with 1.5 m/s² and stays where it stops, 4/3 m on.
    Simulation sim = slide(0);
    JointState<double> state = sim.state();
    state.v[0] = 2;
    sim.set_state(state);
    run_until(sim, 4.0 / 3 - 1e-3);
    CHECK(off(sim.state().v[0], 1.5e-3) < 1e-6);
    run_until(sim, 4.0 / 3 + 1e-6);
    CHECK(std::abs(sim.state().v[0]) < 1e-9);
    run(sim, 1);
    CHECK(off(sim.state().q[0], 4.0 / 3) < 1e-6);
    CHECK(std::abs(sim.state().v[0]) < 1e-12);
    // Pushed 3.5 N the other way it comes to rest, and turns back at (3.5 − 3)/2.
    Simulation back = slide(-3.5);
    state.q[0] = 0;
    state.v[0] = 2;
    state.time = 0;
    back.set_state(state);
    const double slowing = 6.5 / 2, stop = 2 / slowing;
    run_until(back, 2);
    CHECK(off(back.state().v[0], -0.25 * (2 - stop)) < 1e-6);
    CHECK(off(back.state().q[0], 2 / slowing - 0.125 * (2 - stop) * (2 - stop)) < 1e-6);
}

// The bar swings with dry friction of 0.8 N m, between turning points q_k with weight (sin q_{k+1} − sin q_k)
// = ± 0.8 (q_{k+1} − q_k): from each end energy is lost as it goes.
TEST_CASE("event: a bar with dry friction swings to the turning points of the energy it has lost") {
    Simulation sim(model_of(bar("frictionloss='0.8'")), by_events());
    JointState<double> state = sim.state();
    state.q[0] = 0.3;
    sim.set_state(state);
    const auto next_turn = [&](double from) {
        // Down to the other side: weight (sin q − sin from) = 0.8 |q − from|.
        const double side = from < std::numbers::pi / 2 ? 1 : -1;
        double low = std::numbers::pi / 2, high = std::numbers::pi - from;
        for (int k = 0; k < 200; ++k) {
            const double q = 0.5 * (low + high);
            const double left = weight * (std::sin(q) - std::sin(from)) - 0.8 * side * (q - from);
            (left > 0 ? low : high) = q;
        }
        return low;
    };
    double turn = 0.3, before = 0, worst = 0;
    int turns = 0;
    run(sim, 8, 1.0 / 240, [&](const StepReport&) {
        const double q = sim.state().q[0], v = sim.state().v[0];
        if (before != 0 && v * before < 0) {
            turn = next_turn(turn);
            ++turns;
        }
        // Energy since the last turn.
        if (v != 0) {
            const double e = 0.5 * bar_inertia * v * v - weight * (std::sin(q) - std::sin(turn)) +
                             0.8 * std::abs(q - turn);
            worst = std::max(worst, std::abs(e));
        }
        if (v != 0) before = v;
    });
    MESSAGE("bar with dry friction: " << turns << " turns, energy off by " << worst << " J, q "
                                      << sim.state().q[0] << ", v " << sim.state().v[0]);
    CHECK(turns >= 3);
    CHECK(worst < 1e-6);
    CHECK(std::abs(sim.state().v[0]) < 1e-7);
    CHECK(weight * std::abs(std::cos(sim.state().q[0])) < 0.8);
}
// What sticks has no velocity left.
TEST_CASE("event: a bar with dry friction comes to rest") {
    Simulation sim(model_of(bar("frictionloss='0.8'")), by_events());
    JointState<double> state = sim.state();
    state.q[0] = 0.3;
    sim.set_state(state);
    run(sim, 8, 1.0 / 240);
    CHECK(std::abs(sim.state().v[0]) < 1e-12);
}

// --- loops, actuators, drives ------------------------------------------------------------------------------

// A parallelogram that hangs from two hinges falls onto the floor: its coupler, a level bar, lands on it.
TEST_CASE("event: a four-bar mechanism comes to lie on the floor, its loop closed") {
    Simulation sim(model_of(R"(<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
      <geom type="plane" size="0 0 1" contype="1" conaffinity="1" pos="0 0 -0.8"/>
      <body name="left"><joint name="left" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02"/>
        <body name="coupler" pos="0 0 -1"><joint name="coupler" axis="0 1 0"/>
          <geom type="box" size="0.25 0.1 0.02" pos="0.25 0 0" contype="1" conaffinity="1"/></body></body>
      <body name="right" pos="0.5 0 0"><joint name="right" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02"/></body>
      </worldbody>
      <equality><connect name="pin" body1="coupler" body2="right" anchor="0.5 0 0"/></equality></mujoco>)"),
                   by_events(1e-8));
    JointState<double> state = sim.state();
    state.q = {-80 * degree, 80 * degree, -80 * degree};
    sim.set_state(state);
    double loop = 0, energy = total(sim.energy()), rise = 0;
    EventCounts counts;
    run(sim, 3, frame, [&](const StepReport& report) {
        counts.add(report);
        loop = std::max(loop, report.equality_error);
        rise = std::max(rise, total(sim.energy()) - energy);
        energy = std::min(energy, total(sim.energy()));
    });
    // The underside of the coupler, 2 cm below its hinges, is at −0.8.
    const double expected = -std::acos(0.78);
    MESSAGE("four-bar: angle " << sim.state().q[0] << " of " << expected << ", loop " << loop << " m, "
                               << counts.impacts << " impacts, " << counts.fallbacks
                               << " fallbacks, energy rise " << rise << " J");
    CHECK(loop < 1e-9);
    CHECK(rise < 1e-6);
    CHECK(std::abs(sim.state().q[0] - expected) < 1e-6);
    CHECK(std::abs(sim.state().q[0] + sim.state().q[1]) < 1e-6);
    CHECK(sim.energy().kinetic < 1e-12);
}

// Motors, servos and filters act between events as they do in the smooth integrator.
TEST_CASE("event: actuators do as they do without contacts") {
    for (const char* actuator :
         {"<motor joint='hinge' gear='3'/>", "<position joint='hinge' kp='50' kv='4'/>",
          "<general joint='hinge' dyntype='filter' dynprm='0.1' gainprm='20'/>"}) {
        CAPTURE(actuator);
        // Dry friction that is never slow keeps the event step at work: the smooth integrator refuses it.
        Simulation events(model_of(bar("frictionloss='1e-9'", actuator)), by_events());
        Simulation smooth(model_of(bar("", actuator)), {.stepping = Stepping::smooth, .tolerance = 1e-10});
        for (Simulation* sim : {&events, &smooth}) {
            sim->inputs().ctrl[0] = 0.7;
            run(*sim, 1);
        }
        CHECK(std::abs(events.state().q[0] - smooth.state().q[0]) < 1e-7);
        CHECK(std::abs(events.state().v[0] - smooth.state().v[0]) < 1e-7);
        if (!events.state().act.empty())
            CHECK(std::abs(events.state().act[0] - smooth.state().act[0]) < 1e-8);
    }
}

// A spring by the frequency f, the damping ratio ζ and the inertia of the bar about its centre, a quarter of
// that about the hinge: q̈ = −ω²/4 (q − target) − ζ ω/2 q̇, ω = 2π f, without gravity.
TEST_CASE("event: a drive to a pose pulls as a spring does") {
    Simulation sim(model_of(bar("", "", 0)), by_events());
    const double target = 0.4, frequency = 1.5, ratio = 0.3;
    sim.drive_to_pose(std::array{target}, {}, frequency, ratio, 1e9);
    run(sim, 1);
    const double w = 2 * std::numbers::pi * frequency, d = ratio * w / 4, wd = std::sqrt(w * w / 4 - d * d);
    const double expected = target - target * std::exp(-d) * (std::cos(wd) + d / wd * std::sin(wd));
    MESSAGE("pose drive: off by " << sim.state().q[0] - expected << " rad");
    CHECK(std::abs(sim.state().q[0] - expected) < 1e-6);
    // With a limit of 0.1 N m it turns up with that at first.
    Simulation weak(model_of(bar("", "", 0)), by_events());
    weak.drive_to_pose(std::array{100.0}, {}, frequency, ratio, 0.1);
    run(weak, 1);
    CHECK(off(weak.state().v[0], 0.1 / bar_inertia) < 1e-6);
    CHECK(off(weak.state().q[0], 0.05 / bar_inertia) < 1e-6);
}
