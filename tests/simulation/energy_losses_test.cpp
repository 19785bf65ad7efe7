// The energy ledger where things touch: what friction, impacts and limits take, against closed forms.

#include "support/ledgers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

struct Way {
    std::string name;
    SimulationOptions options;
    double exactness;  // of losses, relative
};

SimulationOptions of(const std::string& formulation, Stepping stepping = Stepping::automatic) {
    SimulationOptions options;
    options.formulation = formulation;
    options.stepping = stepping;
    if (formulation == "implicit") options.touching = Touching::penalty;
    if (formulation != "impulse") options.tolerance = 1e-10;  // it has none
    options.energy_guard = 0;  // what the method makes is to be seen
    return options;
}

const std::vector<Way> ways = {{"events", of("reduced", Stepping::event), 1e-6},
                               {"impulse", of("impulse"), 0.01},
                               {"implicit", of("implicit"), 0.02}};

// A box that slides on a floor along x.
const char* const sliding =
    R"(<mujoco><worldbody><geom name="floor" type="plane" size="50 50 1" friction="0.3"/>
    <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.3 0.3 0.1" mass="2"
    friction="0.3"/></body></worldbody></mujoco>)";

const char* const falling = R"(<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
    <body name="ball" pos="0 0 1.1"><freejoint name="root"/><geom size="0.1" mass="2"/></body>
    </worldbody></mujoco>)";

}  // namespace

TEST_CASE("a box slides to rest: friction takes its energy, weight times coefficient times way") {
    for (const Way& way : ways) {
        CAPTURE(way.name);
        Simulation sim(model_of(sliding), way.options);
        run(sim, 0.5);  // it settles
        const double x = position_of(sim).x;
        set_velocity(sim, {3, 0, 0});
        const Ledger sum = ledger_of(sim, 2, 1.0 / 240);
        const double way_slid = position_of(sim).x - x, start = 0.5 * 2 * 9;
        MESSAGE(way.name << ": friction " << sum.flows.contact_friction << ", impacts " << sum.flows.impacts
                         << ", corrections " << sum.flows.corrections << ", method " << sum.method);
        CHECK(std::abs(velocity_of(sim).x) < 1e-3);
        CHECK(way_slid == doctest::Approx(9 / (2 * 0.3 * gravity)).epsilon(0.02));
        CHECK(sum.flows.contact_friction ==
              doctest::Approx(0.3 * 2 * gravity * way_slid).epsilon(way.exactness));
        CHECK(sum.flows.contact_friction == doctest::Approx(start).epsilon(way.exactness));
        CHECK(std::abs(sum.method) < way.exactness * start);
        CHECK(std::abs(sum.flows.drives) + std::abs(sum.flows.applied) + std::abs(sum.flows.kinematic) <
              1e-15);
    }
}

TEST_CASE("a ball drops without bounce: the impact takes all of its motion") {
    for (const Way& way : ways) {
        if (way.name == "implicit") continue;  // below
        CAPTURE(way.name);
        Simulation sim(model_of(falling), way.options);
        const Ledger sum = ledger_of(sim, 1, 1.0 / 240);
        MESSAGE(way.name << ": impacts " << sum.flows.impacts << ", method " << sum.method);
        CHECK(sum.flows.impacts == doctest::Approx(2 * gravity).epsilon(way.exactness));
        CHECK(std::abs(sum.method) < way.exactness * 2 * gravity);
    }
}

TEST_CASE("a ball that bounces keeps the square of its restitution") {
    std::string text = falling;
    text.replace(text.find("mass=\"2\""), 8, "mass=\"2\" restitution=\"0.5\"");
    for (const Way& way : ways) {
        if (way.name == "implicit") continue;  // penalties do not bounce
        CAPTURE(way.name);
        Simulation sim(model_of(text), way.options);
        const Ledger sum = ledger_of(sim, 0.6, 1.0 / 240);  // one bounce: at √(2/g) = 0.45 s
        MESSAGE(way.name << ": impacts " << sum.flows.impacts << ", method " << sum.method);
        CHECK(sum.flows.impacts == doctest::Approx(0.75 * 2 * gravity).epsilon(way.exactness));
        CHECK(std::abs(sum.method) < way.exactness * 2 * gravity);
    }
}

TEST_CASE("a rotor comes to rest by dry friction: torque times angle") {
    for (const Way& way : ways) {
        CAPTURE(way.name);
        Simulation sim(
            model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" axis="0 0 1"
            frictionloss="0.4"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.2"/></body></worldbody>
            </mujoco>)"),
            way.options);
        JointState<double> state = sim.state();
        state.v[0] = 5;
        sim.set_state(state);
        const Ledger sum = ledger_of(sim, 3, 1.0 / 240);
        const double start = 0.5 * 0.2 * 25, angle = sim.state().q[0];
        MESSAGE(way.name << ": joint friction " << sum.flows.joint_friction << ", method " << sum.method);
        CHECK(sum.flows.joint_friction == doctest::Approx(0.4 * angle).epsilon(way.exactness));
        CHECK(sum.flows.joint_friction == doctest::Approx(start).epsilon(way.exactness));
    }
}

TEST_CASE("an arm that hits its limit loses what it had") {
    for (const Way& way : ways) {
        if (way.name == "implicit") continue;  // below
        CAPTURE(way.name);
        Simulation sim(
            model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" axis="0 0 1"
            range="-30 30" limited="true"/><inertial pos="0 0 0" mass="1" diaginertia="0.35 0.35 0.35"/>
            </body>
            </worldbody></mujoco>)"),
            way.options);
        JointState<double> state = sim.state();
        state.v[0] = 2;
        sim.set_state(state);
        const Ledger sum = ledger_of(sim, 1, 1.0 / 240);
        const double start = 0.5 * 0.35 * 4;
        MESSAGE(way.name << ": limits " << sum.flows.limits << ", method " << sum.method);
        CHECK(sum.flows.limits == doctest::Approx(start).epsilon(way.exactness));
        CHECK(std::abs(sum.method) < way.exactness * start);
    }
}

// A penalty that is passed holds energy as long as it is, which is of the state: from the beginning on where
// a state is set in it, and after a snapshot.
TEST_CASE("implicit: penalties hold energy") {
    Simulation sim(model_of(falling), of("implicit"));
    const Ledger sum = ledger_of(sim, 1, 1.0 / 240);
    // It has come to rest on the spring: k = m (2π f)², of the depth g / (2π f)².
    const double omega = 2 * M_PI * sim.options().implicit.penalty_frequency;
    const double depth = gravity / (omega * omega);
    CHECK(sum.elastic == doctest::Approx(0.5 * 2 * omega * omega * depth * depth).epsilon(1e-3));
    CHECK(sum.after == doctest::Approx(2 * gravity * (0.1 - depth) + sum.elastic).epsilon(1e-6));
    CHECK(sum.flows.impacts - sum.method == doctest::Approx(2 * gravity).epsilon(1e-3));
    CHECK(sum.flows.impacts > 0);
    CHECK(sum.method < 0);

    const Snapshot saved = sim.save();
    const StepReport first = step_ok(sim, 1.0 / 240);
    sim.restore(saved);
    const StepReport again = step_ok(sim, 1.0 / 240);
    CHECK(first.energy.before == again.energy.before);
    CHECK(first.energy.method == again.energy.method);

    JointState<double> state = sim.state();
    state.q[2] = 0.1 - 0.02;
    std::fill(state.v.begin(), state.v.end(), 0.0);
    sim.set_state(state);
    const EnergyLedger set = step_ok(sim, 1.0 / 240).energy;
    CHECK(set.before ==
          doctest::Approx(2 * gravity * 0.08 + 0.5 * 2 * omega * omega * 0.02 * 0.02).epsilon(1e-6));
    CHECK(set.method <= 0);
}

TEST_CASE("a conveyor does work on what it carries") {
    // A belt that moves under a box, which slips until it goes along: the belt does μ m g times its own way
    // while that lasts, of which half becomes motion and half heat.
    const char* const text = R"(<mujoco><worldbody>
        <body name="belt" mocap="true"><geom type="box" size="50 5 0.1" pos="0 0 -0.1" friction="0.4"/></body>
        <body name="box" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.3 0.3 0.1" mass="2"
        friction="0.4"/></body></worldbody></mujoco>)";
    for (const Way& way : ways) {
        CAPTURE(way.name);
        Simulation sim(model_of(text), way.options);
        JointState<double> state = sim.state();
        state.kinematic[0].velocity.lin = {2, 0, 0};
        sim.set_state(state);
        const Ledger sum = ledger_of(sim, 1, 1.0 / 240);
        MESSAGE(way.name << ": kinematic " << sum.flows.kinematic << ", friction "
                         << sum.flows.contact_friction << ", method " << sum.method);
        CHECK(velocity_of(sim).x == doctest::Approx(2).epsilon(1e-3));
        CHECK(sum.flows.kinematic == doctest::Approx(2 * 4).epsilon(way.exactness));
        CHECK(sum.flows.contact_friction == doctest::Approx(0.5 * 2 * 4).epsilon(2 * way.exactness));
    }
}
