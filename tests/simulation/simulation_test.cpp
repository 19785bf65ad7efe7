// Simulations as users see them: keyframes, events, solvers, moves.

#include "simulation/contact_events.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

using namespace lig;
using namespace lig::test;

namespace {

using Kind = ContactEventKind;
using Told = std::vector<std::tuple<Kind, int, int>>;

Told told(std::span<const ContactEvent> events) {
    Told out;
    for (const ContactEvent& event : events) out.emplace_back(event.kind, event.geom_a, event.geom_b);
    return out;
}

void run(Simulation& sim, double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        REQUIRE(report.status == StepStatus::ok);
    }
}

}  // namespace

TEST_CASE("events: of a whole step from those of its sub-steps") {
    ContactEvents events;
    CHECK(events.collect().empty());
    // Pairs 0-1 … 0-6, three sub-steps.
    const std::vector<ContactEvent> first{{Kind::began, 0, 1},
                                          {Kind::persists, 0, 2},
                                          {Kind::ended, 0, 3},
                                          {Kind::began, 0, 5},
                                          {Kind::persists, 0, 6}};
    const std::vector<ContactEvent> second{{Kind::ended, 0, 1},
                                           {Kind::persists, 0, 2},
                                           {Kind::began, 0, 4},
                                           {Kind::persists, 0, 5},
                                           {Kind::ended, 0, 6}};
    const std::vector<ContactEvent> third{
        {Kind::persists, 0, 2}, {Kind::began, 0, 3}, {Kind::persists, 0, 4}, {Kind::persists, 0, 5}};
    events.add(first);
    events.add(second);
    events.add(third);
    CHECK(told(events.collect()) == Told{{Kind::began, 0, 1},
                                         {Kind::ended, 0, 1},
                                         {Kind::persists, 0, 2},
                                         {Kind::ended, 0, 3},
                                         {Kind::began, 0, 3},
                                         {Kind::began, 0, 4},
                                         {Kind::began, 0, 5},
                                         {Kind::ended, 0, 6}});
    events.clear();
    CHECK(events.collect().empty());
}

// A ball that bounces on a floor, with frames so long that it touches and leaves within one.
TEST_CASE("events: a touch within a step is told, once") {
    Scene scene = scene_of(R"(<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
      <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>)");
    for (int k = 0; k < 2; ++k) scene.geom({k}).restitution = 0.8;
    Simulation sim(compile(scene));
    int began = 0, ended = 0, calls = 0;
    sim.callbacks.contacts = [&](const Simulation& s, std::span<const ContactEvent> events) {
        CHECK(&s == &sim);
        ++calls;
        for (const ContactEvent& event : events) {
            CHECK(event.geom_a == 0);
            CHECK(event.geom_b == 1);
            if (event.kind == Kind::began) ++began;
            if (event.kind == Kind::ended) ++ended;
        }
        CHECK(events.size() <= 2);
        CHECK(began >= ended);
        CHECK(began <= ended + 1);
    };
    // It falls 0.9 m: the bounces are at 0.43, 1.11, 1.66, 2.10 and 2.45 s.
    run(sim, 0.1, 24);
    CHECK(calls == 24);
    CHECK(began == 4);
    CHECK(ended == 4);
}

TEST_CASE("simulation: keyframes with their controls, and moving one away") {
    const std::string key =
        "<keyframe><key name='squat' time='2' qpos='0 0 0.6 1 0 0 0 .5 1 .5 1' "
        "ctrl='.1 .2 .3 .4' act='.5 .6'/></keyframe></mujoco>";
    std::string xml = walker;
    xml.replace(xml.find("</mujoco>"), 9, key);
    Simulation sim(model_of(xml));
    run(sim, 0.005, 20);
    sim.reset(0);
    CHECK(sim.state().time == 2);
    CHECK(sim.state().q[7] == 0.5);
    CHECK(sim.state().act == std::vector<double>{0.5, 0.6});
    CHECK(sim.inputs().ctrl == std::vector<double>{0.1, 0.2, 0.3, 0.4});
    CHECK(sim.contacts().contacts.empty());

    Simulation twin(model_of(xml));
    twin.reset(0);
    Simulation moved = std::move(twin);
    CHECK(moved.model().nu == 4);
    run(sim, 0.005, 20);
    run(moved, 0.005, 20);
    CHECK(same_bits(sim, moved));
    twin = std::move(moved);
    run(sim, 0.005, 5);
    run(twin, 0.005, 5);
    CHECK(same_bits(sim, twin));
}

// A spring made by a callback: x = x₀ cos ωt, if it is asked at every state that forces are computed for.
TEST_CASE("simulation: callbacks see the state that forces are computed for, and what they set acts") {
    Simulation sim(model_of("<mujoco><worldbody><body name='b'><joint name='j' type='slide' axis='1 0 0'/>"
                            "<geom size='0.1' mass='2'/></body></worldbody>"
                            "<actuator><motor joint='j'/></actuator></mujoco>"),
                   {.tolerance = 1e-10});
    JointState<double> state = sim.state();
    state.q[0] = 0.3;
    sim.set_state(state);
    sim.callbacks.control = [](const JointState<double>& at, SmoothDynamics& inputs) {
        inputs.ctrl[0] = -50 * at.q[0];
        inputs.xfrc_applied[1].lin.x = -22 * at.q[0];
    };
    run(sim, 0.05, 40);
    CHECK(std::abs(sim.state().q[0] - 0.3 * std::cos(6 * 2.0)) < 1e-8);
}

// One problem, all solvers: the velocities agree to the accuracy that was asked for.
TEST_CASE("simulation: solvers of impulses agree") {
    std::string frictionless = moving_table;
    frictionless.erase(frictionless.find(" condim=\"6\""), 11);
    for (std::size_t at = 0; (at = frictionless.find("<geom ", at)) != std::string::npos; at += 6)
        frictionless.insert(at + 6, "condim='1' ");
    const auto final_velocities = [](const std::string& xml, const char* solver, int steps) {
        const bool six_rows = std::string_view(solver) == "lemke";
        Simulation sim(model_of(xml), {.stepping = Stepping::velocity,
                                       .friction = six_rows ? FrictionLaw::six_rows : FrictionLaw::cone,
                                       .solver = solver,
                                       .accuracy = 1e-9});
        for (int k = 0; k < steps; ++k) REQUIRE(sim.step(0.01).status == StepStatus::ok);
        CHECK(!sim.contacts().contacts.empty());
        return sim.state().v;
    };
    const auto check_same = [](const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
        REQUIRE(a.size() == b.size());
        for (std::size_t k = 0; k < a.size(); ++k) CHECK(std::abs(a[k] - b[k]) < tolerance);
    };
    {
        const std::vector<double> sweeps = final_velocities(frictionless, "sweeps", 12);
        for (const char* solver : {"dantzig", "pgs", "block_pgs", "nncg", "lemke"}) {
            CAPTURE(solver);
            check_same(final_velocities(frictionless, solver, 12), sweeps, 1e-6);
        }
    }
    for (const char* xml : {moving_table, walker}) {
        const std::vector<double> sweeps = final_velocities(xml, "sweeps", 12);
        check_same(final_velocities(xml, "block_pgs", 12), sweeps, 1e-5);
        // With friction in pyramids something else comes out where things slide, but it is no nonsense.
        for (const char* solver : {"dantzig", "pgs"}) {
            CAPTURE(solver);
            check_same(final_velocities(xml, solver, 12), sweeps, 1.0);
        }
    }
}

TEST_CASE("simulation: dense solvers say when a problem is too large") {
    std::string xml = "<mujoco><worldbody><geom type='plane' size='5 5 1'/>";
    for (int k = 0; k < 60; ++k)
        xml += "<body pos='0 0 " + std::to_string(0.1 + 0.2 * k) +
               "'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>";
    Simulation sim(model_of(xml + "</worldbody></mujoco>"), {.solver = "pgs"});
    const std::vector<std::byte> before = sim.save().to_bytes();
    const StepReport report = sim.step(0.01);
    CHECK(report.status == StepStatus::overflow);
    CHECK(report.where.find("720 rows") != std::string::npos);
    CHECK(report.where.find("'pgs' takes 600") != std::string::npos);
    CHECK(same_bytes(sim.save().to_bytes(), before));
}
