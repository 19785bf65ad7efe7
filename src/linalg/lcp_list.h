#pragma once

// The LCP solvers, one line each: solve_<name> in its own file, the law of its friction rows, a summary.
// `ligament list solvers` and the contract test run over the list.

#include "linalg/lcp.h"

#include <span>
#include <string_view>

#define LIG_FOR_EACH_LCP_SOLVER(X)                                                            \
    X(dantzig, pyramid, "pivoting, exact; friction by repeated bounds; up to some 100 rows")  \
    X(pgs, pyramid, "projected Gauss-Seidel, row by row; interruptible")                      \
    X(block_pgs, cone, "Gauss-Seidel with an exact friction cone per contact; interruptible") \
    X(nncg, cone, "block_pgs, accelerated by nonlinear conjugate gradients; interruptible")   \
    X(lemke, diamond, "Lemke's pivoting; friction in four directions, exact; some 200 rows")

namespace lig {

#define LIG_DECLARE_LCP_SOLVER(name, law, summary)                               \
    LcpResult solve_##name(const LcpProblem& problem, const LcpOptions& options, \
                           LcpWorkspace& workspace, std::span<double> lambda);
LIG_FOR_EACH_LCP_SOLVER(LIG_DECLARE_LCP_SOLVER)
#undef LIG_DECLARE_LCP_SOLVER

inline constexpr LcpSolverInfo lcp_solver_list[] = {
#define LIG_LIST_LCP_SOLVER(name, law, summary) {#name, LcpFriction::law, summary, solve_##name},
    LIG_FOR_EACH_LCP_SOLVER(LIG_LIST_LCP_SOLVER)
#undef LIG_LIST_LCP_SOLVER
};

}  // namespace lig
