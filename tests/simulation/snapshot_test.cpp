// Saved, run, restored, run again: the same bits, whatever a model has to remember.

#include "support/simulation_cases.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

using namespace lig;
using namespace lig::test;

namespace {

using Case = SimulationCase;

std::vector<Case> cases() {
    std::vector<Case> out;
    out.push_back({"character", character(), 1.0 / 60, 50, 40, throw_character});
    out.push_back({"four-bar", model_of(four_bar), 0.01, 60, 60, push_four_bar});
    out.push_back({"walker", model_of(walker), 0.005, 100, 100, push_walker});
    out.push_back({"driven character", character(), 1.0 / 60, 40, 40, [](Simulation& sim) {
                       const std::vector<double> all = sim.state().q;
                       sim.drive_to_pose(all, {}, 4, 1, 50);
                       sim.release_drives();
                       sim.drive_to_pose(all, {}, 3, 0.8, 30, std::vector<int>{1, 2, 3, 4, 5, 6});
                   }});
    out.push_back({"moving table", model_of(moving_table), 0.01, 40, 60, [](Simulation& sim) {
                       BaseMotion<double> motion = sim.state().kinematic[0];
                       motion.velocity.lin = {0.1, 0, 0.05};
                       motion.velocity.ang = {0, 0, 0.3};
                       motion.acceleration.lin = {0.2, 0, 0};
                       sim.set_kinematic(sim.model().find_body("table"), motion);
                   }});
    return out;
}

void run(Simulation& sim, double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        REQUIRE((report.status == StepStatus::ok || report.status == StepStatus::not_converged));
    }
}

}  // namespace

TEST_CASE("snapshot: continued in the same simulation, in another one, and from bytes, with any threads") {
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        Simulation sim(c.model);
        c.prepare(sim);
        run(sim, c.dt, c.before);
        const Snapshot saved = sim.save();
        const std::vector<double> contact_start = sim.state().v;
        run(sim, c.dt, c.after);
        const std::vector<std::byte> end = sim.save().to_bytes();
        REQUIRE_FALSE(same_bytes(contact_start, sim.state().v));

        sim.restore(saved);
        CHECK(same_bytes(sim.save().to_bytes(), saved.to_bytes()));
        run(sim, c.dt, c.after);
        CHECK(same_bytes(sim.save().to_bytes(), end));

        for (const int threads : {1, 2}) {
            CAPTURE(threads);
            Simulation other(c.model, {.threads = threads});
            other.restore(Snapshot::from_bytes(saved.to_bytes()));
            run(other, c.dt, c.after);
            CHECK(same_bytes(other.save().to_bytes(), end));
        }
        // From the beginning with two threads.
        Simulation threaded(c.model, {.threads = 2});
        c.prepare(threaded);
        run(threaded, c.dt, c.before + c.after);
        CHECK(same_bytes(threaded.save().to_bytes(), end));
    }
}

// So that the test above cannot pass for want of anything to keep.
TEST_CASE("snapshot: impulses matter and are there") {
    Simulation sim(model_of(moving_table));
    run(sim, 0.01, 60);
    const Snapshot saved = sim.save();
    REQUIRE(saved.impulse_time > 0);
    double weight = 0;
    for (const Contact& contact : sim.contacts().contacts) weight += std::abs(contact.impulse.z);
    CHECK(weight > 0);

    Snapshot forgetful = saved;
    forgetful.contacts.clear();
    Simulation other(model_of(moving_table));
    other.restore(forgetful);
    CHECK(other.contacts().contacts.empty());
    sim.step(0.01);
    other.step(0.01);
    CHECK_FALSE(same_bits(sim, other));  // a cold start takes another way to the same answer
}

TEST_CASE("snapshot: one of a state alone restores with nothing applied") {
    const auto model = model_of(walker);
    Simulation sim(model);
    run(sim, 0.005, 5);
    const JointState<double> state = sim.state();
    sim.inputs().ctrl[0] = 1;
    sim.inputs().qfrc_applied[2] = 1;
    sim.inputs().xfrc_applied[1].lin.x = 1;
    sim.restore(save(*model, state));
    CHECK(sim.inputs().ctrl[0] == 0);
    CHECK(sim.inputs().qfrc_applied[2] == 0);
    CHECK(sim.inputs().xfrc_applied[1].lin.x == 0);
    CHECK(sim.contacts().contacts.empty());
    CHECK(sim.contact_time() == 0);
}

TEST_CASE("snapshot: what does not fit is refused, and the simulation is as before") {
    Simulation sim(model_of(walker));
    run(sim, 0.005, 20);
    const Snapshot good = sim.save();
    const auto refused = [&](auto&& spoil, const char* why) {
        Snapshot bad = good;
        bad.time = 99;
        spoil(bad);
        CHECK_THROWS_WITH_AS(sim.restore(bad), doctest::Contains(why), std::invalid_argument);
        CHECK(same_bytes(sim.save().to_bytes(), good.to_bytes()));
    };
    refused([](Snapshot& s) { s.fingerprint ^= 1; }, "another model");
    refused([](Snapshot& s) { s.ctrl.pop_back(); }, "controls");
    refused([](Snapshot& s) { s.qfrc_applied.pop_back(); }, "applied forces");
    refused([](Snapshot& s) { s.xfrc_applied.pop_back(); }, "applied forces");
    refused([](Snapshot& s) { s.impulses.pop_back(); }, "impulses");
    refused([](Snapshot& s) { s.impulses[3] = NAN; }, "impulse");
    refused([](Snapshot& s) { s.impulse_time = -1; }, "impulses");
    refused([](Snapshot& s) { s.v[7] = NAN; }, "knee");
    refused([](Snapshot& s) { s.pose_targets = {1}; }, "pose targets");
    refused([](Snapshot& s) { s.contacts.pop_back(); }, "truncated");
    refused([](Snapshot& s) { s.bodies = {1, 2, 3}; }, "another formulation");
}

TEST_CASE("snapshot: reset is the beginning, bit for bit") {
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        Simulation sim(c.model), fresh(c.model);
        c.prepare(sim);
        run(sim, c.dt, 20);
        sim.reset();
        CHECK(same_bits(sim, fresh));
        run(sim, c.dt, 20);
        run(fresh, c.dt, 20);
        CHECK(same_bits(sim, fresh));
    }
}
