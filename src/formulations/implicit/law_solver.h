#pragma once

// LawSolver: impulses p of rows that act on each other, w = w₀ + W p, and that follow laws, p = L(w)
// (penalty_law.h). W is symmetric and positive semidefinite, what unit impulses do to the velocities of rows;
// w₀ what these are without.
//
// Each law knows what its own rows do to it: with D a diagonal of W's size, p = L(w₀ + W p) says the same as
//     F(p) = p − A(w₀ + (W − D) p) = 0,   A(a) the solution p of p = L(a + D p),
// and A is as gentle as 1/D, however stiff the laws are (PenaltyLaw::answer). Newton's method on F has the
// exact derivative: which contacts are open, stick or slide is decided here, on a few rows, and not by
// factoring the matrix of the bodies anew. F' = 1 + C (W − D), C = −A', is not symmetric where contacts
// slide, for friction goes with the push. The merit is Σ D F², and steps are taken only to where it is less
// than anywhere before.
//     Where they are not, cones of friction are held at the pushes they have: what is left is a convex
// problem, and Newton's method on it amounts to guessing which rows act. Cones are set anew there, and so on.
// If that
// leads nowhere either, laws are met one after the other in sweeps, more and more of them.

#include "formulations/implicit/penalty_law.h"

#include <span>
#include <vector>

namespace lig::implicit {

class LawSolver {
public:
    // W: n × n, row-major. p: a guess becomes the solution, from which the next step of Newton's method would
    // change velocities by no more than the tolerance.
    // False: it was not found, and p is the best that was.
    bool solve(std::span<const PenaltyLaw> laws, std::span<const double> W, std::span<const double> w0,
               double tolerance, std::span<double> p);

private:
    bool iterate(double tolerance);
    void find_answers();
    // F at p, and C if wanted; the merit is returned. held: by the cones of `cones_`.
    double look(std::span<const double> p, bool with_slopes, bool held = false);
    void solve_held(double tolerance);
    // Whether velocities would change by no more than `most` along the step.
    bool is_small(double most) const;
    bool find_direction();
    void sweep(bool held);

    int n_ = 0;
    std::span<const PenaltyLaw> laws_;
    std::span<const double> W_, w0_;
    std::vector<double> D_;               // (rows)
    std::vector<double> p_, best_, trial_;
    std::vector<double> aside_, F_, step_;  // w₀ + (W − D) p, …
    std::vector<double> slopes_;          // (laws) C
    std::vector<double> cones_;           // (laws)
    std::vector<char> active_;
    std::vector<int> places_;             // active rows
    std::vector<double> matrix_, right_;  // of them
    std::vector<int> swapped_;            // rows of the matrix
};

}  // namespace lig::implicit
