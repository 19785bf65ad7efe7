// Projected Gauss–Seidel: each row in turn gets the λ that satisfies it with all others fixed, cut to its
// bounds; friction rows are cut to the pyramid of the normal force of the moment.
//
// O(n²) per sweep. Without friction every step lowers ½ λᵀA λ + bᵀλ, so the iteration converges for every
// semidefinite A with a solution, redundant rows included: geometrically, the slower the worse A is
// conditioned (long chains, large mass ratios). With friction it need not, though it does for the
// coefficients of practice. After any sweep λ is within its bounds, hence usable.

#include "linalg/lcp_list.h"
#include "linalg/lcp_sweeps.h"

namespace lig {

LcpResult solve_pgs(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                    std::span<double> lambda) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda);
    if (result.status != LcpStatus::solved) return result;
    return run_sweeps(problem, LcpFriction::pyramid, options, workspace, lambda, [&](auto&& progress) {
        for (int i = 0; i < problem.n; ++i) {
            const int normal = friction_partner(problem, i);
            double lo, hi;
            if (normal < 0) {
                lo = problem.lo[i];
                hi = problem.hi[i];
            } else {
                hi = problem.friction[i] * lambda[std::size_t(normal)];
                lo = -hi;
            }
            progress(i, relax_row(problem, i, lo, hi, lambda.data()));
        }
    });
}

}  // namespace lig
