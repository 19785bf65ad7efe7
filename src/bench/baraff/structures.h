#pragma once

// The structures of Baraff 1996, sec. 9, as far as the paper tells: how many bodies and constraints, and of
// which kind. The rest is ours: binary trees of rods, pinned to the world at their root, in a pose and with
// velocities from a fixed sequence. Auxiliary constraints are rows beside the matrix of the primary ones.

#include "bench/body_problem.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_response.h"
#include "linalg/lcp.h"
#include "linalg/semidefinite_cholesky.h"

#include <memory>
#include <span>
#include <vector>

namespace lig::bench {

class Structure {
public:
    virtual ~Structure() = default;

    virtual const BlockLdlt& matrix() const = 0;
    virtual void write_rows() = 0;    // J, that of auxiliary rows included, and what it is to give
    virtual void write_masses() = 0;
    virtual void factor() = 0;

    // (f, k) of K (a, y) = (f, k); y = −λ.
    std::span<const double> side() const { return side_; }
    // What auxiliary constraints are to give: J' a = k', or ≥ where they are contacts.
    int auxiliary() const { return static_cast<int>(auxiliary_side_.size()); }
    std::span<const BlockTerm> auxiliary_rows() const { return auxiliary_rows_; }
    std::span<const double> auxiliary_side() const { return auxiliary_side_; }

protected:
    std::vector<double> side_, auxiliary_side_;
    std::vector<BlockTerm> auxiliary_rows_;
};

// 2D: `bodies` on as many pins of two rows, and further pins between leaves, which close loops.
std::unique_ptr<Structure> planar_structure(int bodies, int loops);
// 3D: `bodies` on as many ball joints, and frictionless contacts at the tips of leaves.
std::unique_ptr<Structure> spatial_structure(int bodies, int contacts);

// One matrix for all constraints, auxiliary rows as nodes; and its right-hand side.
BlockLdlt whole_matrix(const Structure& structure);
std::vector<double> whole_side(const Structure& structure);

// Constraint anticipation, sec. 8.2: k + 2 solves of the structure's matrix, which is factored.
class Anticipation {
public:
    enum class Coefficients {
        by_solves,  // as in the paper: a solve for each
        general,    // along the elimination tree; forces need not be the transpose of the rows
        workless    // the same, where they are
    };

    explicit Anticipation(const Structure& structure);
    void find_coefficients(Coefficients by);
    void find_free();                     // what auxiliary rows are without their forces
    void find_forces(bool inequalities);  // of the auxiliary rows
    void finish();                        // accelerations and multipliers of the primary ones
    std::span<const double> solution() const { return x_; }
    std::span<const double> forces() const { return forces_; }

private:
    const Structure& structure_;
    BlockResponse response_;
    std::vector<double> A_, x_, free_, forces_, low_, high_;
    LcpWorkspace lcp_;
    SemidefiniteCholesky cholesky_;
};

}  // namespace lig::bench
