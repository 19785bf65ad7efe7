// After warm-up a step does not allocate. The global operator new of this whole program counts.

#include "support/allocation_counter.h"
#include "support/simulation_scenes.h"

#include <ligament/kinematic_paths.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

// Steps that allocate, of `count` after warm-up, and the last of these.
struct Allocating {
    int steps = 0, last = -1;
    long allocations = 0;
};

Allocating count_steps(Simulation& sim, double dt, int warm_up, int count) {
    for (int k = 0; k < warm_up; ++k) sim.step(dt);
    Allocating result;
    for (int k = 0; k < count; ++k) {
        StepReport report;
        const long made = count_allocations([&] { report = sim.step(dt); });
        REQUIRE(report.where == "");
        if (made == 0) continue;
        ++result.steps;
        result.last = k;
        result.allocations += made;
    }
    return result;
}

std::shared_ptr<const Model> chain(int links) {
    std::string xml = "<mujoco><worldbody>", end;
    for (int k = 0; k < links; ++k) {
        xml +=
            "<body pos='" + std::string(k == 0 ? "0" : "0.2") +
            " 0 0'><joint type='ball'/><geom type='capsule' size='0.02' fromto='0 0 0 0.2 0 0' contype='0' "
            "conaffinity='0'/>";
        end += "</body>";
    }
    return model_of(xml + end + "</worldbody></mujoco>");
}

}  // namespace

TEST_CASE("allocation: smooth motion, loops, callbacks and applied forces") {
    {
        Simulation sim(chain(20));
        CHECK(count_steps(sim, 1.0 / 60, 2, 60).steps == 0);
    }
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model_of(four_bar), {.stepping = stepping});
        sim.inputs().ctrl[0] = 0.5;
        // Impulses that sweeps do not find soon are left to another solver, which allocates the first time.
        const Allocating made = count_steps(sim, 0.01, 60, 100);
        CAPTURE(made.last);
        CHECK(made.steps == 0);
    }
    {
        Simulation sim(model_of(four_bar));
        double sum = 0;
        const std::array<double, 16> much{};  // more than std::function holds in itself
        sim.callbacks.control = [&sum, much](const JointState<double>& state, SmoothDynamics& inputs) {
            inputs.ctrl[0] = std::sin(state.time) + much[3];
            inputs.xfrc_applied[1].lin.x = 0.1;
            sum += state.q[0];
        };
        sim.callbacks.contacts = [](const Simulation&, std::span<const ContactEvent>) {};
        CHECK(count_steps(sim, 0.01, 2, 100).steps == 0);
    }
}

TEST_CASE("allocation: constraints between two bodies, and a loop that closes gradually") {
    const char* const text = R"(<mujoco><worldbody>
      <body name="disk" pos="0 0 0.4" euler="90 0 0"><freejoint/><geom type="cylinder" size="0.4 0.01"
        contype="0"/></body>
      <body name="a" pos="3 0 0"><joint/><geom size="0.1" pos="0.2 0 0" contype="0"/>
        <body name="b" pos="1 0 0"><joint/><geom size="0.1" pos="0.2 0 0" contype="0"/></body></body>
      <body name="c"><joint/><geom size="0.1" contype="0"/></body>
      <body name="d"><joint/><geom size="0.1" contype="0"/></body>
      <body name="bob" pos="6 0 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
        <geom size="0.1" contype="0"/></body>
      <body name="crank" pos="9 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.2 0 0" contype="0"/></body>
      </worldbody><equality><rolling_disk body2="disk" radius="0.4"/><gear body1="c" body2="d" ratio="-2"/>
      <curve body2="bob" pos1="5 0 0" axis1="0 1 0" shape="ellipse" size="1 2"/>
      <prescribed body2="crank" pos1="9 0 0" rywave="1 0.5"/>
      <loop type="ball" body1="b" pos1="0.5 0 0" pos2="3.5 1.2 0" closingtime="0.4"/></equality></mujoco>)";
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        Simulation sim(model_of(text), {.stepping = stepping});
        const StepReport first = sim.step(0.005);
        CHECK(first.where == "");
        const Allocating made = count_steps(sim, 0.005, 2, 100);
        CAPTURE(made.last);
        CHECK(made.steps == 0);
        CHECK(sim.state().time > 0.5);
    }
}

TEST_CASE("allocation: a character at rest") {
    Simulation sim(character());
    sim.callbacks.contacts = [](const Simulation&, std::span<const ContactEvent>) {};
    CHECK(count_steps(sim, 1.0 / 60, 400, 100).steps == 0);
}

// While it falls, contacts come and go: once their greatest number has been met, nothing is left to allocate.
// So it falls the same way again and again.
TEST_CASE("allocation: a character and a driven walker that move") {
    struct Case {
        std::shared_ptr<const Model> model;
        double dt;
        bool driven;
    };
    for (const Case& c : {Case{character(), 1.0 / 60, false}, Case{character(), 1.0 / 60, true},
                          Case{model_of(walker), 0.005, false}, Case{model_of(moving_table), 0.01, false}}) {
        Simulation sim(c.model);
        sim.callbacks.contacts = [](const Simulation&, std::span<const ContactEvent>) {};
        for (double& u : sim.inputs().ctrl) u = 0.3;
        if (c.driven) sim.drive_to_pose(sim.state().q, {}, 4, 1, 40);
        const Snapshot start = sim.save();
        for (int round = 0; round < 2; ++round) {  // twice, for what going back itself needs
            for (int k = 0; k < 150; ++k) sim.step(c.dt);
            sim.restore(start);
        }
        const Allocating made = count_steps(sim, c.dt, 0, 150);
        CAPTURE(made.allocations);
        CAPTURE(made.last);
        CHECK(made.steps == 0);
    }
}

TEST_CASE("allocation: asking for reactions allocates the first time only") {
    Simulation sim(model_of(walker));
    for (int k = 0; k < 60; ++k) sim.step(0.005);
    std::vector<Force<double>> joints(sim.model().bodies.size()), loops(sim.model().loops.size());
    std::vector<double> limits(sim.model().nv);
    const auto ask = [&] {
        sim.joint_reactions(joints);
        sim.loop_reactions(loops);
        sim.limit_forces(limits);
        sim.energy();
    };
    ask();
    CHECK(count_allocations(ask) == 0);
}

TEST_CASE("allocation: bodies on paths, and the forces of bushings") {
    const auto model = model_of(R"(<mujoco><worldbody><body name="hand" mocap="true"/>
      <body name="bob"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/></body></worldbody>
      <force><bushing body1="hand" body2="bob" stiffness="50" damping="2" turnstiffness="1"/></force>
      </mujoco>)");
    const KinematicPaths paths(*model, {{0, 1, 2}, {{1, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}}}});
    Simulation sim(model);
    paths.start(sim);
    std::vector<Force<double>> forces(1);
    const auto step = [&] {
        paths.lead(sim, 0.01);
        sim.step(0.01);
        sim.bushing_forces(forces);
    };
    for (int k = 0; k < 20; ++k) step();
    CHECK(count_allocations([&] {
              for (int k = 0; k < 50; ++k) step();
          }) == 0);
}

// Contacts that were restored have just the room that they need; workspaces that take turns must come to rest
// again.
TEST_CASE("allocation: after a restore in a new simulation") {
    Simulation first(model_of(moving_table));
    for (int k = 0; k < 60; ++k) first.step(0.01);
    Simulation sim(model_of(moving_table));
    sim.restore(first.save());
    CHECK(count_steps(sim, 0.01, 60, 60).steps == 0);
}

TEST_CASE("allocation: joints that follow a clip") {
    const auto model = character();
    const int keys[] = {model->find_keyframe("drop"), model->find_keyframe("tumble")};
    const double times[] = {0, 2};
    const MotionClip clip(*model, keyframe_samples(*model, keys, times), ClipEnds::loop);
    for (const TrackingMethod method : {TrackingMethod::acceleration, TrackingMethod::pd}) {
        Simulation sim(model, {.stepping = Stepping::velocity});
        sim.reset(keys[0]);
        sim.track(clip, {.method = method, .torque_limit = 50, .limp = {{0.3, 0.4}}});
        const Snapshot start = sim.save();
        for (int round = 0; round < 2; ++round) {
            for (int k = 0; k < 200; ++k) sim.step(1.0 / 240);
            sim.restore(start);
        }
        const Allocating made = count_steps(sim, 1.0 / 240, 0, 200);
        CAPTURE(made.last);
        CHECK(made.steps == 0);
    }
}

namespace {

// From event to event, the same way again and again.
struct EventAllocating {
    int steps = 0, steps_without_fallback = 0;
};
EventAllocating count_event_steps(std::shared_ptr<const Model> model, double dt, int count) {
    Simulation sim(std::move(model), {.stepping = Stepping::event});
    sim.callbacks.contacts = [](const Simulation&, std::span<const ContactEvent>) {};
    for (double& u : sim.inputs().ctrl) u = 0.3;
    const Snapshot start = sim.save();
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < count; ++k) sim.step(dt);
        sim.restore(start);
    }
    EventAllocating result;
    for (int k = 0; k < count; ++k) {
        StepReport report;
        const long made = count_allocations([&] { report = sim.step(dt); });
        REQUIRE(was_taken(report));
        if (made == 0) continue;
        ++result.steps;
        if (k > 0 && report.fallbacks == 0) ++result.steps_without_fallback;
    }
    return result;
}

}  // namespace

TEST_CASE("allocation: from event to event, where nothing is touched") {
    CHECK(count_event_steps(chain(20), 1.0 / 60, 30).steps == 0);
    CHECK(count_event_steps(model_of(four_bar), 0.01, 60).steps == 0);
}
TEST_CASE("allocation: from event to event, in contact") {
    CHECK(count_event_steps(model_of(moving_table), 0.01, 60).steps == 0);
    CHECK(count_event_steps(model_of(walker), 0.01, 60).steps_without_fallback == 0);
    CHECK(count_event_steps(character(), 0.01, 60).steps_without_fallback == 0);
}
// The first step of the character after a restore allocates once; fallbacks do for their message, every time.
TEST_CASE("allocation: from event to event, with fallbacks" * doctest::should_fail()) {
    CHECK(count_event_steps(model_of(walker), 0.01, 60).steps == 0);
    CHECK(count_event_steps(character(), 0.01, 60).steps == 0);
}
