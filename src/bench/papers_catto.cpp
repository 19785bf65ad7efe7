// What Catto's slides say about sequential impulses, measured: how errors fall with the number of sweeps,
// what warm starting does for stacks and ragdolls, and what has come of the method since: more sub-steps
// instead of more sweeps, and corrections apart from velocities.
//
// All errors are measured from where bodies are after each frame of 1/60 s. A stack at rest has no velocity:
// what its fastest box moves with, on average over the second half of the time, is the error. A character
// that falls has joints, and how far their anchors are apart is the error. At equal cost, sub-steps times
// sweeps is the same.

#include "bench/benchmark.h"
#include "core/length.h"
#include "scenes/generator_list.h"

#include <ligament/simulation.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig::bench {

extern const Benchmark papers_catto;

namespace {

constexpr double frame = 1.0 / 60;

std::shared_ptr<const Model> scene(const scenes::Generator& generator, double count) {
    const scenes::Setting settings[] = {{"count", count}};
    return compile(scenes::generate(generator, settings));
}

SimulationOptions options_of(const char* solver, int substeps = 0, int iterations = 0) {
    SimulationOptions options;
    options.energy_guard = 0;  // what is measured is the method as it is
    options.formulation = "impulse";
    options.solver = solver;
    options.iterations = iterations;
    options.impulse.substeps = substeps;
    // Sweeps go on to their count.
    if (iterations > 0) options.accuracy = 1e-300;
    return options;
}

struct Errors {
    double speed = 0;               // m/s, of the fastest box, on average over the second half
    double depth = 0;               // m, of boxes in each other, at most in the second half
    double apart = 0, apart_rms = 0;  // m, anchors of joints
    double time = 0;                // s, of a frame
};

// How far boxes of 1 m, one on the other, overlap.
double overlap(const JointState<double>& state, int boxes) {
    double deepest = 0;
    for (int b = 0; b < boxes; ++b) {
        const double below = b == 0 ? -0.5 : state.q[7 * (b - 1) + 2];
        deepest = std::max(deepest, 1 - (state.q[7 * b + 2] - below));
    }
    return deepest;
}

double fastest(const JointState<double>& state, int boxes) {
    double speed = 0;
    for (int b = 0; b < boxes; ++b)
        speed = std::max(speed, length({state.v[6 * b], state.v[6 * b + 1], state.v[6 * b + 2]}));
    return speed;
}

// How far the anchors of joints are apart: the largest and the sum of squares.
struct Separation {
    double largest = 0, squares = 0;
    long count = 0;

    void add(const Simulation& sim, std::vector<Transformd>& poses) {
        const Model& model = sim.model();
        poses.resize(model.bodies.size());
        sim.body_poses(poses);
        for (const Model::Joint& joint : model.joints) {
            const int parent = model.bodies[joint.body].parent;
            if (joint.type == JointType::free || parent < 0) continue;
            const auto& link = model.tree.links[model.bodies[joint.body].link];
            const Transformd before = poses[parent] * model.bodies[parent].X_LB.inverse() *
                                      model.tree.joints[link.joint_begin].X_PF;
            const Transformd after = poses[joint.body] * model.bodies[joint.body].X_LB.inverse();
            const Vec3d apart = after.p - before.p;
            largest = std::max(largest, length(apart));
            squares += dot(apart, apart);
            ++count;
        }
    }
};

Errors measure(const std::shared_ptr<const Model>& model, const SimulationOptions& options, double seconds,
               bool stacked) {
    Simulation sim(model, options);
    const int boxes = static_cast<int>(model->joints.size());
    const int frames = static_cast<int>(std::lround(seconds / frame));
    Errors errors;
    Separation separation;
    std::vector<Transformd> poses;
    using Clock = std::chrono::steady_clock;
    for (int k = 0; k < frames; ++k) {
        const Clock::time_point begin = Clock::now();
        const StepReport report = sim.step(frame);
        errors.time += std::chrono::duration<double>(Clock::now() - begin).count() / frames;
        if (!was_taken(report))
            throw std::runtime_error("bench papers catto: a step failed: " + report.where);
        if (!stacked) {
            separation.add(sim, poses);
        } else if (2 * k >= frames) {
            errors.depth = std::max(errors.depth, overlap(sim.state(), boxes));
            errors.speed += fastest(sim.state(), boxes) / (frames - frames / 2);
        }
    }
    errors.apart = separation.largest;
    errors.apart_rms = std::sqrt(separation.squares / static_cast<double>(std::max(separation.count, 1L)));
    return errors;
}

// A point of a plot that shows powers of ten.
Results::Point decades(double x, double y) { return {std::log10(x), std::log10(std::max(y, 1e-9))}; }

// The parts of the slides on iteration and warm starting.
void sweeps_against_errors(Extent extent, Results& results) {
    const auto stack = scene(scenes::stack, 10), ragdoll = scene(scenes::pile, 1);
    Results::Table boxes{"classic: sweeps and what is left, a stack of 10 boxes after 2 s",
                         {"sweeps", "warm: speed [m/s]", "warm: depth [mm]",
                          "warm, bias factor 0: speed [m/s]", "warm, bias factor 0: depth [mm]",
                          "cold: speed [m/s]", "cold: depth [mm]"},
                         {}};
    Results::Table joints{"classic: sweeps and what is left, a character that falls",
                          {"sweeps", "warm: joints apart, rms [mm]", "warm: at most [mm]",
                           "cold: joints apart, rms [mm]", "cold: at most [mm]"},
                          {}};
    Results::Curve speed_warm{"warm", {}}, speed_plain{"warm, bias factor 0", {}}, speed_cold{"cold", {}};
    Results::Curve apart_warm{"warm", {}}, apart_cold{"cold", {}};
    std::vector<int> counts = {1, 2, 5, 10, 20, 50, 100};
    if (extent != Extent::quick) counts.insert(counts.end(), {200, 500});
    for (const int count : counts) {
        SimulationOptions warm = options_of("classic", 1, count), plain = warm, cold = warm;
        plain.impulse.bias_factor = 0;
        cold.impulse.warm_starting = false;
        const Errors s[] = {measure(stack, warm, 2, true), measure(stack, plain, 2, true),
                            measure(stack, cold, 2, true)};
        const Errors r[] = {measure(ragdoll, warm, 3, false), measure(ragdoll, cold, 3, false)};
        const double n = count;
        boxes.rows.push_back({n, s[0].speed, 1e3 * s[0].depth, s[1].speed, 1e3 * s[1].depth, s[2].speed,
                              1e3 * s[2].depth});
        joints.rows.push_back({n, 1e3 * r[0].apart_rms, 1e3 * r[0].apart, 1e3 * r[1].apart_rms,
                               1e3 * r[1].apart});
        speed_warm.points.push_back(decades(n, s[0].speed));
        speed_plain.points.push_back(decades(n, s[1].speed));
        speed_cold.points.push_back(decades(n, s[2].speed));
        apart_warm.points.push_back(decades(n, 1e3 * r[0].apart_rms));
        apart_cold.points.push_back(decades(n, 1e3 * r[1].apart_rms));
    }
    results.tables.push_back(boxes);
    results.tables.push_back(joints);
    results.plots.push_back({"impulse-sweeps",
                             "Sequential impulses: sweeps and what is left",
                             "sweeps, as powers of ten",
                             {{"speed of a stack at rest, as powers of ten",
                               "m/s",
                               {speed_warm, speed_plain, speed_cold}},
                              {"joints of a falling character apart, rms, as powers of ten",
                               "mm",
                               {apart_warm, apart_cold}}}});
}

// Sub-steps or sweeps, at equal cost.
void small_steps(Extent extent, Results& results) {
    const auto stack = scene(scenes::stack, 10), pile = scene(scenes::pile, extent == Extent::quick ? 2 : 10);
    Results::Table table{"32 sweeps of a frame, in sub-steps: a stack of 10 boxes, and characters that fall",
                         {"sub-steps", "sweeps of each", "classic: speed [m/s]",
                          "classic: joints apart, rms [mm]", "split-step: speed [m/s]",
                          "split-step: joints apart, rms [mm]"},
                         {}};
    Results::Curve fed_back{"classic", {}}, split{"split-step", {}};
    for (int substeps = 1; substeps <= 32; substeps *= 2) {
        const int sweeps = 32 / substeps;
        Errors s[2], p[2];
        for (int k = 0; k < 2; ++k) {
            const SimulationOptions options = options_of(k == 0 ? "classic" : "split-step", substeps, sweeps);
            s[k] = measure(stack, options, 2, true);
            p[k] = measure(pile, options, 3, false);
        }
        table.rows.push_back({static_cast<double>(substeps), static_cast<double>(sweeps), s[0].speed,
                              1e3 * p[0].apart_rms, s[1].speed, 1e3 * p[1].apart_rms});
        fed_back.points.push_back(decades(static_cast<double>(substeps), 1e3 * p[0].apart_rms));
        split.points.push_back(decades(static_cast<double>(substeps), 1e3 * p[1].apart_rms));
    }
    results.tables.push_back(table);
    results.plots.push_back({"impulse-substeps",
                             "Sequential impulses: sub-steps at equal cost",
                             "sub-steps of a frame with 32 sweeps in all, as powers of ten",
                             {{"joints of falling characters apart, rms, as powers of ten",
                               "mm",
                               {fed_back, split}}}});
}

void solvers_side_by_side(Extent extent, Results& results) {
    const int characters = extent == Extent::quick ? 2 : 10;
    const auto stack = scene(scenes::stack, 10), pile = scene(scenes::pile, characters);
    Results::Table table{fmt::format("the solvers: a stack of 10 boxes, {} characters", characters),
                         {"solver", "stack: speed [m/s]", "stack: depth [mm]",
                          "stack: time of a frame, mean [µs]", "characters: joints apart, rms [mm]",
                          "characters: at most [mm]", "characters: time of a frame, mean [µs]"},
                         {}};
    for (const char* solver : {"classic", "soft-step", "split-step"}) {
        const Errors s = measure(stack, options_of(solver), 4, true);
        const Errors p = measure(pile, options_of(solver), 5, false);
        table.rows.push_back({std::string(solver), s.speed, 1e3 * s.depth, 1e6 * s.time, 1e3 * p.apart_rms,
                              1e3 * p.apart, 1e6 * p.time});
    }
    results.tables.push_back(table);
}

Results run(Extent extent) {
    Results results;
    sweeps_against_errors(extent, results);
    small_steps(extent, results);
    solvers_side_by_side(extent, results);
    return results;
}

}  // namespace

const Benchmark papers_catto{
    "papers catto", "sequential impulses: sweeps, warm starting, sub-steps, and what errors they leave", run};

}  // namespace lig::bench
