// Scenes that are edited while they run.

#include "support/random_values.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace lig;
using namespace lig::test;

namespace {

void run(Simulation& sim, double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        REQUIRE((report.status == StepStatus::ok || report.status == StepStatus::not_converged));
    }
}

std::string box(const std::string& name, const std::string& pos) {
    const std::string named = name.empty() ? "" : " name='" + name + "'";
    return "<body" + named + " pos='" + pos + "'><freejoint" + named +
           "/><geom type='box' size='0.1 0.1 0.1'/></body>";
}
std::string on_floor(const std::string& bodies, const std::string& rest = "") {
    return "<mujoco><worldbody><geom name='floor' type='plane' size='5 5 1'/>" + bodies + "</worldbody>" +
           rest + "</mujoco>";
}
// Five boxes on each other, a little askew.
std::string stack() {
    std::string out;
    for (int k = 0; k < 5; ++k)
        out += box("box" + std::to_string(k),
                   (k % 2 ? "0.01" : "0") + std::string(" 0 ") + std::to_string(0.1 + 0.2 * k));
    return out;
}

double fastest(const Simulation& sim, const std::string& prefix) {
    double most = 0;
    for (const Model::Joint& joint : sim.model().joints)
        if (joint.name.starts_with(prefix))
            for (int k = 0; k < joint.nv; ++k)
                most = std::max(most, std::abs(sim.state().v[joint.v_adr + k]));
    return most;
}

std::vector<double> q_of(const Simulation& sim, const char* joint) {
    const Model::Joint& j = sim.model().joints[sim.model().find_joint(joint)];
    return {sim.state().q.begin() + j.q_adr, sim.state().q.begin() + j.q_adr + j.nq};
}
std::vector<double> v_of(const Simulation& sim, const char* joint) {
    const Model::Joint& j = sim.model().joints[sim.model().find_joint(joint)];
    return {sim.state().v.begin() + j.v_adr, sim.state().v.begin() + j.v_adr + j.nv};
}

double total_impulse(const Simulation& sim) {
    double sum = 0;
    for (const Contact& contact : sim.contacts().contacts) sum += dot(contact.impulse, contact.normal);
    return sum;
}

}  // namespace

TEST_CASE("recompile: a stack does not stir when a box is put beside it, and one is taken away") {
    Simulation sim(model_of(on_floor(stack())));
    run(sim, 1.0 / 60, 120);
    double before = 0;
    for (int k = 0; k < 60; ++k) {
        run(sim, 1.0 / 60, 1);
        before = std::max(before, fastest(sim, "box"));
    }
    const double impulse = total_impulse(sim), time = sim.state().time;
    REQUIRE(before < 1e-3);
    REQUIRE(impulse > 0);
    const std::vector<double> top = q_of(sim, "box4");

    // In front of the others in the file, so that all indices move; the floor stays the first geom.
    sim.recompile(scene_of(on_floor(box("new", "1 0 0.3") + stack())), sim.save());
    CHECK(sim.model().bodies.size() == 7);
    CHECK(sim.state().time == time);
    CHECK(q_of(sim, "box4") == top);
    CHECK(q_of(sim, "new")[0] == 1);
    CHECK(total_impulse(sim) == doctest::Approx(impulse).epsilon(1e-12));
    double most = 0;
    bool still_touching = true;
    sim.callbacks.contacts = [&](const Simulation& s, std::span<const ContactEvent> events) {
        const int added = s.model().find_body("new");
        for (const ContactEvent& event : events)
            if (s.model().geoms[event.geom_a].body != added && s.model().geoms[event.geom_b].body != added)
                still_touching = still_touching && event.kind == ContactEventKind::persists;
    };
    for (int k = 0; k < 60; ++k) {
        run(sim, 1.0 / 60, 1);
        most = std::max(most, fastest(sim, "box"));
    }
    CHECK(most < 2 * std::max(before, 1e-5));
    CHECK(still_touching);  // nothing began anew
    CHECK(q_of(sim, "new")[2] == doctest::Approx(0.1).epsilon(1e-2));
    CHECK(length({q_of(sim, "box4")[0] - top[0], q_of(sim, "box4")[1] - top[1],
                  q_of(sim, "box4")[2] - top[2]}) < 1e-4);

    // The top box taken away: the others stay.
    std::string four = stack();
    four.resize(four.rfind("<body"));
    sim.recompile(scene_of(on_floor(four)), sim.save());
    CHECK(sim.model().find_body("box4") == -1);
    CHECK(sim.model().find_body("new") == -1);
    run(sim, 1.0 / 60, 30);
    CHECK(fastest(sim, "box") < 1e-3);
    for (const Manifold& manifold : sim.contacts().manifolds)
        CHECK(manifold.geom_b < static_cast<int>(sim.model().geoms.size()));
}

TEST_CASE("recompile: the same scene goes on bit for bit") {
    for (const char* xml : {four_bar, walker, moving_table}) {
        Simulation sim(model_of(xml)), twin(model_of(xml));
        for (Simulation* each : {&sim, &twin}) {
            for (double& u : each->inputs().ctrl) u = 0.4;
            each->inputs().xfrc_applied[1] = {{0, 0, 0.1}, {1, 2, 3}};
            each->inputs().qfrc_applied[0] = 0.2;
            if (xml == walker) each->drive_to_pose(each->state().q, {}, 3, 1, 5, std::vector<int>{3});
            run(*each, 0.01, 40);
        }
        sim.recompile(scene_of(xml), sim.save());
        CHECK(same_bits(sim, twin));
        run(sim, 0.01, 40);
        run(twin, 0.01, 40);
        CHECK(same_bits(sim, twin));
    }
}

TEST_CASE("recompile: a renamed body begins anew, as does one whose joint is another") {
    Simulation sim(model_of(on_floor(box("a", "0 0 1") + box("b", "1 0 1"))));
    run(sim, 0.01, 20);
    const std::vector<double> b = q_of(sim, "b");
    REQUIRE(b[2] < 0.99);
    sim.recompile(
        scene_of(on_floor("<body name='c' pos='0 0 1'><freejoint name='a'/><geom type='box' size='.1 .1 "
                          ".1'/></body>" +
                          box("b", "1 0 1"))),
        sim.save());
    CHECK(q_of(sim, "a")[2] == 1);
    CHECK(v_of(sim, "a")[2] == 0);
    CHECK(q_of(sim, "b") == b);
    sim.recompile(scene_of(on_floor(
                      "<body name='b' pos='1 0 1'><joint name='b' type='ball'/><geom size='.1'/></body>")),
                  sim.save());
    CHECK(q_of(sim, "b") == std::vector<double>{1, 0, 0, 0});
}

TEST_CASE("recompile: what has no name keeps its place among its kind") {
    const auto pendulum = [](const char* name, const char* pos, const char* damping) {
        return std::string("<body ") + name + " pos='" + pos + "'><joint axis='0 1 0' damping='" + damping +
               "'/><geom size='.1' pos='.5 0 0' contype='0'/></body>";
    };
    const std::string actuator = "<actuator><general joint='named' dyntype='integrator'/></actuator>";
    const std::string named =
        "<body name='x' pos='3 0 2'><joint name='named' axis='0 1 0'/><geom size='.1' pos='.5 0 "
        "0'/></body>";
    Simulation sim(
        model_of(on_floor(pendulum("", "0 0 2", "0") + pendulum("", "1 0 2", "5") + named, actuator)));
    sim.inputs().ctrl[0] = 0.5;
    run(sim, 0.01, 30);
    const JointState<double> before = sim.state();
    REQUIRE(before.act[0] > 0.1);
    // A named one in front and an unnamed one behind change nothing for the first two.
    sim.recompile(scene_of(on_floor(pendulum("name='first'", "5 0 2", "0") + pendulum("", "0 0 2", "0") +
                                        named + pendulum("", "1 0 2", "5") + pendulum("", "2 0 2", "0"),
                                    "<actuator><motor joint='named' name='other'/><general joint='named' "
                                    "dyntype='integrator'/></actuator>")),
                  sim.save());
    const JointState<double>& after = sim.state();
    CHECK(after.q == std::vector<double>{0, before.q[0], before.q[2], before.q[1], 0});
    CHECK(after.v == std::vector<double>{0, before.v[0], before.v[2], before.v[1], 0});
    CHECK(after.act == before.act);
    CHECK(sim.inputs().ctrl == std::vector<double>{0, 0.5});
}

TEST_CASE("recompile: kinematic bodies move on") {
    Simulation sim(model_of(moving_table));
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.velocity.lin = {0.1, 0, 0};
    sim.set_kinematic(sim.model().find_body("table"), motion);
    run(sim, 0.01, 30);
    std::string edited = moving_table;
    const std::string other = "<body name='mat' mocap='true' pos='3 0 1'><geom size='0.1'/></body>";
    edited.insert(edited.find("<body name=\"table\""), other);
    sim.recompile(scene_of(edited), sim.save());
    REQUIRE(sim.state().kinematic.size() == 2);
    CHECK(sim.state().kinematic[0].pos.x == 3);
    CHECK(sim.state().kinematic[1].velocity.lin.x == 0.1);
    CHECK(sim.state().kinematic[1].pos.x == doctest::Approx(0.03));
    run(sim, 0.01, 10);
    CHECK(sim.state().kinematic[1].pos.x == doctest::Approx(0.04));
}

TEST_CASE("recompile: a scene that fails, and a snapshot of something else, leave all as it was") {
    Simulation sim(model_of(on_floor(stack())));
    run(sim, 0.01, 10);
    const Snapshot good = sim.save();
    Scene broken = scene_of(on_floor(stack()));
    broken.add_joint({1}, {.name = "twice", .type = JointType::free});
    CHECK_THROWS_AS(sim.recompile(broken, good), InputError);
    Snapshot foreign = good;
    foreign.fingerprint ^= 1;
    CHECK_THROWS_AS(sim.recompile(scene_of(on_floor(stack())), foreign), std::invalid_argument);
    Snapshot damaged = good;
    damaged.impulses.pop_back();
    CHECK_THROWS_AS(sim.recompile(scene_of(on_floor(stack())), damaged), std::invalid_argument);
    CHECK(same_bytes(sim.save().to_bytes(), good.to_bytes()));
    run(sim, 0.01, 5);

    // From within a step it is refused, and that step does not happen.
    const Snapshot later = sim.save();
    sim.callbacks.contacts = [&](const Simulation&, std::span<const ContactEvent>) {
        sim.recompile(scene_of(on_floor("")), sim.save());
    };
    const StepReport report = sim.step(0.01);
    CHECK(report.status == StepStatus::callback_failed);
    CHECK(report.where.find("by a callback") != std::string::npos);
    CHECK(same_bytes(sim.save().to_bytes(), later.to_bytes()));
    sim.callbacks.contacts = {};
    run(sim, 0.01, 5);
}
