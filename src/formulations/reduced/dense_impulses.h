#pragma once

// Impulses by one of the solvers of linalg/lcp_list.h, with the response matrix of an island's rows written
// out: A = Z Zᵀ with the compliances on its diagonal, b + Z s_free. Costs n² memory and what the solver
// costs, n³ mostly. For comparison with the sweeps, and for problems on which an exact pivoting method is
// wanted. Which law of friction holds, pyramid or cone, is the solver's.

#include "constraints/rows.h"
#include "formulations/reduced/row_response.h"
#include "linalg/lcp_list.h"

#include <span>
#include <string>
#include <vector>

namespace lig {

// The solver of that name; null: there is none.
const LcpSolverInfo* find_lcp_solver(std::string_view name);
// The names of all, for messages: "a, b, c".
std::string lcp_solver_names();

class DenseImpulses {
public:
    static constexpr int most_rows = 600;

    // freedoms: nv.
    DenseImpulses(const LcpSolverInfo& solver, int freedoms) : solver_(solver), z_(freedoms) {}

    const LcpSolverInfo& solver() const { return solver_; }

    struct Result {
        LcpStatus status =
            LcpStatus::invalid;  // invalid with more than most_rows rows: nothing has been written
        int rows = 0, iterations = 0;
        double residual = 0;  // velocity by which rows are missed
    };
    // The rows of `blocks` (indices). λ comes in as a guess. Writes λ of these rows and, on the freedoms that
    // they act on, s = s_free + Zᵀ λ. iterations: 0 for the solver's own limit.
    Result solve(const Rows& rows, const RowResponse& response, std::span<const int> blocks,
                 std::span<const double> b, std::span<const double> s_free, int iterations,
                 std::span<double> lambda, std::span<double> s);

private:
    void write_problem(const Rows& rows, const RowResponse& response, std::span<const int> blocks,
                       std::span<const double> b, std::span<const double> s_free);

    const LcpSolverInfo& solver_;
    LcpWorkspace workspace_;
    std::vector<double> z_;  // (nv) one row, spread out
    std::vector<double> a_, b_, lo_, hi_, friction_, lambda_;
    std::vector<int> partner_;
    std::vector<int> begin_;  // (blocks of the problem) their first rows in it
    int n_ = 0;
};

}  // namespace lig
