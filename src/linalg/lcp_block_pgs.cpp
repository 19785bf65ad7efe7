// Gauss–Seidel by blocks: a normal row and its friction rows are solved together and exactly, with Coulomb's
// circular (elliptic) cone; see cone_block.h. Other rows one by one, as in lcp_pgs.cpp.
//
// O(n²) per sweep. Against row by row with pyramids: friction has no preferred directions, sliding goes
// exactly against the velocity, and a contact needs no sweeps for its own rows. What couples contacts
// converges as slowly as there.

#include "linalg/lcp_list.h"
#include "linalg/lcp_sweeps.h"

namespace lig {

LcpResult solve_block_pgs(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                          std::span<double> lambda_span) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda_span);
    if (result.status != LcpStatus::solved) return result;
    double* lambda = lambda_span.data();
    const auto row_of = [&](int i) { return problem.a + i * problem.stride; };

    for (int i = 0; i < problem.n;) {
        const int count = friction_rows(problem, i);
        if (count > 0)
            workspace.cones[std::size_t(i)] =
                prepare_cone(row_of(i) + i, problem.stride, problem.friction + i + 1, count);
        i += 1 + count;
    }

    return run_sweeps(problem, LcpFriction::cone, options, workspace, lambda_span, [&](auto&& progress) {
        for (int i = 0; i < problem.n;) {
            const int count = friction_rows(problem, i);
            if (count == 0) {
                progress(i, relax_row(problem, i, problem.lo[i], problem.hi[i], lambda));
                ++i;
                continue;
            }
            // w of the block without what its own forces do.
            double c[1 + most_friction_rows], solved[1 + most_friction_rows];
            for (int k = 0; k <= count; ++k)
                c[k] = dot(row_of(i + k), lambda, problem.n) - dot(row_of(i + k) + i, lambda + i, 1 + count) +
                       problem.b[i + k];
            const bool possible = solve_cone(workspace.cones[std::size_t(i)], c, solved);
            for (int k = 0; k <= count; ++k) {
                const double diagonal = row_of(i + k)[i + k];
                progress(i + k, possible ? diagonal * std::fabs(solved[k] - lambda[i + k]) : std::fabs(c[0]));
                lambda[i + k] = solved[k];
            }
            i += 1 + count;
        }
    });
}

}  // namespace lig
