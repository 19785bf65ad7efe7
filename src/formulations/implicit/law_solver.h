#pragma once

// LawSolver: impulses p of rows that act on each other, w = w₀ + W p, and that follow laws, p = L(w)
// (penalty_law.h). W is symmetric and positive semidefinite, what unit impulses do to the velocities of rows;
// w₀ what these are without.
//
// Newton's method on F(p) = p − L(w₀ + W p), with the exact derivative: which contacts are open, stick or slide
// is decided here, on a few rows, and not by factoring the matrix of the bodies anew. F' = 1 + C W, C = −L', is
// not symmetric where contacts slide, for friction goes with the push. A step is taken if |W F|, by how much
// velocities are missed, becomes less by it.
//     Where it does not, cones of friction are held at the pushes they have. Then W F is the gradient of a convex
// function, and Newton's steps, each as far as the slope along it falls to nothing (a monotone function of one
// number), lead to its minimum from anywhere. Cones are set anew there, and so on: a fixed-point iteration which
// contracts as long as friction does not wedge bodies, and Newton's method ends it.

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
    // At p: w, L, F and W F, C if wanted; its length is returned. held: by the cones of `cones_`.
    double look(std::span<const double> p, bool with_slopes, bool held = false);
    void solve_held(double tolerance);
    bool is_small(double most) const;
    bool find_direction();
    void sweep();
    void sweep_law(const PenaltyLaw& law);
    void change(int row, double to);

    int n_ = 0;
    std::span<const PenaltyLaw> laws_;
    std::span<const double> W_, w0_;
    std::vector<double> p_, best_, trial_;
    std::vector<double> w_, law_, missed_;  // w, L, W F
    std::vector<double> F_, step_;
    std::vector<double> slopes_;            // (laws) C
    std::vector<double> cones_;             // (laws)
    std::vector<char> active_;
    std::vector<int> places_;               // active rows
    std::vector<double> matrix_, right_;    // of them
};

}  // namespace lig::implicit
