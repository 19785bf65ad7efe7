// Islands that have come to rest sleep: nothing of them changes by a bit until something disturbs them, and
// then they go on as if they had not slept.

#include "scenes/generator_list.h"
#include "support/impulse_runs.h"

#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// split-step as it is. The others need more than their defaults for a stack of five to come to rest: with
// fewer sweeps it trembles for good.
SimulationOptions sleeping_options(const char* solver = "split-step") {
    const bool more = std::string(solver) != "split-step";
    SimulationOptions options = impulse_options(more ? 8 : 0, more ? 10 : 0, solver);
    options.accuracy = 1e-6;
    options.impulse.sleeping = true;
    // Softer ones would sink further as they wake.
    if (options.solver == "soft-step") options.impulse.contacts = {240, 10};
    return options;
}

// Five boxes of 1 kg.
std::string stack_scene(const std::string& more = {}) {
    std::string text = R"(<mujoco><worldbody><geom type="plane" size="9 9 1"/>)";
    for (int k = 0; k < 5; ++k)
        text += "<body name=\"box" + std::to_string(k) + "\" pos=\"0 0 " + std::to_string(0.1 + 0.2 * k) +
                "\"><freejoint name=\"box" + std::to_string(k) +
                "\"/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>";
    return text + more + "</worldbody></mujoco>";
}

std::shared_ptr<const Model> pile(double count, double damping) {
    const scenes::Setting settings[] = {{"count", count}, {"damping", damping}};
    return compile(scenes::generate(scenes::pile, settings));
}

std::vector<Transformd> poses_of(const Simulation& sim) {
    std::vector<Transformd> poses(sim.model().bodies.size());
    sim.body_poses(poses);
    return poses;
}

double largest_move(const std::vector<Transformd>& from, const std::vector<Transformd>& to) {
    double largest = 0;
    for (std::size_t b = 0; b < from.size(); ++b) {
        const Vec3d d = to[b].p - from[b].p;
        largest = std::max(largest, std::sqrt(dot(d, d)));
    }
    return largest;
}

// Steps until so many links sleep; false if that takes longer.
bool settle(Simulation& sim, int asleep, double seconds) {
    while (sim.state().time < seconds)
        if (step_ok(sim, frame).sleeping == asleep) return true;
    return false;
}

// Whether it sleeps on for a second without changing by a bit.
void check_unchanged(Simulation& sim, int asleep) {
    const std::vector<double> q = sim.state().q;
    const std::vector<Transformd> poses = poses_of(sim);
    for (int k = 0; k < 60; ++k) {
        REQUIRE(step_ok(sim, frame).sleeping == asleep);
        REQUIRE(same_bytes(sim.state().q, q));
        REQUIRE(same_bytes(poses_of(sim), poses));
        REQUIRE(std::all_of(sim.state().v.begin(), sim.state().v.end(), [](double v) { return v == 0; }));
    }
}

void push(Simulation& sim, const char* body, const Vec3d& force) {
    sim.inputs().xfrc_applied[sim.model().find_body(body)] = {Vec3d::zero(), force};
}

}  // namespace

TEST_CASE("impulse sleeping: a stack falls asleep, stays as it is and carries its weight") {
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(model_of(stack_scene()), sleeping_options(solver));
        REQUIRE(settle(sim, 5, 3));
        CHECK(sim.state().time > 0.5);
        check_unchanged(sim, 5);
        // What the contacts of a box do carries it alone; the ground carries all. Up to what the last sweeps
        // before it slept have left: 1 mm/s within a sub-step of 1/480 s is a twentieth of a weight.
        for (int k = 0; k < 5; ++k) {
            const Vec3d force = contact_force_on(sim, sim.model().find_body("box" + std::to_string(k)));
            CHECK(force.z == doctest::Approx(gravity).epsilon(0.1));
            CHECK(std::hypot(force.x, force.y) < 0.05 * gravity);
        }
    }
}

TEST_CASE("impulse sleeping: what wakes goes on with its impulses and does not jump") {
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(model_of(stack_scene()), sleeping_options(solver));
        REQUIRE(settle(sim, 5, 3));
        check_unchanged(sim, 5);
        const std::vector<Transformd> before = poses_of(sim);
        push(sim, "box3", {1e-9, 0, 0});
        CHECK(step_ok(sim, frame).sleeping == 0);
        push(sim, "box3", Vec3d::zero());
        double woken = sim.state().time;
        run(sim, 1, frame, [&](const StepReport& report) {
            if (report.sleeping == 0) woken = report.time;
        });
        CHECK(largest_move(before, poses_of(sim)) < 1e-4);
        // It fell asleep again, but not before it had rested for half a second.
        CHECK(woken - (sim.state().time - 1) == doctest::Approx(0.5).epsilon(0.05));
    }
}

TEST_CASE("impulse sleeping: characters fall asleep with joints, limits and dampers") {
    const std::shared_ptr<const Model> models[] = {pile(1, 0), pile(3, 2)};
    for (const auto& model : models) {
        const int links = static_cast<int>(model->tree.links.size());
        Simulation sim(model, sleeping_options());
        REQUIRE(settle(sim, links, 12));
        check_unchanged(sim, links);
        const std::vector<Transformd> before = poses_of(sim);
        push(sim, "c0_head", {1e-9, 0, 0});
        CHECK(step_ok(sim, frame).sleeping < links);
        CHECK(largest_move(before, poses_of(sim)) < 1e-3);
        push(sim, "c0_head", Vec3d::zero());
        run(sim, 1);
        CHECK(largest_move(before, poses_of(sim)) < 1e-2);
    }
}

TEST_CASE("impulse sleeping: what is hit wakes in time to take its share of the momentum") {
    // Without weight: a ball of 1 kg meets one of 3 kg that sleeps, along the line through both centres, and
    // stays with it: both go on at a quarter of the speed.
    const auto model = model_of(R"(<mujoco><option gravity="0 0 0"/><worldbody>
        <body name="ball"><freejoint name="ball"/><geom size="0.1" mass="1"/></body>
        <body name="target" pos="3 0 0"><freejoint name="target"/><geom size="0.1" mass="3"/></body>
      </worldbody></mujoco>)");
    for (const char* solver : {"split-step", "soft-step", "classic"}) {
        CAPTURE(solver);
        Simulation sim(model, sleeping_options(solver));
        set_velocity(sim, {2, 0, 0}, Vec3d::zero(), "ball");
        run(sim, 1);
        CHECK(sim.step(frame).sleeping == 1);
        run(sim, 1);
        CHECK(velocity_of(sim, "ball").x == doctest::Approx(0.5).epsilon(1e-9));
        CHECK(velocity_of(sim, "target").x == doctest::Approx(0.5).epsilon(1e-9));
    }
}

TEST_CASE("impulse sleeping: a ball wakes the stack that it falls on") {
    const auto model = model_of(stack_scene(R"(<body name="ball" pos="0.05 0.02 9"><freejoint name="ball"/>
        <geom size="0.1" mass="5"/></body>)"));
    Simulation sim(model, sleeping_options());
    REQUIRE(settle(sim, 5, 1.2));  // it falls for √(2 · 7.9 m/g) = 1.27 s
    const std::vector<Transformd> before = poses_of(sim);
    run(sim, 1);
    CHECK(largest_move(before, poses_of(sim)) > 0.2);
    int asleep = 0;
    run(sim, 10, frame, [&](const StepReport& report) { asleep = std::max(asleep, report.sleeping); });
    CHECK(asleep >= 5);
}

TEST_CASE("impulse sleeping: what the support does") {
    Simulation sim(model_of(moving_table), sleeping_options());
    // The ball rolls; it may take its time.
    while (sim.state().time < 5 && step_ok(sim, frame).sleeping < 2) {}
    const Vec3d box = position_of(sim, "box"), top = position_of(sim, "top");
    BaseMotion<double> table = sim.state().kinematic[0];
    SUBCASE("it goes away downwards: all fall freely") {
        table.acceleration.lin = {0, 0, -30};
        sim.set_kinematic(sim.model().kinematic_bodies[0], table);
        CHECK(step_ok(sim, frame).sleeping == 0);
        run(sim, 0.05 - frame);
        const double t = 0.05, fall = 0.5 * gravity * t * t;
        // Velocities before positions, in sub-steps of frame/8 at most.
        const double most = 0.5 * gravity * t * frame / 8 + 1e-4;
        CHECK(std::fabs(box.z - position_of(sim, "box").z - fall) < most);
        CHECK(std::fabs(top.z - position_of(sim, "top").z - fall) < most);
    }
    SUBCASE("it is somewhere else: all fall freely") {
        table.pos = {3, 0, 0.3};
        sim.set_kinematic(sim.model().kinematic_bodies[0], table);
        CHECK(step_ok(sim, frame).sleeping == 0);
        // Up to what box and top still press on each other with.
        CHECK(velocity_of(sim, "box").z == doctest::Approx(-gravity * frame).epsilon(1e-3));
    }
    SUBCASE("it carries them along slowly") {
        table.acceleration.lin = {0.01, 0, 0};
        sim.set_kinematic(sim.model().kinematic_bodies[0], table);
        CHECK(step_ok(sim, frame).sleeping == 0);
        run(sim, 1 - frame, frame, [](const StepReport& report) { CHECK(report.sleeping == 0); });
        CHECK(position_of(sim, "top").x - top.x == doctest::Approx(0.005).epsilon(0.02));
    }
    SUBCASE("a body that carries is pulled from under another") {
        push(sim, "box", {0, 60, 0});
        CHECK(step_ok(sim, frame).sleeping == 0);
    }
}

TEST_CASE("impulse sleeping: drives sleep with a constant control and follow another one") {
    const auto model = model_of(R"(<mujoco><worldbody>
        <body name="arm"><joint name="arm" axis="0 1 0" damping="0.2" armature="0.01" frictionloss="0.05"/>
          <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/></body>
        <body pos="0 3 0"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/></body>
      </worldbody><actuator>
        <position joint="arm" kp="40" kv="4"/>
        <general joint="arm" dyntype="filter" dynprm="0.02" gainprm="1"/>
      </actuator></mujoco>)");
    Simulation sim(model, sleeping_options());
    sim.inputs().ctrl[0] = 0.5;
    REQUIRE(settle(sim, 1, 5));  // beside it a pendulum that never rests
    const double q = sim.state().q[0];
    run(sim, 1, frame, [&](const StepReport& report) {
        CHECK(report.sleeping == 1);
        CHECK(sim.state().q[0] == q);
    });
    sim.inputs().ctrl[0] = -0.5;
    CHECK(step_ok(sim, frame).sleeping == 0);
    REQUIRE(settle(sim, 1, 15));
    CHECK(sim.state().q[0] < q - 0.8);
    // Activations that still change are no constant force.
    sim.inputs().ctrl[1] = 2;
    CHECK(step_ok(sim, frame).sleeping == 0);
    CHECK(step_ok(sim, frame).sleeping == 0);
    // Driven to a pose, nothing sleeps.
    REQUIRE(settle(sim, 1, 25));
    sim.drive_to_pose(sim.state().q, {}, 2, 1, 10);
    run(sim, 1, frame, [](const StepReport& report) { CHECK(report.sleeping == 0); });
}

TEST_CASE("impulse sleeping: restored simulations go on bit for bit, asleep or about to sleep") {
    const std::shared_ptr<const Model> models[] = {model_of(stack_scene()), pile(2, 2),
                                                   model_of(moving_table)};
    for (const auto& model : models) {
        Simulation sim(model, sleeping_options());
        int slept = 0;
        Simulation other(model, sleeping_options());
        bool restored = false;
        for (int k = 0; k < 500; ++k) {
            const int before = slept;
            slept = step_ok(sim, frame).sleeping;
            if (restored) {
                REQUIRE(step_ok(other, frame).sleeping == slept);
                if (k % 5 == 0) REQUIRE(same_bits(sim, other));
            }
            // Every quarter of a second, so within the half before; and when any have just fallen asleep.
            if (k % 15 == 0 || slept > before) {
                other.restore(sim.save());
                restored = true;
            }
        }
        REQUIRE(slept > 0);
        // Woken by the same touch.
        for (Simulation* each : {&sim, &other})
            each->inputs().xfrc_applied.back() = {Vec3d::zero(), {1, 0, 0}};
        for (int k = 0; k < 30; ++k) {
            step_ok(sim, frame);
            step_ok(other, frame);
            REQUIRE(same_bits(sim, other));
        }
        // Without the option the snapshot is as good, and nobody sleeps.
        SimulationOptions awake = sleeping_options();
        awake.impulse.sleeping = false;
        Simulation third(model, awake);
        third.restore(sim.save());
        CHECK(step_ok(third, frame).sleeping == 0);
    }
}

TEST_CASE("impulse sleeping: until somebody sleeps, the option changes no bit") {
    const auto model = pile(3, 0);
    SimulationOptions options = sleeping_options();
    Simulation with(model, options);
    options.impulse.sleeping = false;
    Simulation without(model, options);
    int steps = 0;
    while (steps < 240 && step_ok(with, frame).sleeping == 0) {
        CHECK(step_ok(without, frame).sleeping == 0);
        REQUIRE(same_bytes(with.state().q, without.state().q));
        REQUIRE(same_bytes(with.state().v, without.state().v));
        ++steps;
    }
    CHECK(steps > 120);
}
