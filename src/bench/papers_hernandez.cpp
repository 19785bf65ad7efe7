// What Hernandez et al. 2011 say about the cost of implicit steps with stiff joints (sec. 5), measured on
// chains and a hand of the same sizes.
//
// A solution is everything that one iteration of Newton's method takes: where bodies have got to, forces and
// their derivatives, joints, the matrix, its factor and the solution; measured as what two more of them add
// to a step. A step of one (newton = 1, the paper's) has besides what is done once: momenta, joint
// coordinates at its end. The parts of it that belong to the factorization alone stand beside the paper's own
// procedures (bench/hernandez/stiff_tree.h), on the same matrix.
//
// The paper's times are those of one core of a 2.4 GHz PC of its day.

#include "bench/benchmark.h"
#include "bench/hernandez/stiff_models.h"
#include "bench/hernandez/stiff_tree.h"
#include "bench/measure.h"
#include "bench/setting.h"
#include "formulations/implicit/implicit_motion.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig::bench {

extern const Benchmark papers_hernandez;

namespace {

// Bodies of a model, ready to be moved.
struct StiffProblem {
    explicit StiffProblem(const std::shared_ptr<const Model>& model)
        : inputs(model), state(*model), motion(model) {
        forward_kinematics(state, inputs.ws);
        motion.dynamics.system.poses.from_joints(inputs.ws, state, bodies);
        motion.forget(state);
        // The matrix of a step, with all its blocks.
        step();
    }

    // One step, from its end on to the next.
    void step(int solutions = 1) {
        how.newton = solutions;
        const MotionReport report = motion.advance(inputs, state, bodies, how.step, how);
        if (report.status != MotionStatus::ok)
            throw std::runtime_error("bench papers hernandez: a step failed: " + report.where);
    }

    SmoothDynamics inputs;
    JointState<double> state;
    implicit::ImplicitMotion motion;
    implicit::BodyCoordinates bodies;
    implicit::DifferenceOptions how;
};

struct Figures {
    double step, solution, factor, solve, paper_factor, paper_solve;  // seconds
    double operations;
};

Figures measure(const std::shared_ptr<const Model>& model, const Effort& effort) {
    StiffProblem problem(model);
    // A step has left the matrix as it was factored.
    BlockLdlt K = problem.motion.dynamics.system.matrix.blocks();
    StiffTree paper(K);
    std::vector<double> x(static_cast<std::size_t>(K.size()));
    const auto fill = [&] {
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1e-3 * static_cast<double>(k % 17);
    };
    K.factor();
    std::vector<std::function<void()>> candidates = {[&] { problem.step(); }, [&] { problem.step(3); },
                                                     [&] { K.factor(); },
                                                     [&] {
                                                         fill();
                                                         K.solve(x);
                                                     }};
    if (paper.possible()) {
        candidates.push_back([&] { paper.factor(); });
        candidates.push_back([&] {
            fill();
            paper.solve(x);
        });
    }
    const std::vector<double> t = compare_times(candidates, effort);
    return {t[0],
            0.5 * (t[1] - t[0]),
            t[2],
            t[3],
            t.size() > 4 ? t[4] : 0,
            t.size() > 4 ? t[5] : 0,
            K.factor_operations() + K.solve_operations()};
}

Results run(Extent extent) {
    const Effort& effort = effort_of(extent);
    Results::Table table{"implicit steps: one solution, with everything that belongs to it",
                         {"what", "step of one [µs]", "solution [µs]", "the paper [µs]", "factor [µs]",
                          "solve [µs]", "its procedures: factor [µs]", "solve [µs]"},
                         {}};
    const auto add = [&](const std::string& what, const Figures& f, double paper) {
        table.rows.push_back({what, 1e6 * f.step, 1e6 * f.solution,
                              paper > 0 ? Results::Cell(1e6 * paper) : Results::Cell(std::string("–")),
                              1e6 * f.factor, 1e6 * f.solve, 1e6 * f.paper_factor, 1e6 * f.paper_solve});
    };
    add("hand, 16 bones", measure(stiff_hand(), effort), 0.36e-3);
    std::vector<double> sizes = {10, 100, 1000};
    if (extent != Extent::quick) sizes.push_back(10000);
    if (extent == Extent::full) sizes.push_back(100000);
    std::vector<double> large, times, operations;
    Results::Curve ours{"a solution", {}}, theirs{"the paper", {{1000, 22e3}, {10000, 285e3}}};
    for (const double size : sizes) {
        const Figures f = measure(stiff_chain(static_cast<int>(size)), effort);
        add(fmt::format("chain of {}", size), f, size == 1000 ? 22e-3 : size == 10000 ? 285e-3
                                                                                      : 0);
        ours.points.push_back({size, 1e6 * f.solution});
        if (size < 100) continue;
        large.push_back(size);
        times.push_back(f.solution);
        operations.push_back(f.operations);
    }
    Results::Table exponents{"exponents from 100 links on", {"of", "exponent"}, {}};
    exponents.rows.push_back({std::string("time of a solution"), growth(large, times)});
    exponents.rows.push_back({std::string("operations of factor and solve"), growth(large, operations)});
    Results results{{setting_table(effort), table, exponents}};
    results.plots.push_back({"hernandez",
                             "Implicit steps of stiff chains",
                             "links",
                             {{"time of a solution", "µs", {ours, theirs}}}});
    return results;
}

}  // namespace

const Benchmark papers_hernandez{
    "papers hernandez", "implicit steps with stiff joints: chains and a hand, beside the figures of 2011",
    run};

}  // namespace lig::bench
