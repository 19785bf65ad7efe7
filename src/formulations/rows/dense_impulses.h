#pragma once

// Impulses by one of the solvers of linalg/lcp_list.h, with the response matrix of an island's rows written
// out: A = Z Zᵀ with the compliances on its diagonal, b + Z s_free. Costs n² memory and what the solver
// costs, n³ mostly. For comparison with the sweeps, and for problems on which an exact pivoting method is
// wanted. Which law of friction holds is the solver's; with `lemke`, by the options, that of six rows or that
// of one tangent (tangent_friction.h).
//
// Pivoting may end without a solution: at its limit, or because rounding was too much for it. Then the sweeps
// of the same law (pgs for dantzig) or of a round cone (nncg for lemke) go on from what it left, and the
// better of both answers is taken, each measured under its own law. The result says which solver it is of. A
// tangent that cannot be solved for is first given up for six rows.

#include "formulations/rows/island_problem.h"
#include "linalg/lcp_list.h"

#include <ligament/simulation.h>

#include <span>
#include <string>
#include <vector>

namespace lig {

// The names of all, for messages: "a, b, c".
std::string lcp_solver_names();

// Who goes on where this solver ends without a solution; null: nobody would do better.
const LcpSolverInfo* successor_of(const LcpSolverInfo& solver);

class DenseImpulses {
public:
    // freedoms: nv. Of the options: friction, seed, accuracy and the number of iterations.
    DenseImpulses(const LcpSolverInfo& solver, int freedoms, const SimulationOptions& options)
        : solver_(solver), options_(options), z_(freedoms) {}

    const LcpSolverInfo& solver() const { return solver_; }

    struct Result {
        LcpStatus status =
            LcpStatus::invalid;  // invalid with more than max_dense_rows rows: nothing has been written
        int rows = 0, iterations = 0;
        double residual = 0;  // velocity by which rows are missed
        const LcpSolverInfo* fallback = nullptr;  // whose answer it is, if not that of the solver itself,
        LcpStatus given_up = LcpStatus::solved;  // which ended with this
    };
    // A tangent is replaced by the same solver with six rows.
    std::string_view name_of_fallback(const Result& result) const {
        return result.fallback == &solver_ ? "six_rows" : result.fallback->name;
    }
    // λ comes in as a guess. Writes λ of the rows and, on the freedoms that they act on, s = s_free + Zᵀ λ.
    // contacts: those that the rows are of.
    Result solve(const IslandProblem& given, const Contacts& contacts, std::span<double> lambda,
                 std::span<double> s);

private:
    void choose_tangents(const IslandProblem& given, const Contacts& contacts);
    LcpResult solve_problem(const LcpProblem& problem, const LcpSolverInfo*& fallback, LcpStatus& given_up);
    void write_problem(const IslandProblem& given);
    void take_impulses(const IslandProblem& given, std::span<double> lambda, std::span<double> s) const;

    const LcpSolverInfo& solver_;
    const SimulationOptions& options_;
    LcpWorkspace workspace_;
    std::vector<double> z_;  // (nv) one row, spread out
    std::vector<double> a_, b_, lo_, hi_, friction_, lambda_, other_;
    std::vector<int> partner_;
    std::vector<TangentDirection> tangents_;  // by the row of the normal
    std::vector<int> begin_;  // (blocks of the problem) their first rows in it
    int n_ = 0;
};

}  // namespace lig
