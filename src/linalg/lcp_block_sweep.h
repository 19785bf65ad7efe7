#pragma once

// A sweep of Gauss–Seidel by blocks: a normal row and its friction rows are solved together and exactly, with
// Coulomb's circular (elliptic) cone (cone_block.h); other rows one by one.

#include "linalg/lcp_sweeps.h"

namespace lig {

inline void prepare_blocks(const LcpProblem& problem, LcpWorkspace& workspace) {
    for (int i = 0; i < problem.n;) {
        const int count = friction_rows(problem, i);
        if (count > 0)
            workspace.parts().cones[std::size_t(i)] =
                prepare_cone(problem.a + i * problem.stride + i, problem.stride,
                             problem.friction + i + 1, count);
        i += 1 + count;
    }
}

// After prepare_blocks. progress(row, change): see run_sweeps.
template <class Progress>
void sweep_blocks(const LcpProblem& problem, LcpWorkspace& workspace, double* lambda, Progress&& progress) {
    const auto row_of = [&](int i) { return problem.a + i * problem.stride; };
    for (int i = 0; i < problem.n;) {
        const int count = friction_rows(problem, i);
        if (count == 0) {
            progress(i, relax_row(problem, i, problem.lo[i], problem.hi[i], lambda));
            ++i;
            continue;
        }
        // w of the block without what its own forces do.
        double c[1 + max_friction_rows], solved[1 + max_friction_rows];
        for (int k = 0; k <= count; ++k)
            c[k] = dot(row_of(i + k), lambda, problem.n) - dot(row_of(i + k) + i, lambda + i, 1 + count) +
                   problem.b[i + k];
        const bool possible = solve_cone(workspace.parts().cones[std::size_t(i)], c, solved);
        for (int k = 0; k <= count; ++k) {
            const double diagonal = row_of(i + k)[i + k];
            progress(i + k, possible ? diagonal * std::fabs(solved[k] - lambda[i + k]) : std::fabs(c[0]));
            lambda[i + k] = solved[k];
        }
        i += 1 + count;
    }
}

}  // namespace lig
