// Whether steps of `multiplier` are linear in the number of bodies: chains and random trees, time of an
// acceleration and of a step of 1 ms (RATTLE), and the multiplications and additions of one factor and one
// solution, which do not depend on the machine. bench/count_instructions.py counts all instructions of the
// same steps by callgrind.
//
// Beyond the sizes that fit into a cache the time of a body is that of reading its blocks from memory.

#include "bench/benchmark.h"
#include "bench/body_problem.h"
#include "bench/linear_models.h"
#include "bench/measure.h"
#include "bench/setting.h"

#include <ligament/simulation.h>

#include <fmt/format.h>

#include <functional>
#include <string>

namespace lig::bench {

extern const Benchmark linear;

namespace {

Results::Table grow(std::string_view kind, const std::vector<double>& sizes, const Effort& effort) {
    Results::Table table{std::string(kind == "tree" ? "random trees" : "chains"),
                         {"bodies", "acceleration [µs]", "step [µs]", "Newton iterations of a step",
                          "operations of factor and solution"},
                         {}};
    std::vector<double> series[3];
    for (const double size : sizes) {
        const std::shared_ptr<const Model> model = linear_model(kind, static_cast<int>(size));
        const JointState<double> state = resting_state(*model);
        BodyProblem problem(model, state, EqualityMethod::direct);
        Simulation simulation(model, {.formulation = "multiplier"});
        simulation.set_state(state);
        int iterations = 0;
        const std::function<void()> candidates[] = {[&] { problem.accelerate_bodies(); },
                                                    [&] {
                                                        simulation.set_state(state);
                                                        iterations = simulation.step(1e-3).newton_iterations;
                                                    }};
        const std::vector<double> t = compare_times(candidates, effort);
        const BlockLdlt& K = problem.dynamics.system.matrix.blocks();
        const double operations = K.factor_operations() + K.solve_operations();
        table.rows.push_back({fmt::format("{}", size), 1e6 * t[0], 1e6 * t[1],
                              static_cast<double>(iterations), operations});
        series[0].push_back(t[0]);
        series[1].push_back(t[1]);
        series[2].push_back(operations);
    }
    table.rows.push_back({std::string("exponent"), growth(sizes, series[0]), growth(sizes, series[1]),
                          std::string("–"), growth(sizes, series[2])});
    return table;
}

Results run(Extent extent) {
    std::vector<double> sizes = {100, 1000};
    if (extent != Extent::quick) sizes.insert(sizes.end(), {10000, 100000});
    if (extent == Extent::full) sizes.push_back(1000000);
    const Effort& effort = effort_of(extent);
    return {{setting_table(effort), grow("chain", sizes, effort), grow("tree", sizes, effort)}};
}

}  // namespace

const Benchmark linear{
    "linear", "chains and random trees from a hundred bodies on: exponents of time and operations", run};

}  // namespace lig::bench
