#pragma once

// Lemke's method for linear complementarity problems of any matrix,
//
//   w = M z + q,   z ≥ 0,  w ≥ 0,  zᵀw = 0;   of rows marked free: w = 0, z of any sign.
//
// Method. All variables stand in a dictionary x_B = q̄ + D x_N whose rows and columns are exchanged. Free
// rows are exchanged first (z in, w out for good), by the largest pivot that is left; those without one
// depend on the others and keep z = 0. Then, if some q̄ is negative, a further variable z₀ enters that
// lifts all rows alike, in exchange for the lowest one, and from there on whatever left last is followed
// by its complement until z₀ leaves (a solution) or nothing stops the variable that enters (a ray). For
// semidefinite M, and for the matrices of friction by the paper's rows (copositive: zᵀM z ≥ 0 for z ≥ 0),
// a ray means that the rows contradict each other.
//
// Ties are broken lexicographically, by the rows of the inverse of the basis: as if q had been perturbed by
// (ε, ε², …), so that no basis comes twice. Rounding voids any such proof; the number of pivots is bounded.
//
// Rounding. Hundreds of exchanges on one table lose digits without a trace, first in the numbers and then in
// the decisions that rest on them. Four things are done about it, unless `refine` is off:
//   - entries of a column below rounding are not taken for pivots, values of q̄ below it not for negative;
//   - the basis that is found is solved anew from M and q, by LU with row pivoting and two corrections, and z
//     and w are judged by their conditions: what is returned as solved is solved to rounding;
//   - every few pivots the table is compared with M and, where digits are lost, built anew at its basis;
//   - where the basis that is found is no solution, the method goes on from there; where it ended without
//     one, it begins again with another z₀: four more times at most.
// A start from a basis of the caller's goes the way of going on. There a ray proves nothing: the method then
// begins again without it.
//
// Rows and columns are to be scaled by the caller such that entries are of size 1, the diagonal ones
// especially.
//
// After Cottle, Pang, Stone, "The Linear Complementarity Problem" (1992), 4.4.

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace lig {

struct LemkeProblem {
    int n = 0;
    const double* m = nullptr;  // row-major, rows `stride` apart
    int stride = 0;
    const double* q = nullptr;
    const unsigned char* free = nullptr;  // per row, not 0: a free one; null: none is
};

struct LemkeOptions {
    int pivots = 0;  // at most; 0: 20 n + 100
    double tolerance = 1e-12;  // of LemkeResult::error
    // Off: the plain textbook method, which believes its table. Kept to show what that does.
    bool refine = true;
    const std::atomic<bool>* stop = nullptr;
};

enum class LemkeStatus : unsigned char {
    solved,
    ray,  // nothing stops the last variable; LemkeWorkspace::ray holds the direction
    pivot_limit,  // also when the caller asked to stop
    inaccurate  // ended, but the basis that was found is no solution by more than the tolerance
};

struct LemkeResult {
    LemkeStatus status = LemkeStatus::inaccurate;
    int pivots = 0;
    int rebuilt = 0;  // tables that were built anew at a basis, as they had lost digits
    int dependent = 0;  // free rows that depend on others
    // Largest |min(z_i, w_i)|, or |w_i| of a free row, relative to |q_i| + Σ |M_ij z_j| + a thousandth of
    // the largest q and z; rows that depend on others are left out.
    double error = 0;
};

// Room for problems of up to `capacity` rows; a solve allocates nothing.
class LemkeWorkspace {
public:
    explicit LemkeWorkspace(int capacity = 0) { resize(capacity); }
    void resize(int capacity);
    int capacity() const { return capacity_; }

    // Of the result: the direction in z of a ray; which free rows depend on others (not 0).
    std::vector<double> ray;
    std::vector<unsigned char> dependent;

    // The table, and in its place the factor of a basis. Not initialized: pages that are not used cost
    // nothing.
    std::unique_ptr<double[]> table;
    std::vector<double> values, x, best, residual, cover;
    std::vector<int> basic, nonbasic, position, first_basis, members;
    std::vector<unsigned char> best_basis, wanted;

private:
    int capacity_ = 0;
};

// basis: in, which z to begin with above 0 (not 0: one of them; free rows are not looked at), out those of
// the solution. z: out; where the status is not `solved` the best that has been found, never negative in rows
// that are not free.
LemkeResult solve_lemke_problem(const LemkeProblem& problem, const LemkeOptions& options,
                                LemkeWorkspace& workspace, std::span<unsigned char> basis,
                                std::span<double> z);

}  // namespace lig
