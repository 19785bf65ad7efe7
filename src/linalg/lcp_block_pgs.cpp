// Gauss–Seidel by blocks (lcp_block_sweep.h).
//
// O(n²) per sweep. Against row by row with pyramids: friction has no preferred directions, sliding goes
// exactly against the velocity, and a contact needs no sweeps for its own rows. What couples contacts
// converges as slowly as there.

#include "linalg/lcp_block_sweep.h"
#include "linalg/lcp_list.h"

namespace lig {

LcpResult solve_block_pgs(const LcpProblem& problem, const LcpOptions& options, LcpWorkspace& workspace,
                          std::span<double> lambda) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda);
    if (result.status != LcpStatus::solved) return result;
    prepare_blocks(problem, workspace);
    return run_sweeps(problem, LcpFriction::cone, options, workspace, lambda, [&](auto&& progress) {
        sweep_blocks(problem, workspace, lambda.data(), progress);
    });
}

}  // namespace lig
