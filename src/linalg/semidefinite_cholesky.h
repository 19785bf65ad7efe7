#pragma once

// A x = b for a symmetric positive semidefinite A whose rank is to be found: Cholesky with diagonal pivoting.
//
// Of what is left of the diagonal after the rows chosen so far, the row with the largest share of its
// own entry a_ii comes next: the squared sine of its angle to them, where A is a matrix of products of
// vectors. It ends when no share is above the tolerance. The rows left over follow from the others to
// that tolerance; their unknowns are 0. Rounding of A shows as shares of about m ε, so tolerances below
// that mean nothing.

#include <span>
#include <vector>

namespace lig {

class SemidefiniteCholesky {
public:
    // A: n × n, row-major, both triangles. least: of the diagonal, what counts as nothing, where rounding of
    // A is larger than that of its own entries; empty: 0. Returns the rank. Allocates only beyond the largest
    // n so far.
    int factor(std::span<const double> A, int n, double tolerance, std::span<const double> least = {});

    // After factor. b and x: n entries, x is 0 at the rows left over. One pass of refinement with A.
    void solve(std::span<const double> A, std::span<const double> b, std::span<double> x);

    int rank() const { return rank_; }
    // L of A = L Lᵀ, to the tolerance: a row of A's order, rank entries; the next row is n further on.
    const double* root(int row) const { return l_.data() + static_cast<std::size_t>(row) * n_; }
    bool is_kept(int row) const { return place_[row] < rank_; }

private:
    void solve_kept(std::vector<double>& x) const;

    int n_ = 0, rank_ = 0;
    std::vector<double> l_;          // rows in the order of the rows of A, n apart: L up to the rank
    std::vector<double> remainder_;  // (n)
    std::vector<int> order_, place_; // (n) the rows as they were chosen, and back
    std::vector<double> rest_;       // (n) scratch, in the order chosen
};

}  // namespace lig
