// The sweeps of block_pgs, accelerated: the nonsmooth nonlinear conjugate gradient method of Silcowitz, Niebe
// and Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems"
// (2010).
//
// What a sweep does to λ is taken for the negative gradient of a function whose minimum is the solution:
//   y = sweep(x),   r = y − x,   β = |r|²/|r of the sweep before|²   (Fletcher and Reeves),
//   x ← y + β p,    p ← β p + r;   where β > 1 the search begins anew: x ← y, p ← r.
// One vector more and no product with A. Lengths are those of the energy of each row by itself, Σ A_ii r_i²,
// which do not depend on units. x may leave its bounds, y never does; y is what is measured and returned, and
// as β > 1 whenever a sweep changes more than the one before it, a step too far is followed by plain sweeps.

#include "linalg/lcp_block_sweep.h"
#include "linalg/lcp_list.h"

#include <algorithm>

namespace lig {

LcpResult solve_nncg(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                     std::span<double> lambda_span) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda_span);
    if (result.status != LcpStatus::solved) return result;
    prepare_blocks(problem, workspace);
    double* lambda = lambda_span.data();
    double *p = workspace.parts().direction.data(), *begin = workspace.parts().dw.data();
    std::fill_n(p, problem.n, 0.0);
    double last = 0, beta = 0;
    return run_sweeps(problem, LcpFriction::cone, options, workspace, lambda_span, [&](auto&& progress) {
        // The step that the last sweep called for: y + β p, which with p ← β p + r done and r = y − x is
        // x + p. After the last sweep of all there is none.
        if (beta > 0)
            for (int i = 0; i < problem.n; ++i) lambda[i] = begin[i] + p[i];
        std::copy_n(lambda, problem.n, begin);
        sweep_blocks(problem, workspace, lambda, progress);
        double square = 0;
        for (int i = 0; i < problem.n; ++i) {
            const double r = lambda[i] - begin[i];
            square += problem.a[i * problem.stride + i] * r * r;
        }
        const double next = last > 0 ? square / last : 0;
        beta = next <= 1 ? next : 0;
        for (int i = 0; i < problem.n; ++i) p[i] = beta * p[i] + (lambda[i] - begin[i]);
        last = square;
    });
}

}  // namespace lig
