// Time per solve of complementarity problems, by solver and number of rows: a regular matrix of 2n freedoms,
// two thirds of the rows contacts with friction (μ 0.5), one third bilateral, from λ = 0 (cold) and from the
// solution of a slightly different problem, as from step to step (warm). Eight problems in turn. Counters:
// iterations per solve, and the largest residual that was left. `column`: what is left after a given number
// of sweeps over a column of so many blocks, of the solvers with friction cones.

#include "linalg/lcp_list.h"
#include "support/lcp_problems.h"

#include <benchmark/benchmark.h>

#include <string>

namespace lig::bench {
namespace {

// Rows in groups of nine: two contacts of three rows, three bilateral rows.
test::OwnedLcp make_problem(test::Random& random, int n) {
    test::OwnedLcp lcp = test::random_lcp(random, n, {2 * n, 0});
    lcp.lo.assign(lcp.lo.size(), -test::unbounded);
    lcp.hi.assign(lcp.hi.size(), test::unbounded);
    for (int i = 0; i + 2 < n; i += 3) {
        if (i % 9 == 6) continue;
        lcp.contact(i, {0.5, 0.5});
        lcp.b[std::size_t(i)] = -std::fabs(lcp.b[std::size_t(i)]);
    }
    return lcp;
}

void run(benchmark::State& state, const LcpSolverInfo& solver, int n, bool warm) {
    constexpr std::size_t count = 8;
    test::Random random(7);
    LcpWorkspace workspace(n);
    std::vector<test::OwnedLcp> problems;
    std::vector<std::vector<double>> starts;
    for (std::size_t k = 0; k < count; ++k) {
        problems.push_back(make_problem(random, n));
        starts.emplace_back(std::size_t(n), 0.0);
        if (!warm) continue;
        solver.solve(problems.back().view(), {}, workspace, starts.back());
        for (double& x : problems.back().b) x *= random.uniform(0.99, 1.01);
    }
    std::vector<double> lambda;
    double iterations = 0, residual = 0;
    std::size_t next = 0;
    for (auto _ : state) {
        lambda = starts[next];
        const LcpResult result = solver.solve(problems[next].view(), {1e-8, 0, nullptr}, workspace, lambda);
        iterations += result.iterations;
        residual = std::max(residual, result.figures.residual);
        next = (next + 1) % count;
    }
    state.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
    state.counters["residual"] = residual;
}

void run_column(benchmark::State& state, const LcpSolverInfo& solver, int blocks, int sweeps) {
    const test::OwnedLcp lcp = test::column_of_blocks(blocks, 0.5);
    LcpWorkspace workspace(lcp.n);
    std::vector<double> lambda;
    double residual = 0;
    for (auto _ : state) {
        lambda.assign(std::size_t(lcp.n), 0.0);
        residual = solver.solve(lcp.view(), {1e-14, sweeps, nullptr}, workspace, lambda).figures.residual;
    }
    state.counters["residual"] = residual;
}

}  // namespace
}  // namespace lig::bench

int main(int argc, char** argv) {
    for (const lig::LcpSolverInfo& solver : lig::lcp_solver_list)
        for (const int n : {6, 30, 60, 120})
            for (const bool warm : {false, true})
                benchmark::RegisterBenchmark(
                    (std::string(solver.name) + "/" + std::to_string(n) + (warm ? "/warm" : "/cold")).c_str(),
                    lig::bench::run, solver, n, warm)
                    ->Unit(benchmark::kMicrosecond);
    for (const lig::LcpSolverInfo& solver : lig::lcp_solver_list)
        if (solver.friction == lig::LcpFriction::cone)
            for (const int blocks : {10, 40})
                for (const int sweeps : {10, 30, 100, 300})
                    benchmark::RegisterBenchmark(("column/" + std::string(solver.name) + "/" +
                                                  std::to_string(blocks) + "/" + std::to_string(sweeps))
                                                     .c_str(),
                                                 lig::bench::run_column, solver, blocks, sweeps)
                        ->Unit(benchmark::kMicrosecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
