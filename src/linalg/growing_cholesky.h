#pragma once

// A = L Lᵀ of a matrix whose rows come and go, at O(m²) each: what pivoting methods factor.
//
// A new row is appended at the end: its part of L is L⁻¹ a (a: its entries towards the rows that are there),
// its pivot the Schur complement a_ii − |L⁻¹ a|², which is 0 exactly where the row depends on the others.
// When row k goes, the rows below it have one entry too many; plane rotations of neighbouring columns take it
// out: (L Q)(L Q)ᵀ = L Lᵀ. Both are backward stable, and no removal can fail.

namespace lig {

struct GrowingCholesky {
    double* l;           // rows `stride` apart, the lower triangle
    double* reciprocal;  // 1/L_ii
    double* rotations;   // room for 2 × capacity
    int stride;
    int size = 0;

    void append(const double* reduced, double pivot);  // reduced: L⁻¹ a, from solve_down; pivot > 0
    void remove(int k);
    void solve_down(double* x) const;  // L y = x in place
    void solve_up(double* x) const;    // Lᵀ y = x in place
    void solve(double* x) const {
        solve_down(x);
        solve_up(x);
    }
};

}  // namespace lig
