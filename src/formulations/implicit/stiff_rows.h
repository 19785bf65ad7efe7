#pragma once

// Stiffness between bodies that have no block of their own: contacts of two bodies, tendons, whatever reaches
// over more than one joint. As blocks they would change the graph of the matrix from step to step. As rows j
// with a weight g they change its inverse by few ranks (Woodbury):
//     (K + Σ g jᵀ j)⁻¹ b = K⁻¹ (b − Jᵀ μ),   (G⁻¹ + J K⁻¹ Jᵀ) μ = J K⁻¹ b
// One factor of K serves; J K⁻¹ Jᵀ costs half a solve for each row (linalg/block_response.h), as Baraff's
// anticipation does.

#include "formulations/maximal/body_system.h"
#include "linalg/block_response.h"
#include "linalg/semidefinite_cholesky.h"

#include <span>
#include <vector>

namespace lig::implicit {

class StiffRows {
public:
    void clear();
    bool empty() const { return weights_.empty(); }

    // A row of the weight g > 0; then what its unit force does to bodies, about their centres of mass. A body
    // may be named more than once.
    void begin_row(double weight) { weights_.push_back(weight); }
    void add(const maximal::BodySystem& system, int link, const Force<double>& at_com);

    // After the system has been factored.
    void factor(const maximal::BodySystem& system);
    // x: a right-hand side becomes the solution, by system.solve or what `solve` does instead of it.
    template <class Solve>
    void solve(const maximal::BodySystem& system, std::span<double> x, Solve&& solve) {
        right_.assign(x.begin(), x.end());
        solve(x);
        find_forces(system, x);
        add_forces(system, right_);
        std::copy(right_.begin(), right_.end(), x.begin());
        solve(x);
    }

private:
    struct Term {
        int row, link, begin;
    };
    void find_forces(const maximal::BodySystem& system, std::span<const double> x);
    void add_forces(const maximal::BodySystem& system, std::span<double> x) const;

    std::vector<double> weights_, values_;
    std::vector<Term> terms_;
    std::vector<BlockTerm> blocks_;
    BlockResponse response_;
    SemidefiniteCholesky root_;
    std::vector<double> matrix_, side_, forces_, right_;
};

}  // namespace lig::implicit
