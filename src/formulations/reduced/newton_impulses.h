#pragma once

// Impulses by Newton's method, for rows that sweeps resolve too slowly: stacks, heavy on light, many contacts on
// one character.
//
// Sweeps solve one block after another and need many turns where blocks work against each other. Here all rows of an
// island are solved together. With a compliance R far below what can be felt (ε times the response of the row) the
// impulses follow from the velocities, block by block: λ = P(−R⁻¹ u), the projection on the bounds or on the cone,
// and s minimizes
//     f(s) = ½ |s − s_free|² + Σ ψ(z s + b),    −∂ψ/∂u = λ,
// which is convex, once differentiable and quadratic piece by piece. Newton's method with an exact search along its
// direction ends after as many steps as sets of active rows are tried: two or three from the impulses of the last
// step. H = 1 + Zᵀ G Z, G = −∂λ/∂u, has the pattern of the supports, without fill on trees (EnvelopeCholesky).
//
// Friction. The cone in the variables t_i = λ_i/μ_i is round; R = R_n diag(1, ρ/μ_i²). With y = −R⁻¹ u in these
// variables and T = |y_t|, e = y_t/T:
//     sticks   T ≤ y_n:    λ = y,                                                G = R⁻¹
//     open     y_n ≤ −ρT:  λ = 0,                                                G = 0
//     slides   between:    λ_n = (y_n + ρT)/(1 + ρ), t = λ_n e,
//              G = g gᵀ/(R_n (1 + ρ)) + λ_n/(T R_n ρ) (0 ⊕ M (1 − e eᵀ) M),      g = (1, M e), M = diag μ
// ψ = ½ λᵀ R λ. Minimizing f alone would let a sliding contact open at the speed |M u_t| (its force is normal to the
// cone, not against the velocity). Adding just that speed to the normal row's b makes the two the same (De Saxcé and
// Feng 1998); it is found by repeating, from the last answer on.

#include "constraints/rows.h"
#include "formulations/reduced/row_response.h"
#include "linalg/envelope_cholesky.h"

#include <span>
#include <vector>

namespace lig {

struct NewtonResult {
    int iterations = 0, outer = 0;
    bool converged = false;
};

class NewtonImpulses {
public:
    explicit NewtonImpulses(const JointFactor& factor);

    // The rows of `blocks` (indices), which touch only freedoms of the trees `trees` (indices of trees()). λ comes in
    // as a guess. Writes λ of these rows and s of these trees.
    NewtonResult solve(const Rows& rows, const RowResponse& response, std::span<const int> blocks,
                       std::span<const int> trees, std::span<const double> b, std::span<const double> s_free,
                       double accuracy, std::span<double> lambda, std::span<double> s);

    struct Tree {
        int v_begin, v_end;
    };
    const std::vector<Tree>& trees() const { return trees_; }
    int tree_of_dof(int dof) const { return tree_of_dof_[dof]; }

private:
    enum class Part : unsigned char {
        open,
        sticks,
        slides
    };
    struct Block {
        int index;            // in Rows::blocks
        int begin, count;
        bool cone;
        double response;      // R of the (normal) row
        double rho;
        double shift;         // added to the normal row
        Part part;
        double normal, length;  // sliding: λ_n and T
        double e[5];
    };
    struct Scalar;

    void evaluate(Block& block, const Rows& rows, const double* u, double* lambda) const;
    double opening_speed(const Block& block, const Rows& rows) const;
    double curvature(const Block& block, const Rows& rows, const double* u, const double* lambda,
                     const double* du) const;
    void add_hessian(const Block& block, const Rows& rows, const RowResponse& response, const double* lambda);
    void add_outer(const ResponseBlock& block, const RowResponse& response, const double* weights, double factor);

    std::vector<Tree> trees_;
    std::vector<int> tree_of_dof_;
    std::vector<int> local_;           // (nv) place of a freedom in the matrix
    std::vector<Block> blocks_;
    EnvelopeCholesky H_;
    std::vector<double> u_, du_, before_, compliance_;     // (rows)
    std::vector<double> gradient_, direction_, packed_;   // (nv)
    std::vector<double> line_;                            // (nv)
};

}  // namespace lig
