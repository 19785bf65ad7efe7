#pragma once

// What the Gauss–Seidel solvers share: a row by itself, and when to stop.
//
// A sweep tells for each row how far w was from its conditions when the row's turn came. That bounds nothing
// by itself (rows change after their turn), but it is free; when it falls below the tolerance, or every few
// sweeps where the scales are out of date, the figures are measured properly and decide.

#include "linalg/lcp.h"
#include "linalg/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace lig {

// λ_i ← the value that satisfies row i with all others as they are. Returns the change times A_ii. A row
// without response goes to the bound that the sign of w asks for, or stays where that is infinite.
inline double relax_row(const LcpProblem& problem, int i, double lo, double hi, double* lambda) {
    const double* row = problem.a + i * problem.stride;
    const double w = dot(row, lambda, problem.n) + problem.b[i], old = lambda[i];
    if (row[i] > 0) {
        lambda[i] = std::clamp(old - w / row[i], lo, hi);
        return row[i] * std::fabs(lambda[i] - old);
    }
    const double bound = w > 0 ? lo : w < 0 ? hi
                                            : old;
    if (!std::isfinite(bound)) return std::fabs(w);
    lambda[i] = bound;
    return 0;
}

// `sweep(progress)` runs over all rows and calls progress(row, change): a violation of that row before its
// turn.
template <class Sweep>
LcpResult run_sweeps(const LcpProblem& problem, LcpFriction law, const LcpOptions& options,
                     LcpWorkspace& workspace, std::span<double> lambda, Sweep&& sweep) {
    constexpr int default_sweeps = 1000, sweeps_per_measurement = 16;
    LcpResult result;
    double *w = workspace.parts().w.data(), *scale = workspace.parts().scale.data();
    const int limit = options.iterations > 0 ? options.iterations : default_sweeps;
    measure_lcp(problem, law, lambda.data(), w, scale);
    while (result.iterations < limit) {
        bool small = true;
        sweep([&](int row, double change) {
            if (!(change <= options.tolerance * scale[row])) small = false;
        });
        ++result.iterations;
        if (stop_requested(options)) break;
        if (small || result.iterations % sweeps_per_measurement == 0) {
            const LcpFigures figures = measure_lcp(problem, law, lambda.data(), w, scale);
            if (!(figures.residual > options.tolerance)) break;  // also when it is NaN
        }
    }
    finish_lcp(problem, law, options, workspace, lambda, result);
    // Rows without response that no force can satisfy. Others may be impossible together, which no sweep can
    // tell.
    if (result.status == LcpStatus::solved || result.status == LcpStatus::not_finite) return result;
    for (int i = 0; i < problem.n; ++i) {
        if (problem.a[i * problem.stride + i] > 0 || friction_partner(problem, i) >= 0) continue;
        if (!((w[i] > 0 && problem.lo[i] == -HUGE_VAL) || (w[i] < 0 && problem.hi[i] == HUGE_VAL))) continue;
        if (result.impossible++ == 0) result.first_impossible = i;
        result.status = LcpStatus::infeasible;
    }
    return result;
}

}  // namespace lig
