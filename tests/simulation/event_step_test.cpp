// Steps from event to event as such: bounds and statuses, the same bits each time, what is told of forces
// afterwards, and that other ways to step come to the same motion as their frames get shorter.

#include "core/length.h"
#include "support/event_runs.h"
#include "support/simulation_cases.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// A ball between two walls 1 mm from it on either side, at 100 m/s: 833 elastic impacts in a frame.
const char* const rattling_ball = R"(<mujoco><option gravity="0 0 0"/>
  <default><geom restitution="1"/></default><worldbody>
  <geom type="box" size="0.5 1 1" pos="-0.611 0 0"/><geom type="box" size="0.5 1 1" pos="0.611 0 0"/>
  <body><freejoint name="root"/><geom size="0.11"/></body></worldbody></mujoco>)";

}  // namespace

TEST_CASE("event: more events than allowed end in velocity steps, and the status says so") {
    for (const int most : {1, 20, 400}) {
        CAPTURE(most);
        SimulationOptions options = by_events(1e-7);
        options.event.max_events = most;
        Simulation sim(model_of(rattling_ball), options);
        set_velocity(sim, {100, 0, 0});
        const double energy = sim.energy().kinetic;
        for (int k = 1; k <= 5; ++k) {
            const StepReport report = sim.step(frame);
            if (k == 1) {
                CHECK(name_of(report.status) == "too_many_events");
                const std::string why = "more than " + std::to_string(most) + " events";
                CHECK(report.where.find(why) != std::string::npos);
                CHECK(report.fallbacks >= 1);
                CHECK(report.fallback.find("velocity steps: ") == 0);
            }
            CHECK(was_taken(report));
            CHECK(report.events <= most + 1);
            CHECK(report.impacts <= report.events);
            CHECK(std::abs(report.time - k * frame) < 1e-12);
            CHECK(report.time == sim.state().time);
            for (const double q : sim.state().q) REQUIRE(std::isfinite(q));
            for (const double v : sim.state().v) REQUIRE(std::isfinite(v));
            CHECK(sim.energy().kinetic <= energy * (1 + 1e-9));
            CHECK(std::abs(position_of(sim).x) < 1.001e-3);
        }
    }
}

TEST_CASE("event: as many events as are needed, if they are allowed") {
    SimulationOptions options = by_events(1e-7);
    options.event.max_events = 1000;
    Simulation sim(model_of(rattling_ball), options);
    set_velocity(sim, {10, 0, 0});
    const StepReport report = step_ok(sim, frame);
    // 10 m/s: 1 mm at first, then every 2 mm.
    const int expected = static_cast<int>(std::floor((10 * frame - 0.001) / 0.002)) + 1;
    CHECK(report.impacts == expected);
    CHECK(report.fallbacks == 0);
    CHECK(report.fallback.empty());
    CHECK(std::abs(std::abs(velocity_of(sim).x) - 10) < 1e-12);
}

TEST_CASE("event: options are checked, and a failure leaves everything as it was") {
    SimulationOptions options = by_events();
    options.event.max_events = 0;
    CHECK_THROWS_AS(Simulation(model_of(walker), options), std::invalid_argument);
    Simulation sim(model_of(walker), by_events(1e-6));
    for (int k = 0; k < 60; ++k) REQUIRE(was_taken(sim.step(0.005)));
    const std::vector<std::byte> before = sim.save().to_bytes();
    sim.inputs().ctrl[0] = std::nan("");
    const StepReport report = sim.step(0.005);
    CHECK(report.status == StepStatus::non_finite);
    sim.inputs().ctrl[0] = 0;
    CHECK(same_bytes(sim.save().to_bytes(), before));
    sim.callbacks.control = [](const JointState<double>&, SmoothDynamics&) {
        throw std::runtime_error("no");
    };
    CHECK(sim.step(0.005).status == StepStatus::callback_failed);
    CHECK(same_bytes(sim.save().to_bytes(), before));
    sim.callbacks.control = nullptr;
    CHECK(was_taken(sim.step(0.005)));
}

namespace {

using Case = SimulationCase;

std::vector<Case> cases() {
    std::vector<Case> out;
    out.push_back({"character", character(), 1.0 / 60, 30, 6});
    out.push_back({"four-bar", model_of(four_bar), 0.01, 30, 30,
                   [](Simulation& sim) { sim.inputs().ctrl[0] = 0.7; }});
    out.push_back({"walker", model_of(walker), 0.005, 60, 20,
                   [](Simulation& sim) { sim.inputs().ctrl = {0.3, -0.4, 0.5, 0.2}; }});
    out.push_back({"driven walker", model_of(walker), 0.005, 60, 20, [](Simulation& sim) {
                       sim.drive_to_pose(sim.state().q, {}, 3, 0.8, 30);
                   }});
    out.push_back({"moving table", model_of(moving_table), 0.01, 30, 20, move_table});
    return out;
}

}  // namespace

TEST_CASE("event: the same bits again, after a restore in the middle of contact, with any threads") {
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        SimulationOptions options = by_events(1e-7);
        Simulation sim(c.model, options);
        c.prepare(sim);
        take_steps(sim, c.dt, c.before);
        const Snapshot saved = sim.save();
        take_steps(sim, c.dt, c.after);
        const std::vector<std::byte> end = sim.save().to_bytes();
        sim.restore(saved);
        take_steps(sim, c.dt, c.after);
        CHECK(same_bytes(sim.save().to_bytes(), end));
        options.threads = 2;
        Simulation other(c.model, options);
        other.restore(Snapshot::from_bytes(saved.to_bytes()));
        take_steps(other, c.dt, c.after);
        CHECK(same_bytes(other.save().to_bytes(), end));
        Simulation fresh(c.model, options);
        c.prepare(fresh);
        take_steps(fresh, c.dt, c.before + c.after);
        CHECK(same_bytes(fresh.save().to_bytes(), end));
    }
}

// --- forces ------------------------------------------------------------------------------------------------

// A box on a box on the floor, off its middle.
TEST_CASE("event: contacts carry the weight of what rests on them") {
    Simulation sim(model_of(R"(<mujoco><worldbody><geom type="plane" size="0 0 1"/>
      <body name="low" pos="0 0 0.1"><freejoint name="low"/>
        <geom type="box" size="0.2 0.2 0.1" mass="3"/></body>
      <body name="high" pos="0.05 0.02 0.28"><freejoint name="high"/>
        <geom type="box" size="0.1 0.1 0.08" mass="2"/></body>
      </worldbody></mujoco>)"),
                   by_events());
    run(sim, 0.5);
    CHECK(sim.contact_time() == 1);
    CHECK(off(contact_force_on(sim, 2).z, 2 * gravity) < 1e-6);
    CHECK(off(contact_force_on(sim, 1).z, 3 * gravity) < 1e-6);  // five from below, two from above
    Vec3d moment = Vec3d::zero();
    double weight = 0;
    const Contacts& all = sim.contacts();
    for (const Manifold& manifold : all.manifolds) {
        if (sim.model().geoms[manifold.geom_a].body != 0 && sim.model().geoms[manifold.geom_b].body != 0)
            continue;
        for (int k = manifold.begin; k < manifold.begin + manifold.count; ++k) {
            weight += std::abs(all.contacts[k].impulse.z);
            moment += std::abs(all.contacts[k].impulse.z) * all.contacts[k].on_a;
        }
    }
    CHECK(off(weight, 5 * gravity) < 1e-6);
    // Where they act: below the common centre of mass.
    CHECK(std::abs(moment.x / weight - 2 * 0.05 / 5) < 1e-6);
    CHECK(std::abs(moment.y / weight - 2 * 0.02 / 5) < 1e-6);
}

namespace {

// A pendulum that falls from `start` onto its lower limit of 10° and hangs there: what the limit and the
// hinge carry.
void check_limit_forces(double start) {
    CAPTURE(start);
    Simulation sim(model_of(R"(<mujoco><worldbody><body><joint name="pivot" axis="0 -1 0" range="10 60"
      limited="true"/><geom size="0.05" pos="0 0 -1" mass="2"/></body></worldbody></mujoco>)"),
                   by_events());
    JointState<double> state = sim.state();
    state.q[0] = start;
    sim.set_state(state);
    run(sim, 2);
    const double angle = 10 * std::numbers::pi / 180;
    CHECK(std::abs(sim.state().q[0] - angle) < 1e-7);
    std::vector<double> limits(1);
    sim.limit_forces(limits);
    CHECK(off(limits[0], 2 * gravity * std::sin(angle)) < 1e-6);
    std::vector<Force<double>> reactions(sim.model().bodies.size());
    sim.joint_reactions(reactions);
    CHECK(off(reactions[1].lin.z, 2 * gravity) < 1e-6);
    CHECK(std::abs(reactions[1].lin.x) < 1e-6);
    // About −y as the joint turns.
    CHECK(off(-reactions[1].ang.y, 2 * gravity * std::sin(angle)) < 1e-6);
}

}  // namespace

// After a fall the limit may be 3e-17 rad off.
TEST_CASE("event: reactions of joints and forces of limits") {
    for (const double start : {10 * std::numbers::pi / 180, 0.3, 0.4, 0.5, 0.6}) check_limit_forces(start);
}
TEST_CASE("event: the weight of 20 balls that fell from different heights") {
    std::string xml = "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='0 0.7 0'/>";
    for (int k = 0; k < 20; ++k)
        xml += "<body pos='0 " + std::to_string(k) + " " + std::to_string(0.11 + 0.0137 * k) +
               "'><joint type='slide' axis='0 0 1'/><geom size='" + std::to_string(0.1 - 0.001 * k) +
               "' mass='1' friction='0 0 0'/></body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"), by_events());
    run(sim, 1);
    for (int k = 0; k < 20; ++k) {
        CAPTURE(k);
        CHECK(std::abs(sim.state().v[k]) < 1e-9);
        CHECK(off(contact_force_on(sim, k + 1).z, gravity) < 1e-6);
    }
}

// --- the same motion as by velocity steps, in the limit ----------------------------------------------------

namespace {

// How far two simulations are apart after half a second, in coordinates.
double apart(const Simulation& a, const Simulation& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.state().q.size(); ++k)
        most = std::max(most, std::abs(a.state().q[k] - b.state().q[k]));
    return most;
}

void check_same_limit(const std::string& xml, const Vec3d& velocity) {
    Simulation events(model_of(xml), by_events());
    set_velocity(events, velocity);
    run(events, 0.5);
    for (const Stepping stepping : {Stepping::automatic, Stepping::velocity}) {
        double before = 0;
        for (const int frames : {30, 120, 480}) {
            Simulation sim(model_of(xml), {.stepping = stepping});
            set_velocity(sim, velocity);
            run(sim, 0.5, 0.5 / frames);
            const double now = apart(sim, events);
            MESSAGE(frames << " frames: apart by " << now);
            if (frames == 480) {
                // Of the first order: a quarter of what it was.
                CHECK(now < 0.3 * before);
                CHECK(now > 0.2 * before);
            }
            before = now;
        }
        CHECK(before < 5e-3);
    }
}

}  // namespace

TEST_CASE("event: velocity steps come to the same motion as frames get shorter") {
    const std::string floor =
        "<mujoco><default><geom friction='0.3 0 0'/></default><worldbody><geom type='plane' "
        "size='0 0 1'/>";
    // A ball that comes to roll, a box that slides, and a ball that rolls down an incline.
    check_same_limit(floor +
                         "<body pos='0 0 0.1'><freejoint name='root'/><geom size='0.1'/></body></worldbody>"
                         "</mujoco>",
                     {2, 1, 0});
    check_same_limit(floor +
                         "<body pos='0 0 0.1'><freejoint name='root'/><geom type='box' size='0.2 0.2 0.1'/>"
                         "</body></worldbody></mujoco>",
                     {2, 1, 0});
    check_same_limit(
        "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='0 30 0'/><body pos='0.05 0 "
        "0.08660254037844387'><freejoint name='root'/><geom size='0.1'/></body></worldbody></mujoco>",
        {0, 0.5, 0});
}
