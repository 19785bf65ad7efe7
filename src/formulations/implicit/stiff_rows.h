#pragma once

// Stiffness that has no block of its own: contacts, limits, dry friction, tendons, whatever acts on one side
// only or reaches over more than one joint. As blocks these would change the matrix from iteration to
// iteration, and its graph from step to step. As rows j, whose impulses p follow a law of the change of their
// velocities w = j x, they change the solution by few ranks:
//     K x = b + Jᵀ p,   w = J K⁻¹ b + W p,   W = J K⁻¹ Jᵀ,   p = L(w)
// One factor of K serves; W costs half a solve for each row (linalg/block_response.h), as Baraff's
// anticipation does. Where all laws are linear, p = −g w, that is Woodbury's formula, and W + G⁻¹ has a root;
// otherwise law_solver.h finds p. Rows on bodies that nothing connects, neither joints nor equalities nor
// rows, are solved apart.

#include "formulations/implicit/law_solver.h"
#include "formulations/implicit/penalty_law.h"
#include "formulations/maximal/body_system.h"
#include "linalg/block_response.h"
#include "linalg/semidefinite_cholesky.h"

#include <span>
#include <vector>

namespace lig::implicit {

class StiffRows {
public:
    void clear();
    bool empty() const { return laws_.empty(); }

    // A row of the weight g > 0; then what its unit force does to bodies, about their centres of mass. A body
    // may be named more than once.
    void begin_row(double weight);
    // The rows of another law, `count` of them: add goes on with the first, next_row to those after it. p: a
    // guess of their impulses. Its place among the laws.
    int begin_law(const PenaltyLaw& law, const double* p);
    void next_row() { ++row_; }
    void add(const maximal::BodySystem& system, int link, const Force<double>& at_com);
    // The same of a force `value` along a freedom of a link, after find_freedoms.
    void add_freedom(const maximal::BodySystem& system, int link, int dof, double value);

    // After the system has been factored: x = K⁻¹ b becomes what to add to b, Jᵀ p. tolerance: of velocities
    // along rows. False: laws are not met.
    bool find_forces(const maximal::BodySystem& system, std::span<const double> x, double tolerance);
    void add_forces(const maximal::BodySystem& system, std::span<double> b) const;
    // The impulses of a law, as many as it has rows.
    std::span<const double> impulses_of(int law) const {
        return std::span(p_).subspan(laws_[law].row, laws_[law].count);
    }

private:
    void add_entries(const maximal::BodySystem& system, int link, const double* entries);
    struct Term {
        int row, link, begin;
    };
    void find_islands(const maximal::BodySystem& system);
    int first_of(int node);
    bool solve_island(const maximal::BodySystem& system, std::span<const double> x, double tolerance);

    int row_ = -1, rows_ = 0;
    std::vector<PenaltyLaw> laws_;
    std::vector<double> values_, p_;
    std::vector<Term> terms_;
    std::vector<int> components_;        // (nodes) of the matrix: one node of each
    std::vector<int> joined_;            // (nodes) the same, by rows as well
    std::vector<int> island_;            // (laws) such a node, −1: on no body, or solved
    std::vector<int> own_;               // laws of one island,
    std::vector<PenaltyLaw> own_laws_;   // with rows of their own,
    std::vector<double> own_p_;          // and their impulses
    std::vector<int> terms_begin_;       // (rows)
    std::vector<BlockTerm> blocks_;
    BlockResponse response_;
    SemidefiniteCholesky root_;
    LawSolver solver_;
    std::vector<double> matrix_, side_;
};

}  // namespace lig::implicit
