// One velocity step from the same state by `multiplier` and by `reduced`: the same forces and rows, other
// linear algebra. Impulses are found to 1e-13 m/s here, so what differs is rounding, and that `reduced` damps
// links that turn by h² ω²/2 of their inertia: states are slow here, or steps short.

#include "support/random_scene.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double accuracy = 1e-13;
// m/s: rows are met by as much wherever velocities are compared.
constexpr double found_enough = 1e-9;

SimulationOptions options_of(const char* formulation, EqualityMethod loops = EqualityMethod::direct) {
    return {.formulation = formulation,
            .stepping = Stepping::velocity,
            .accuracy = accuracy,
            .multiplier = {.equalities = loops}};
}

// Joints with limits, dry friction and servos that are bounded or not.
void add_constraints(Random& random, Scene& scene) {
    for (int j = 0; j < static_cast<int>(scene.joints().size()); ++j) {
        JointSpec& joint = scene.joint({j});
        const joints::JointInfo& info = joints::joint_info(joint.type);
        if (info.nq != 1) continue;
        if (random_index(random, 2)) joint.range[0] = {random.uniform(-1, 0), random.uniform(0, 1)};
        if (random_index(random, 3) == 0) joint.friction_loss = random.uniform(0.1, 1);
        if (random_index(random, 3) == 0) continue;
        ActuatorSpec servo;
        servo.joint = {j};
        servo.gain = {random.uniform(5, 50), 0, 0};
        servo.bias = {0, -servo.gain[0], -random.uniform(0, 3)};
        if (random_index(random, 2)) servo.force_range = {-3, 3};
        scene.add_actuator(servo);
    }
}

struct Difference {
    double q = 0, v = 0, size = 1;
    int rows = 0;
    bool missed = false;  // a solver says that it has not found the impulses as well as asked
};

// dt from the state, by both.
Difference compare(const std::shared_ptr<const Model>& model, const JointState<double>& state, double dt,
                   std::span<const double> ctrl, EqualityMethod loops = EqualityMethod::direct) {
    JointState<double> ends[2] = {state, state};
    Difference out;
    for (const bool body : {false, true}) {
        Simulation sim(model,
                       options_of(body ? "multiplier" : "reduced", body ? loops : EqualityMethod::direct));
        sim.set_state(state);
        std::copy(ctrl.begin(), ctrl.end(), sim.inputs().ctrl.begin());
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        CAPTURE(report.residual);
        CAPTURE(body);
        REQUIRE(report.status == StepStatus::ok);
        CHECK(report.velocity_steps == 1);
        ends[body] = sim.state();
        out.rows = report.rows;
        out.missed = out.missed || report.residual > found_enough;
    }
    out.q = largest_difference(ends[0].q, ends[1].q);
    out.v = largest_difference(ends[0].v, ends[1].v);
    out.size = std::max(1.0, largest(ends[0].v));
    return out;
}

void check_random_trees(std::uint64_t seed, int trials, int kinds) {
    Random random(seed);
    int rows = 0;
    double worst = 0;
    for (int trial = 0; trial < trials; ++trial) {
        CAPTURE(trial);
        TreeShape shape;
        shape.bodies = 1 + trial % 12;
        shape.springs = trial % 2;
        shape.kinematic = trial % 3;
        shape.kinds = kinds;
        Scene scene = random_scene(random, shape);
        add_constraints(random, scene);
        const auto model = compile(scene);
        const bool fast = trial % 4 < 2;
        const JointState<double> state = random_state(random, *model, 1, fast ? 1 : 1e-4);
        const Difference d =
            compare(model, state, fast ? 1e-6 : 0.01, random_numbers(random, model->nu, 0.5));
        rows += d.rows;
        worst = std::max(worst, std::max(d.q, d.v) / d.size);
        CHECK(d.v <= 1e-9 * d.size);
        CHECK(d.q <= 1e-9 * d.size);
    }
    MESSAGE("velocity steps: " << rows << " rows, largest difference " << worst);
    CHECK(rows > trials);
}

}  // namespace

TEST_CASE("velocity steps: random trees with limits, dry friction, springs, dampers, armature and servos") {
    check_random_trees(91, 100, 0);
}
TEST_CASE("velocity steps: random trees on bodies of all kinds") {
    check_random_trees(92, 60, 2);
}

namespace {

// Along a run of `reduced` in steps of dt, from some of its states: with their velocities in a short step,
// and nearly at rest in a whole one.
double compare_along_run(const std::shared_ptr<const Model>& model, double dt, int steps, int every,
                         const std::vector<double>& ctrl, double tolerance) {
    Simulation sim(model, {.stepping = Stepping::velocity});
    std::copy(ctrl.begin(), ctrl.end(), sim.inputs().ctrl.begin());
    double worst = 0;
    int missed = 0;
    for (int k = 0; k < steps; ++k) {
        if (k % every == 0) {
            CAPTURE(k);
            const bool slow = k / every % 2;
            JointState<double> state = sim.state();
            for (double& v : state.v) v *= slow ? 1e-4 : 1;
            for (const EqualityMethod loops : {EqualityMethod::direct, EqualityMethod::anticipation}) {
                const Difference d = compare(model, state, slow ? dt : 1e-6, ctrl, loops);
                if (d.missed) {
                    ++missed;
                    continue;
                }
                CHECK(d.v <= tolerance * d.size);
                CHECK(d.q <= tolerance * d.size);
                worst = std::max(worst, d.v);
                if (model->loops.empty()) break;
            }
        }
        REQUIRE(was_taken(sim.step(dt)));
    }
    CHECK(missed <= 2);  // one state, with loops either way
    return worst;
}

}  // namespace

TEST_CASE("velocity steps: contacts, drives and tendons along a run") {
    // Where many contacts share a body, impulses are not unique, and velocities are found to 1e-8.
    const double fallen = compare_along_run(character(), 1.0 / 240, 240, 12, {}, 1e-7);
    const double walking = compare_along_run(model_of(walker), 0.005, 150, 10, {0.3, -0.4, 0.5, 0.2}, 1e-9);
    const double carried = compare_along_run(model_of(moving_table), 0.01, 60, 5, {}, 1e-7);
    MESSAGE("largest differences: character " << fallen << ", walker " << walking << ", table " << carried);
}
TEST_CASE("velocity steps: a loop along a run") {
    compare_along_run(model_of(four_bar), 0.005, 100, 10, {0.7}, 1e-9);
}
