// Steps of crowds (docs/crowds.md): momenta that are carried, impulses of two sweeps, limits within the
// factorization.

#include "support/character_errors.h"
#include "support/contact_scenes.h"
#include "support/simulation_runs.h"

#include "scenes/generator_list.h"

#include <ligament/dynamics.h>
#include <ligament/load.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

const SimulationOptions crowd{.stepping = Stepping::crowd};

// Five links on ball joints, which nothing touches; the first on `root`.
std::string chain(const std::string& root, const std::string& gravity_text) {
    std::string text = "<mujoco><option gravity='" + gravity_text + "'/><worldbody>", end;
    for (int k = 0; k < 5; ++k) {
        text += "<body pos='0 0 " + std::string(k == 0 ? "0" : "-0.3") + "'>" +
                (k == 0 ? root : "<joint type='ball'/>") +
                "<geom type='capsule' size='0.04' fromto='0 0 0 0.02 0.05 -0.3' contype='0' "
                "conaffinity='0'/>";
        end += "</body>";
    }
    return text + end + "</worldbody></mujoco>";
}

// Velocities that differ from freedom to freedom.
void stir(Simulation& sim) {
    JointState<double> state = sim.state();
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = 2 * std::sin(1.7 * static_cast<double>(k));
    sim.set_state(state);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

std::shared_ptr<const Model> pile(int count, int seed) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(count)},
                                        {"seed", static_cast<double>(seed)}};
    return compile(scenes::generate(scenes::pile, settings));
}

}  // namespace

TEST_CASE("crowd: what floats keeps its momentum, and motion is never made") {
    SimulationOptions options = crowd;
    options.momentum_ledger = true;
    Simulation sim(model_of(chain("<freejoint/>", "0 0 0")), options);
    stir(sim);
    double kinetic = sim.energy().kinetic;
    run(sim, 5, frame, [&](const StepReport& report) {
        const double now = sim.energy().kinetic;
        REQUIRE(now <= kinetic * (1 + 1e-12));
        kinetic = now;
        for (int axis = 0; axis < 3; ++axis)
            REQUIRE(std::abs(report.momentum.after.lin[axis] - report.momentum.before.lin[axis]) < 1e-10);
    });
}

// Of first order: half the step, half the error. The reference is the smooth integrator.
TEST_CASE("crowd: converges to the motion as steps fall") {
    const auto model = model_of(chain("<joint type='ball'/>", "0 0 -9.81"));
    Simulation exact(model, {.tolerance = 1e-11});
    stir(exact);
    run(exact, 0.5, 1e-2);
    double error[3];
    for (int k = 0; k < 3; ++k) {
        Simulation sim(model, crowd);
        stir(sim);
        run(sim, 0.5, 1e-3 / (1 << k));
        error[k] = largest_difference(sim.state().q, exact.state().q);
    }
    MESSAGE("errors at 1, 0.5 and 0.25 ms: " << error[0] << ", " << error[1] << ", " << error[2]);
    CHECK(error[0] < 0.05);
    for (int k = 0; k < 2; ++k) {
        CHECK(error[k + 1] < 0.6 * error[k]);
        CHECK(error[k + 1] > 0.4 * error[k]);
    }
}

TEST_CASE("crowd: a box slides down an incline, or sticks") {
    const double a = gravity * (std::sin(slope) - 0.3 * std::cos(slope));
    Simulation sliding(model_of(incline(0.3, 0.1, box)), crowd);
    run(sliding, 1);
    CHECK(std::abs(dot(velocity_of(sliding), downhill()) / a - 1) < 1e-4);
    Simulation sticking(model_of(incline(1.05 * std::tan(slope), 0.1, box)), crowd);
    run(sticking, 3);
    CHECK(std::abs(way_down(sticking)) < 1e-4);
}

TEST_CASE("crowd: a ball bounces as high as its restitution says") {
    Simulation sim(model_of("<mujoco><worldbody><geom type='plane' size='0 0 1' restitution='0.8'/>"
                            "<body pos='0 0 1.1'><freejoint name='root'/><geom size='0.1' restitution='0.8'/>"
                            "</body></worldbody></mujoco>"),
                   crowd);
    bool has_bounced = false;
    double highest = 0;
    run(sim, 1.2, frame, [&](const StepReport&) {
        has_bounced = has_bounced || velocity_of(sim).z > 0;
        if (has_bounced) highest = std::max(highest, position_of(sim).z - 0.1);
    });
    // h² e²; a sub-step of a frame at the ground is 18 mm of way, and the speed of one more is 41 mm/s.
    CHECK(std::abs(highest - 0.64) < 0.02);
}

TEST_CASE("crowd: a limit that is hit stops the joint, and what rests on it stays") {
    Simulation sim(model_of("<mujoco><worldbody><body><joint name='j' axis='0 1 0' limited='true' "
                            "range='-60 40'/><geom type='capsule' size='0.05' fromto='0 0 0 1 0 0'/></body>"
                            "</worldbody></mujoco>"),
                   crowd);
    const double limit = 40 * std::numbers::pi / 180;
    double worst = 0;
    run(sim, 3, frame, [&](const StepReport&) { worst = std::max(worst, sim.state().q[0] - limit); });
    CHECK(worst < 0.02);
    CHECK(std::abs(sim.state().q[0] - limit) < 2e-3);
    CHECK(std::abs(sim.state().v[0]) < 1e-6);
}

TEST_CASE("crowd: a heap of characters keeps its joints, hardly passes limits and comes to rest") {
    const auto model = pile(8, 5);
    Simulation sim(model, crowd);
    std::vector<Transformd> poses(model->bodies.size());
    std::vector<double> passed;
    double apart = 0, deepest = 0;
    const double start = total(sim.energy());
    run(sim, 6, frame, [&](const StepReport& report) {
        sim.body_poses(poses);
        for_each_joint_error(*model, poses, [&](const JointError& error) {
            apart = std::max(apart, error.apart);
            passed.push_back(error.violation);
        });
        deepest = std::max(deepest, report.penetration);
        REQUIRE(total(sim.energy()) < start);
        REQUIRE(report.substeps >= 4);
    });
    std::sort(passed.begin(), passed.end());
    const double p99 = passed[passed.size() * 99 / 100];
    MESSAGE("limits: 99 % within " << p99 << " rad, worst " << passed.back() << " rad; deepest " << deepest
                                   << " m; " << sim.energy().kinetic << " J left");
    CHECK(apart < 1e-12);
    CHECK(p99 < 0.0175);
    CHECK(passed.back() < 0.3);
    CHECK(deepest < 0.03);
    CHECK(sim.energy().kinetic < 8 * 0.05);
}

// Two sweeps leave it moving a little, and corrections push apart what has sunk in. What that raises is paid
// for by the motion; contacts rest up to 0.1 mm in each other.
TEST_CASE("crowd: a stack stands, and is not raised") {
    Diagnostics log;
    const auto model = compile(load_scene(LIG_SOURCE_DIR "/scenes/stack.xml", {}, log));
    Simulation sim(model, crowd);
    double weight = 0;
    for (const TreeLink<double>& link : model->tree.links) weight += link.inertia.mass * gravity;
    const double start = total(sim.energy());
    double highest = start, lowest = start;
    run(sim, 10, frame, [&](const StepReport&) {
        highest = std::max(highest, total(sim.energy()));
        lowest = std::min(lowest, total(sim.energy()));
    });
    MESSAGE("energy between " << lowest - start << " and " << highest - start << " J of the start's");
    CHECK(highest - start < 1e-4 * weight);
    CHECK(lowest - start > -1e-3 * weight);
}

TEST_CASE("crowd: the same bits from a snapshot, and with two threads") {
    const auto model = pile(4, 1);
    SimulationOptions threaded = crowd;
    threaded.threads = 2;
    Simulation first(model, crowd), second(model, threaded), third(model, crowd);
    run(first, 1);
    run(second, 1);
    CHECK(first.state().q == second.state().q);
    third.restore(first.save());
    run(first, 0.5);
    run(third, 0.5);
    CHECK(first.state().q == third.state().q);
    CHECK(first.state().v == third.state().v);
}

TEST_CASE("crowd: what it cannot hold is refused by name") {
    const auto ring = model_of(
        "<mujoco><worldbody><body name='a'><joint/><geom size='0.1'/></body><body name='b' pos='0 0 1'>"
        "<joint/><geom size='0.1'/></body></worldbody><equality>"
        "<connect name='pin' body1='a' body2='b' anchor='0 0 0.5'/>"
        "</equality></mujoco>");
    CHECK_THROWS_WITH_AS(Simulation(ring, crowd), doctest::Contains("loop 'pin' between 'a' and 'b'"),
                         std::invalid_argument);
    const auto one = model_of(incline(0.3, 0.1, box));
    SimulationOptions other = crowd;
    other.impact = ImpactLaw::sequential;
    CHECK_THROWS_WITH_AS(Simulation(one, other), doctest::Contains("impact sequential"),
                         std::invalid_argument);
    other = crowd;
    other.formulation = "impulse";
    CHECK_THROWS_WITH_AS(Simulation(one, other), doctest::Contains("stepping crowd"), std::invalid_argument);
}
