#pragma once

// What the solvers of complementarity problems share (ligament/lcp.h states the problem).

#include "linalg/cone_block.h"
#include "linalg/lcp_expansion.h"

#include <ligament/lcp.h>

#include <span>
#include <vector>

namespace lig {

struct LcpWorkspace::Parts {
    int capacity = 0;
    std::vector<double> w, scale;  // see LcpWorkspace
    // lemke: the guess, in `lo`. nncg: the last step and where a sweep began, in `direction` and `dw`.
    // dantzig: bounds with those of friction rows; direction of λ (by place in the factor) and of w; the
    // factor.
    std::vector<double> lo, hi, direction, dw, root_diagonal, factor, reciprocal, rotations;
    std::vector<int> order, place;     // row at a place of the factor; place of a row
    std::vector<unsigned char> state;  // of a row
    // block_pgs, nncg: what is prepared of each contact, by its normal row.
    std::vector<ConeBlock> cones;
    LcpExpansion expansion;  // lemke
};

// What all solvers begin and end with. `begin_lcp` checks the problem and moves λ into its bounds; anything
// but `solved` is to be returned. `finish_lcp` measures and settles the status.
LcpStatus begin_lcp(const LcpProblem& problem, const LcpWorkspace& workspace, std::span<double> lambda);
void finish_lcp(const LcpProblem& problem, LcpFriction law, const LcpOptions& options,
                LcpWorkspace& workspace, std::span<double> lambda, LcpResult& result);

// A point (x, y) moved to the nearest one with |x| + |y| ≤ radius.
void move_into_diamond(double radius, double& x, double& y);

inline int friction_partner(const LcpProblem& problem, int row) {
    return problem.partner ? problem.partner[row] : -1;
}
// How many friction rows stand behind a row.
inline int friction_rows(const LcpProblem& problem, int normal) {
    int count = 0;
    while (normal + count + 1 < problem.n && friction_partner(problem, normal + count + 1) == normal) ++count;
    return count;
}
inline bool stop_requested(const LcpOptions& options) {
    return options.stop && options.stop->load(std::memory_order_relaxed);
}

}  // namespace lig
