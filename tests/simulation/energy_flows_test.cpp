// The energy ledger where nothing is touched: work and losses against closed forms, and the rest, which is
// the method's, against its order. The energies of a state know nothing of the powers of forces, so a ledger
// that closes is a check of either by the other.

#include "support/ledgers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

// Both formulations by a method whose error is next to nothing.
const std::vector<SimulationOptions> exact = {smooth_by("reduced", SmoothIntegrator::rk45),
                                              smooth_by("multiplier", SmoothIntegrator::rk45)};

Simulation started(const std::string& xml, const SimulationOptions& options, double q, double v) {
    Simulation sim(model_of(xml), options);
    JointState<double> state = sim.state();
    state.q[0] = q;
    state.v[0] = v;
    sim.set_state(state);
    return sim;
}

std::string slider(const std::string& joint, const std::string& rest = "") {
    return "<mujoco><option gravity='0 0 0'/><worldbody><body name='body'><joint name='x' type='slide' "
           "axis='1 0 0' " +
           joint + "/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>" + rest +
           "</mujoco>";
}

// All that does work at once, on kinematic bodies and beside them: springs and dampers of joints (of higher
// powers, too), tendons and bushings, motors along a joint, a tendon and at a site, servos, one of them at
// its limit, a filter, rotor inertia, a weight that is partly held up, and a medium with wind.
const char* const everything = R"(<mujoco>
  <compiler angle="radian"/>
  <option density="3" viscosity="0.2" wind="0.5 0.2 -0.1"/>
  <worldbody>
    <site name="hook" pos="0.4 0.3 1"/>
    <body name="winch" mocap="true" pos="0.5 0 1.2"><site name="eye" pos="0.05 0 0"/></body>
    <body name="cart" mocap="true">
      <site name="mast" pos="0 0.1 0.8"/>
      <body name="arm" pos="0.1 0 0">
        <joint name="shoulder" axis="0 1 0.2" damping="0.2 0.05 0.01" stiffness="3" armature="0.05"/>
        <geom type="box" pos="0.05 0 -0.2" size="0.04 0.05 0.2" density="800" contype="0"/>
        <site name="elbow" pos="0.1 0 -0.2"/>
        <body name="hand" pos="0.1 0 -0.4" gravcomp="0.4">
          <joint name="wrist" type="ball" damping="0.03"/>
          <geom type="ellipsoid" pos="0 0.05 -0.1" size="0.05 0.03 0.1" density="900" contype="0"
            fluidshape="ellipsoid"/>
          <site name="palm" pos="0 0 -0.1" euler="0.3 0.2 0.1"/>
        </body>
      </body>
      <body name="rotor" pos="0 0.5 0">
        <joint name="rotor" axis="0 0 1" damping="0.1"/>
        <geom type="box" size="0.2 0.05 0.05" contype="0"/>
      </body>
    </body>
    <body name="hull" pos="0.6 0.2 0.3">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.15 0.05" density="500" contype="0"/>
      <site name="bow" pos="0.1 0 0"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="rope" stiffness="30" damping="0.4" springlength="0.2"><site site="hook"/>
    <site site="elbow"/></spatial>
    <spatial name="line" stiffness="20" damping="0.3" springlength="0.1"><site site="eye"/><site site="bow"/>
    </spatial>
    <spatial name="cable"><site site="mast"/><site site="palm"/></spatial>
  </tendon>
  <actuator>
    <motor name="turn" joint="rotor" gear="2"/>
    <motor name="jet" site="palm" gear="0.3 0.1 0.2 0.02 0.01 0"/>
    <position name="pull" tendon="cable" kp="10" kv="0.5"/>
    <general name="slow" joint="shoulder" dyntype="filter" dynprm="0.1" gainprm="0.8"/>
    <position name="servo" joint="rotor" kp="3" kv="0.2" forcerange="-0.5 0.5"/>
  </actuator>
  <force><bushing name="mount" body1="winch" body2="hull" stiffness="20 30 25" damping="0.4 0.4 0.9"/></force>
</mujoco>)";

// Bodies that turn do so about one axis: turning of constant acceleration about several is no such motion.
Simulation busy(const SimulationOptions& options) {
    Simulation sim(model_of(everything), options);
    JointState<double> state = sim.state();
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = 0.3 * std::sin(1.0 + 2.0 * k);
    state.q[0] = 0.4;
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        BaseMotion<double>& base = state.kinematic[k];
        const double sign = k == 0 ? 1 : -1;
        base.velocity = {{0.3, -0.2 * sign, 0.5}, {0.4 * sign, 0.1, -0.3}};
        base.acceleration = {-0.7 * base.velocity.ang, {1.5, -0.7 * sign, 0.9}};
    }
    sim.set_state(state);
    SmoothDynamics& inputs = sim.inputs();
    inputs.ctrl = {0.3, 1, 0.4, 0.7, 2};
    for (std::size_t k = 0; k < inputs.qfrc_applied.size(); ++k)
        inputs.qfrc_applied[k] = 0.1 * std::cos(3.0 * k);
    inputs.xfrc_applied[sim.model().find_body("hand")] = {{0.02, 0.01, -0.03}, {0.3, -0.2, 0.1}};
    return sim;
}

}  // namespace

TEST_CASE("what a damper takes is what the spring had") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim = started(slider("stiffness='40' damping='1.5'"), options, 0.5, 0);
        const Ledger sum = ledger_of(sim, 60, 0.1);  // the amplitude is e^−22 of what it was
        CHECK(sum.before == doctest::Approx(0.5 * 40 * 0.25).epsilon(1e-12));
        CHECK(std::abs(sum.flows.dampers - sum.before) < 1e-10);
        CHECK(sum.max_method < 1e-10);
        CHECK(sum.flows.net() == -sum.flows.dampers);
    }
}

TEST_CASE("a damper of higher powers: the energy that is gone") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim = started(slider("damping='0.5 0.3 0.2'"), options, 0, 3);
        const Ledger sum = ledger_of(sim, 2, 0.05);
        const double v = sim.state().v[0];
        CHECK(sum.flows.dampers == doctest::Approx(0.5 * 2 * (9 - v * v)).epsilon(1e-11));
        CHECK(sum.max_method < 1e-10);
    }
}

TEST_CASE("a constant torque does its moment times the angle") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of(R"(<mujoco><worldbody><body><joint name="a" axis="0 0 1" armature="0.3"/>
            <geom type="box" size="0.2 0.1 0.1" contype="0"/></body></worldbody>
            <actuator><motor joint="a" gear="3"/></actuator></mujoco>)"),
                       options);
        sim.inputs().ctrl[0] = 0.7;
        sim.inputs().qfrc_applied[0] = -0.4;
        const Ledger sum = ledger_of(sim, 2, 0.05);
        const double angle = sim.state().q[0];
        CHECK(angle > 0.2);
        CHECK(sum.flows.drives == doctest::Approx(2.1 * angle).epsilon(1e-12));
        CHECK(sum.flows.applied == doctest::Approx(-0.4 * angle).epsilon(1e-12));
        CHECK(sum.max_method < 1e-10);
    }
}

TEST_CASE("a servo does no work beyond what it has put into the motion") {
    // Critically damped towards 1 from rest: the drive's own spring and damper are its affair.
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of(slider("", "<actuator><position joint='x' kp='50' kv='20'/></actuator>")),
                       options);
        sim.inputs().ctrl[0] = 1;
        double most = 0;
        double done = 0;
        run(sim, 3, 0.02, [&](const StepReport& report) {
            done += report.energy.flows.drives;
            most = std::max(most, std::abs(done - sim.energy().kinetic));
        });
        CHECK(most < 1e-10);
        CHECK(sim.state().q[0] == doctest::Approx(1).epsilon(1e-3));
    }
}

TEST_CASE("forces that are applied to a falling body") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(
            model_of("<mujoco><worldbody><body name='box'><freejoint name='root'/><inertial mass='2' "
                     "pos='0.3 0.1 0' diaginertia='1 2 2.5'/></body></worldbody></mujoco>"),
            options);
        const Vec3d force{3, -2, 5}, moment{0.2, 0.1, -0.3};
        sim.inputs().xfrc_applied[1] = {moment, force};
        set_velocity(sim, {1, 0, 2}, {0.5, -1, 0.3});
        const double before = total(sim.energy());
        const Ledger sum = ledger_of(sim, 1, 0.05);
        CHECK(sum.flows.applied == doctest::Approx(total(sim.energy()) - before).epsilon(1e-11));
        CHECK(std::abs(sum.flows.applied) > 0.1);
        CHECK(sum.max_method < 1e-10);
        CHECK(sum.flows.net() == sum.flows.applied);
    }
}

TEST_CASE("a force at the centre of mass does force times way") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(
            model_of("<mujoco><worldbody><body name='box'><freejoint name='root'/><inertial mass='2' "
                     "pos='0 0 0' diaginertia='1 2 2.5'/></body></worldbody></mujoco>"),
            options);
        sim.inputs().xfrc_applied[1] = {{0, 0, 0}, {3, -2, 5}};
        set_velocity(sim, {1, 0, 2}, {0.5, -1, 0.3});
        const Ledger sum = ledger_of(sim, 1, 0.05);
        const Vec3d way = position_of(sim);
        CHECK(sum.flows.applied == doctest::Approx(3 * way.x - 2 * way.y + 5 * way.z).epsilon(1e-11));
    }
}

TEST_CASE("what a medium takes") {
    // A sphere in a viscous medium: its speed falls as e^−(6π η r/m) t.
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of("<mujoco><option gravity='0 0 0' viscosity='0.5'/><worldbody><body "
                                "name='ball'><freejoint name='root'/><geom size='0.1' mass='0.4' "
                                "contype='0'/></body></worldbody></mujoco>"),
                       options);
        set_velocity(sim, {2, 1, 0}, {3, 0, 1});
        const double before = total(sim.energy());
        const Ledger sum = ledger_of(sim, 10, 0.1);
        CHECK(total(sim.energy()) < 1e-3 * before);
        CHECK(sum.flows.dampers == doctest::Approx(before - total(sim.energy())).epsilon(1e-11));
        CHECK(sum.max_method < 1e-10);
    }
}

TEST_CASE("a cart that accelerates does mass times acceleration times way") {
    // A slider across the way of its cart: along it the cart carries it with m a.
    const char* const text = R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="cart" mocap="true">
        <body><joint type="slide" axis="0 1 0" stiffness="5"/>
        <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
        </body></body></worldbody></mujoco>)";
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of(text), options);
        JointState<double> state = sim.state();
        state.q[0] = 0.2;
        state.kinematic[0].velocity.lin = {0.5, 0, 0};
        state.kinematic[0].acceleration.lin = {2, 0, 0};
        sim.set_state(state);
        const Ledger sum = ledger_of(sim, 1, 0.05);
        CHECK(sum.flows.kinematic == doctest::Approx(3 * 2 * (0.5 + 1)).epsilon(1e-11));
        CHECK(sum.max_method < 1e-10);
    }
}

TEST_CASE("a pendulum on a cart that accelerates and turns") {
    const char* const text = R"(<mujoco><worldbody><body name="cart" mocap="true">
        <body><joint type="ball" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.1 0 -0.5" size="0.05"
        contype="0"/><body pos="0.1 0 -0.5"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3"
        size="0.04" contype="0"/></body></body></body></worldbody></mujoco>)";
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of(text), options);
        JointState<double> state = sim.state();
        state.v = {0.4, -0.3, 1, 2};
        state.kinematic[0].velocity = {{0.2, 0.1, 0.5}, {0.5, 0, 0.3}};
        state.kinematic[0].acceleration = {2 * state.kinematic[0].velocity.ang, {2, 1, -0.5}};
        sim.set_state(state);
        const Ledger sum = ledger_of(sim, 1, 0.05);
        CHECK(std::abs(sum.flows.kinematic) > 1);
        CHECK(sum.max_method < 1e-9);
    }
}

TEST_CASE("loops on kinematic bodies and prescribed motion") {
    const char* const text = R"(<mujoco><worldbody>
        <body name="lift" mocap="true" pos="1.2 0 0"/>
        <body name="a"><joint axis="0 1 0" damping="0.05"/>
        <geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.03"
          contype="0"/>
          <body name="b" pos="0.6 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.6 0 0"
            size="0.03" contype="0"/></body></body>
        <body name="crank" pos="3 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.2 0 0" contype="0"/>
        </body>
        </worldbody><equality>
        <connect body1="b" body2="lift" anchor="0.6 0 0"/>
        <prescribed body2="crank" pos1="3 0 0" rywave="1 0.5"/></equality></mujoco>)";
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim(model_of(text), options);
        JointState<double> state = sim.state();
        const double bend = std::acos(0.5 / 0.6);
        state.q[0] = -bend;
        state.q[1] = 2 * bend;
        state.kinematic[0].pos = {1, 0, 0};
        state.kinematic[0].velocity.lin = {-0.3, 0, 0.4};
        state.kinematic[0].acceleration.lin = {0.2, 0, -1};
        sim.set_state(state);
        step_ok(sim, 1e-6);  // puts the velocities onto the loops
        // Closing loops behind a step is the method's; it is little in short ones.
        const Ledger sum = ledger_of(sim, 1, 0.01);
        CHECK(std::abs(sum.flows.kinematic) > 0.1);
        CHECK(sum.max_method < 1e-9);
    }
}

TEST_CASE("everything at once closes") {
    for (const SimulationOptions& options : exact) {
        CAPTURE(options.formulation);
        Simulation sim = busy(options);
        const Ledger sum = ledger_of(sim, 1, 0.05);
        MESSAGE(options.formulation << ": drives " << sum.flows.drives << ", applied " << sum.flows.applied
                                    << ", kinematic " << sum.flows.kinematic << ", dampers "
                                    << sum.flows.dampers << ", method " << sum.max_method);
        CHECK(std::abs(sum.flows.drives) > 0.05);
        CHECK(std::abs(sum.flows.applied) > 0.05);
        CHECK(std::abs(sum.flows.kinematic) > 0.5);
        CHECK(std::abs(sum.flows.dampers) > 0.05);
        CHECK(sum.max_method < 1e-9);
    }
}

// What is left to the method falls with its order.
TEST_CASE("the method's share is of its order") {
    struct Case {
        std::string formulation;
        SmoothIntegrator integrator;
        int order;
    };
    for (const Case& c :
         {Case{"reduced", SmoothIntegrator::euler, 1}, Case{"reduced", SmoothIntegrator::rk4, 4},
          Case{"multiplier", SmoothIntegrator::euler, 1}, Case{"multiplier", SmoothIntegrator::rattle, 2},
          Case{"multiplier", SmoothIntegrator::rk4, 4}, Case{"implicit", SmoothIntegrator::backward_euler, 1},
          Case{"implicit", SmoothIntegrator::bdf2, 2}}) {
        CAPTURE(c.formulation);
        CAPTURE(c.order);
        const auto left = [&](double dt) {
            Simulation sim = busy(smooth_by(c.formulation, c.integrator));
            return std::abs(ledger_of(sim, 1, dt).method);
        };
        const double coarse = left(1.0 / 160), fine = left(1.0 / 320);
        MESSAGE(c.formulation << " of order " << c.order << ": method " << coarse << ", " << fine
                              << ", ratio " << coarse / fine);
        CHECK(coarse / fine > 0.9 * std::pow(2, c.order));
        CHECK(coarse < (c.order == 1 ? 1 : c.order == 2 ? 0.01
                                                        : 2e-5));
    }
}

// Energies that are convex, everything at the end of the step: the method only takes.
TEST_CASE("backward Euler makes no energy") {
    Simulation sim =
        started(slider("stiffness='40' damping='0.1'", "<actuator><motor joint='x'/></actuator>"),
                smooth_by("implicit", SmoothIntegrator::backward_euler), 0.5, 2);
    sim.inputs().ctrl[0] = 3;
    run(sim, 5, 1.0 / 30, [&](const StepReport& report) { CHECK(report.energy.method <= 1e-12); });
}
