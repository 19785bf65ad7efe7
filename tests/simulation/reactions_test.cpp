// Forces through joints, loops, limits and contacts against closed forms and balances of momentum.

#include "support/random_values.h"
#include "support/reaction_lists.h"
#include "support/simulation_scenes.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double g = 9.81;

void check_near(const Vec3d& a, const Vec3d& b, double tolerance) {
    CAPTURE(a.x);
    CAPTURE(a.y);
    CAPTURE(a.z);
    CAPTURE(b.x);
    CAPTURE(b.y);
    CAPTURE(b.z);
    CHECK(largest(a - b) <= tolerance);
}

std::vector<double> limit_forces(const Simulation& sim) {
    std::vector<double> out(sim.model().nv);
    sim.limit_forces(out);
    return out;
}

void step(Simulation& sim, double dt, int count = 1) {
    for (int k = 0; k < count; ++k) {
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        REQUIRE(report.status == StepStatus::ok);
    }
}

// 2 kg, 1.5 m below a hinge about y at (0, 0, 3).
const char* const pendulum =
    R"(<mujoco><worldbody><body name="bob" pos="0 0 3"><joint name="pivot" axis="0 1 0"/>
  <inertial pos="0 0 -1.5" mass="2" diaginertia="1e-12 1e-12 1e-12"/></body></worldbody></mujoco>)";

Vec3d contact_force(const Simulation& sim) {
    Vec3d sum = Vec3d::zero();
    for (const Contact& contact : sim.contacts().contacts) sum += (1 / sim.contact_time()) * contact.impulse;
    return sum;
}

}  // namespace

TEST_CASE("reactions: a pendulum at rest pulls with its weight, in both kinds of sub-steps") {
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model_of(pendulum), {.stepping = stepping});
        CHECK(largest(joint_reactions(sim)[1]) == 0);  // nothing has been stepped yet
        step(sim, 0.01);
        const Force<double> reaction = joint_reactions(sim)[1];
        check_near(reaction.lin, {0, 0, 2 * g}, 1e-12);
        check_near(reaction.ang, {0, 0, 0}, 1e-12);
        CHECK(largest(joint_reactions(sim)[0]) == 0);
        sim.reset();
        CHECK(largest(joint_reactions(sim)[1]) == 0);
    }
}

// The rod has no inertia of its own, so its force is along it: m (g cos θ + l θ̇²).
TEST_CASE("reactions: a pendulum that swings") {
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model_of(pendulum), {.stepping = stepping, .tolerance = 1e-10});
        JointState<double> state = sim.state();
        state.q[0] = 1.2;
        sim.set_state(state);
        const double h = stepping == Stepping::velocity ? 1e-3 : 0.05;
        for (int k = 0; k < 15; ++k) {
            // Velocity steps answer for the state they began with, smooth ones for where they ended.
            const JointState<double> before = sim.state();
            step(sim, h);
            const JointState<double>& at = stepping == Stepping::velocity ? before : sim.state();
            const double angle = at.q[0], speed = at.v[0];
            const double pull = 2 * (g * std::cos(angle) + 1.5 * speed * speed);
            // Turning by a positive angle about y moves what hangs towards −x.
            const Force<double> reaction = joint_reactions(sim)[1];
            check_near(reaction.lin, pull * Vec3d{std::sin(angle), 0, std::cos(angle)}, 1e-10);
            check_near(reaction.ang, {0, 0, 0}, 1e-10);
        }
    }
}

TEST_CASE("reactions: joints of a hanging chain carry what is below them") {
    std::string xml = "<mujoco><worldbody>", end;
    const int links = 8;
    for (int k = 0; k < links; ++k) {
        xml += "<body name='" + std::to_string(k) + "' pos='0 0 " + (k == 0 ? "0" : "-0.4") +
               "'><joint type='ball'/><geom type='capsule' size='0.02' fromto='0 0 0 0 0 -0.4' mass='" +
               std::to_string(k + 1) + "' contype='0' conaffinity='0'/>";
        end += "</body>";
    }
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model_of(xml + end + "</worldbody></mujoco>"), {.stepping = stepping});
        step(sim, 0.01, 3);
        double below = 0;
        for (int k = links - 1; k >= 0; --k) {
            below += (k + 1) * g;
            const Force<double> reaction = joint_reactions(sim)[k + 1];
            check_near(reaction.lin, {0, 0, below}, 1e-9);
            check_near(reaction.ang, {0, 0, 0}, 1e-9);
        }
    }
}

TEST_CASE(
    "reactions: in an accelerated lift everything is heavier; applied forces and floating bodies count") {
    Simulation sim(model_of(R"(<mujoco><worldbody><body name="lift" mocap="true">
      <geom size="0.1" contype="0" conaffinity="0"/></body>
      <body name="fixed"><joint type="slide" axis="1 0 0"/><geom size="0.1" mass="3" contype="0"
       conaffinity="0"/></body>
      <body name="floats" gravcomp="1"><joint type="slide" axis="1 0 0"/><geom size="0.1" mass="3" contype="0"
       conaffinity="0"/></body></worldbody></mujoco>)"));
    step(sim, 0.01);
    check_near(joint_reactions(sim)[2].lin, {0, 0, 3 * g}, 1e-10);
    check_near(joint_reactions(sim)[3].lin, {0, 0, 0}, 1e-10);
    sim.inputs().xfrc_applied[2] = {{0, 0, 0.5}, {0, 7, 4}};
    step(sim, 0.01);
    check_near(joint_reactions(sim)[2].lin, {0, -7, 3 * g - 4}, 1e-10);
    check_near(joint_reactions(sim)[2].ang, {0, 0, -0.5}, 1e-10);

    Scene scene;
    const BodyId lift = scene.add_body(world, {.name = "lift", .kinematic = true});
    const BodyId bob = scene.add_body(
        lift, {.name = "bob", .inertial = InertialSpec{2, {{0, 0, -1}}, Sym3d::diagonal(0.1, 0.1, 0.1), {}}});
    scene.add_joint(bob, {.axis = {0, 1, 0}});
    Simulation lifted(compile(scene));
    BaseMotion<double> motion = lifted.state().kinematic[0];
    motion.acceleration.lin = {0, 0, 3};
    lifted.set_kinematic(1, motion);
    step(lifted, 0.01);
    check_near(joint_reactions(lifted)[2].lin, {0, 0, 2 * (g + 3)}, 1e-10);
}

TEST_CASE("reactions: a box on a table presses with its weight, and its free joint with nothing") {
    Simulation sim(model_of(R"(<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.3 0.1" mass="7"/></body>
      </worldbody></mujoco>)"),
                   {.accuracy = 1e-8});
    step(sim, 0.01, 20);
    // The plane's geom comes first: the impulse is on the box. Velocities are found to 1e-8 m/s in 0.01 s.
    check_near(contact_force(sim), {0, 0, 7 * g}, 7 * 1e-8 / 0.01);
    check_near(joint_reactions(sim)[1].lin, {0, 0, 0}, 1e-9);
    check_near(joint_reactions(sim)[1].ang, {0, 0, 0}, 1e-9);
    // In the air nothing presses any more.
    JointState<double> state = sim.state();
    state.q[2] += 0.05;
    sim.set_state(state);
    step(sim, 0.001);
    CHECK(largest(contact_force(sim)) == 0);
}

// A free joint transmits nothing, whatever happens elsewhere: contacts, limits, springs, drives, loops, a
// push. Only if all of them are counted does the sum come out as zero.
TEST_CASE("reactions: roots that are free") {
    struct Case {
        std::shared_ptr<const Model> model;
        double dt;
        int steps;
    };
    for (const Case& c : {Case{character(), 1.0 / 60, 60}, Case{model_of(walker), 0.005, 150}}) {
        Simulation sim(c.model);
        for (std::size_t k = 0; k < sim.inputs().ctrl.size(); ++k) sim.inputs().ctrl[k] = 0.3;
        sim.inputs().xfrc_applied[2] = {{0, 0.3, 0}, {2, 0, 1}};
        double most = 0, largest_joint = 0;
        for (int k = 0; k < c.steps; ++k) {
            REQUIRE(sim.step(c.dt).status != StepStatus::non_finite);
            const std::vector<Force<double>> reactions = joint_reactions(sim);
            most = std::max(most, largest(reactions[1]));
            for (const Force<double>& reaction : reactions)
                largest_joint = std::max(largest_joint, largest(reaction));
        }
        CHECK(largest_joint > 50);
        CHECK(most < 1e-11 * largest_joint * sim.model().bodies.size());
    }
}

TEST_CASE("reactions: a limit that holds a torque, and a servo") {
    // A bar of 2 kg and 1 m, horizontal, that rests on the end of its range.
    Simulation sim(model_of(R"(<mujoco><worldbody><body name="bar">
      <joint name="hinge" axis="0 1 0" range="-90 0" limited="true"/>
      <geom type="box" size="0.5 0.01 0.01" pos="0.5 0 0" mass="2" contype="0" conaffinity="0"/></body>
      <body name="held" pos="0 1 0"><joint name="held" axis="0 1 0"/>
      <geom type="box" size="0.5 0.01 0.01" pos="0.5 0 0" mass="2" contype="0" conaffinity="0"/></body>
      </worldbody><actuator><motor joint="held"/></actuator></mujoco>)"),
                   {.accuracy = 1e-9});
    sim.inputs().ctrl[0] = -2 * g * 0.5;
    step(sim, 0.01, 5);
    // Positive about y turns x towards −z.
    CHECK(limit_forces(sim)[0] == doctest::Approx(-2 * g * 0.5).epsilon(1e-7));
    CHECK(limit_forces(sim)[1] == 0);
    for (const int body : {1, 2}) {
        check_near(joint_reactions(sim)[body].lin, {0, 0, 2 * g}, 1e-6);
        check_near(joint_reactions(sim)[body].ang, {0, -2 * g * 0.5, 0}, 1e-6);
    }
}

TEST_CASE("reactions: a weight that hangs on a loop") {
    // A weld to the world, stated from either side, on a body that is free.
    for (const bool world_first : {true, false}) {
        Scene scene;
        const BodyId body = scene.add_body(
            world,
            {.name = "body", .inertial = InertialSpec{4, {{0.5, 0, 0}}, Sym3d::diagonal(1, 1, 1), {}}});
        scene.add_joint(body, {.type = JointType::free});
        scene.add_loop({.type = JointType::fixed,
                        .body_a = world_first ? world : body,
                        .body_b = world_first ? body : world,
                        .frame_a = {{0, 0, 0.3}},
                        .frame_b = {{0, 0, 0.3}}});
        for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
            Simulation sim(compile(scene), {.stepping = stepping, .accuracy = 1e-8});
            step(sim, 0.01, 2);
            const double sign = world_first ? 1 : -1;
            // Impulses are found to 1e-8 m/s.
            const double tolerance = stepping == Stepping::velocity ? 4 * 1e-8 / 0.01 : 1e-8;
            check_near(loop_reactions(sim)[0].lin, {0, 0, sign * 4 * g}, tolerance);
            check_near(loop_reactions(sim)[0].ang, {0, -sign * 4 * g * 0.5, 0}, tolerance);
            check_near(joint_reactions(sim)[1].lin, {0, 0, 0}, 1e-8);
            check_near(joint_reactions(sim)[1].ang, {0, 0, 0}, 1e-8);
        }
    }
}

// The four-bar cut open at its pin: with its accelerations known, the moments of the rocker about its pivot
// and of the coupler about the crank's end give the two components of the force at the pin.
TEST_CASE("reactions: the pin of a four-bar mechanism") {
    const auto model = model_of(four_bar);
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model, {.stepping = stepping, .tolerance = 1e-10, .accuracy = 1e-10});
        sim.inputs().ctrl[0] = 0.8;
        const double h = stepping == Stepping::automatic ? 0.01 : 0.001;
        for (int k = 0; k < 25; ++k) {
            const JointState<double> before = sim.state();
            step(sim, h);
            const bool smooth = stepping == Stepping::automatic;
            const JointState<double>& at = smooth ? sim.state() : before;

            lig::SmoothDynamics dynamics(model);
            dynamics.ctrl = sim.inputs().ctrl;
            std::vector<double> qacc(3);
            const std::span<const double> accelerations = dynamics.accelerate(at);
            std::copy(accelerations.begin(), accelerations.end(), qacc.begin());
            if (!smooth)
                for (int i = 0; i < 3; ++i) qacc[i] = (sim.state().v[i] - before.v[i]) / h;

            // Everything in the plane: angles about y, counted from z to x.
            Workspace<double>& ws = dynamics.ws;
            const Vec3d crank_end = body_pose(ws, 2).p, pivot = body_pose(ws, 3).p;
            const Vec3d pin = body_pose(ws, 2) * Vec3d{0.764852927, 0, 0.234520788};
            const Vec3d y{0, 1, 0};
            const double w1 = at.v[0], w2 = at.v[0] + at.v[1];
            const double a1 = qacc[0], a2 = qacc[0] + qacc[1], a3 = qacc[2];
            const auto moved_by = [&](const Vec3d& r, double w, double a) {
                return a * cross(y, r) - w * w * r;
            };
            const Vec3d weight{0, 0, -g};
            const auto center = [&](int body) { return body_pose(ws, body) * model->bodies[body].com; };
            const auto inertia = [&](int body) {  // about the axis y, which the bodies turn about
                const Mat3d R = body_pose(ws, body).R;
                return dot(y, R * (model->bodies[body].inertia * transpose_mul(R, y)));
            };
            const Vec3d r2 = center(2) - crank_end, r3 = center(3) - pivot;
            const double m2 = model->bodies[2].mass, m3 = model->bodies[3].mass;
            const Vec3d acceleration2 = moved_by(crank_end, w1, a1) + moved_by(r2, w2, a2);
            const double motor = 2 * at.act[0];
            // The force on the rocker, F = (x, 0, z):  dot(y, r × F) = r.z x − r.x z.
            const Vec3d arm3 = pin - pivot, arm2 = pin - crank_end;
            const double rhs3 = (inertia(3) + m3 * dot(r3, r3)) * a3 - motor - dot(y, cross(r3, m3 * weight));
            const double rhs2 =
                dot(y, cross(r2, m2 * weight)) - inertia(2) * a2 - dot(y, cross(r2, m2 * acceleration2));
            const double det = -arm3.z * arm2.x + arm3.x * arm2.z;
            const double x = (-rhs3 * arm2.x + rhs2 * arm3.x) / det;
            const double z = (arm3.z * rhs2 - arm2.z * rhs3) / det;

            const Force<double> reaction = loop_reactions(sim)[0];
            // What closing the loop after a velocity step adds to its velocities is of second order in h.
            const double tolerance = smooth ? 1e-7 : h;
            CHECK(std::abs(reaction.lin.x - x) < tolerance * (1 + std::abs(x)));
            CHECK(std::abs(reaction.lin.z - z) < tolerance * (1 + std::abs(z)));
            check_near(reaction.ang, {0, 0, 0}, 1e-9);
        }
    }
}

TEST_CASE("reactions: asking changes nothing") {
    struct Case {
        std::shared_ptr<const Model> model;
        double dt;
    };
    for (const Case& c : {Case{character(), 1.0 / 60}, Case{model_of(four_bar), 0.01},
                          Case{model_of(walker), 0.005}, Case{model_of(moving_table), 0.01}}) {
        Simulation asked(c.model), left_alone(c.model);
        const auto ask = [&] {
            joint_reactions(asked);
            loop_reactions(asked);
            limit_forces(asked);
            asked.energy();
        };
        // Also in the middle of a step.
        asked.callbacks.control = [&](const JointState<double>&, SmoothDynamics&) { ask(); };
        asked.callbacks.contacts = [&](const Simulation&, std::span<const ContactEvent>) { ask(); };
        left_alone.callbacks.control = [](const JointState<double>&, SmoothDynamics&) {};
        for (int k = 0; k < 60; ++k) {
            asked.step(c.dt);
            left_alone.step(c.dt);
            ask();
        }
        CHECK(same_bits(asked, left_alone));
    }
}

namespace {

// 2 kg and 0.5 kg·m² on springs to the world: 50 N/m and 8 N·m/rad. Body B is the block; its frame is off
// its middle by nothing, so that forces and moments do not mix.
const char* const sprung = R"(<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="block"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.5 0.5 0.5"/></body></worldbody>
  <force><bushing name="mount" body2="block" stiffness="50" turnstiffness="8"/>
    <bushing name="off" body2="block" stiffness="50" active="false"/></force></mujoco>)";

}  // namespace

TEST_CASE("reactions: a bushing pulls as its spring has it") {
    const auto model = model_of(sprung);
    const auto start = [&](SimulationOptions options) {
        Simulation sim(model, std::move(options));
        JointState<double> state = sim.state();
        state.q[0] = 0.1;
        state.q[3] = std::cos(0.15);
        state.q[6] = std::sin(0.15);  // 0.3 rad about z
        sim.set_state(state);
        CHECK(largest(bushing_forces(sim)[0].lin) == 0);
        return sim;
    };
    // x = 0.1 cos 5t and φ = 0.3 cos 4t, to the tolerance of the steps.
    Simulation smooth = start({});
    for (int k = 1; k <= 60; ++k) {
        step(smooth, 1.0 / 60);
        const double t = smooth.state().time;
        const std::vector<Force<double>> f = bushing_forces(smooth);
        check_near(f[0].lin, {-50 * 0.1 * std::cos(5 * t), 0, 0}, 1e-5);
        check_near(f[0].ang, {0, 0, -8 * 0.3 * std::cos(4 * t)}, 1e-5);
        CHECK(largest(f[1].lin) == 0);
    }
    // Velocity steps act with the force at their beginning, and change the momentum by it.
    Simulation stepped = start({.stepping = Stepping::velocity});
    for (int k = 0; k < 20; ++k) {
        const JointState<double> before = stepped.state();
        step(stepped, 0.01);
        const Force<double> f = bushing_forces(stepped)[0];
        check_near(f.lin, {-50 * before.q[0], 0, 0}, 1e-12);
        CHECK(2 * (stepped.state().v[0] - before.v[0]) == doctest::Approx(0.01 * f.lin.x).epsilon(1e-9));
        CHECK(0.5 * (stepped.state().v[5] - before.v[5]) == doctest::Approx(0.01 * f.ang.z).epsilon(1e-9));
    }
    // Implicit ones with that at their end.
    SimulationOptions options;
    options.formulation = "implicit";
    Simulation implicit = start(options);
    for (int k = 0; k < 20; ++k) {
        const double before = implicit.state().v[0];
        step(implicit, 0.01);
        const Force<double> f = bushing_forces(implicit)[0];
        check_near(f.lin, {-50 * implicit.state().q[0], 0, 0}, 1e-12);
        // Newton's method ends at 1e-7 m or so of 50 N/m.
        CHECK(2 * (implicit.state().v[0] - before) == doctest::Approx(0.01 * f.lin.x).epsilon(1e-5));
    }
    std::vector<Force<double>> wrong(1);
    CHECK_THROWS_AS(implicit.bushing_forces(wrong), std::invalid_argument);
    implicit.reset();
    CHECK(largest(bushing_forces(implicit)[0].lin) == 0);
}

TEST_CASE("reactions: what a damper adds, and what a kinematic body is pulled with") {
    // The target moves at 0.3 m/s under a block that a rail keeps from following: d v + k v t.
    const auto model = model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="target" mocap="true"/>
      <body name="block"><joint type="slide" axis="0 1 0"/>
      <geom size="0.1" contype="0" conaffinity="0"/></body>
      </worldbody><force><bushing body1="target" body2="block" stiffness="50" damping="7"/></force>
      </mujoco>)");
    for (const std::string formulation : {"reduced", "multiplier", "implicit"}) {
        CAPTURE(formulation);
        SimulationOptions options;
        options.formulation = formulation;
        Simulation sim(model, options);
        BaseMotion<double> motion = sim.state().kinematic[0];
        motion.velocity.lin = {0.3, 0, 0};
        sim.set_kinematic(model->find_body("target"), motion);
        step(sim, 0.01, 50);
        check_near(bushing_forces(sim)[0].lin, {50 * 0.3 * 0.5 + 7 * 0.3, 0, 0}, 1e-10);
    }
}

// The impacts of two balls are more events than a step may have, so velocity steps make the rest of it.
// Forces are those of the state that is left all the same: of a pendulum with a damper d at its pivot,
// α = (r × m g − d ω) / (m l²), and m (α × r + ω × (ω × r) − g) at the pivot.
TEST_CASE("reactions: a step from event to event whose end velocity steps have made") {
    const char* const xml = R"(<mujoco><worldbody><geom type="plane" size="9 9 1"/>
  <body pos="0 0 3"><joint axis="0 1 0" damping="3"/>
    <inertial pos="0 0 -1.5" mass="2" diaginertia="1e-12 1e-12 1e-12"/></body>
  <body pos="3 0 0.11"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  <body pos="4 0 0.12"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>)";
    SimulationOptions options{.stepping = Stepping::event};
    options.event.max_events = 1;
    Simulation sim(model_of(xml), options);
    JointState<double> state = sim.state();
    state.q[0] = 1.2;
    sim.set_state(state);
    const StepReport report = sim.step(0.1);
    CHECK(report.status == StepStatus::too_many_events);
    CHECK(report.velocity_steps > 0);
    const double angle = sim.state().q[0], speed = sim.state().v[0];
    const Vec3d r{-1.5 * std::sin(angle), 0, -1.5 * std::cos(angle)}, w{0, speed, 0}, gravity{0, 0, -g};
    const Vec3d turning = (1 / (2 * 1.5 * 1.5)) * (cross(r, 2 * gravity) - 3 * w);
    const Vec3d pull = 2 * (cross(turning, r) + cross(w, cross(w, r)) - gravity);
    check_near(joint_reactions(sim)[1].lin, pull, 1e-9);
    check_near(contact_force(sim), {0, 0, 3 * g}, 1e-9);
}
