#pragma once

// BlockLdlt: a symmetric block matrix whose graph is known in advance, factored as L D Lᵀ.
//
//     K = ( M  Jᵀ )      M: body nodes, positive definite blocks; body–body edges are allowed
//         ( J  −C )      C: constraint nodes, positive semidefinite blocks (compliance), zero for hard ones
//
// After Baraff 1996, sec. 6–7 and appendix A: eliminated from the leaves to the root, a tree of bodies and
// constraints has no fill, and factor and solve are O(n). Beyond the paper, any graph is taken: nodes are
// ordered by minimum degree among those that are eligible, so that a loop costs its own fill only.
//
// Eligible. Bodies always are. A hard constraint is once the blocks that have been eliminated determine it:
// the set of eliminated bodies B and constraints E must leave J[E, B] of full row rank, or a pivot would be
// singular although K is not. Two ball joints on one body are 6 rows of rank 5, so counting freedoms is not
// enough: within each connected piece of what has been eliminated there must be no more constraints than
// bodies. Such a piece without cycles is triangular and so of full rank, whatever the geometry. A constraint
// all of whose bodies have been eliminated is always eligible: what is then missing in rank is redundancy of
// K itself or of a part of it. Soft constraints (compliance on all rows) are always eligible.
//
// Redundant rows. The pivot of a row that follows from others is rounding. Within the block of a constraint
// node rows are eliminated one by one; a pivot smaller than redundant_share of what the row started with has
// regularization times that added to it, and is counted. Such a factor is that of K − diag(0, μ), and a
// solution is improved by proximal steps with the residual of K itself (solve_refined): where the rows do not
// contradict each other it becomes that of K, else the one with the least squares of what is missed.
//
// Symbolic work is done once, by the constructor; factor, solve and the rest allocate nothing.

#include <cstddef>
#include <span>
#include <vector>

namespace lig {

class BlockLdlt {
public:
    static constexpr int most_rows = 12;  // of a block

    struct Node {
        int dim;          // 1 … most_rows
        bool constraint;
        bool soft = false;  // constraint: its diagonal block is negative definite by itself
    };
    struct Edge {
        int a, b;  // different nodes; at least one of them a body. No two edges join the same nodes.
    };

    BlockLdlt() = default;
    BlockLdlt(std::span<const Node> nodes, std::span<const Edge> edges);

    // Vectors have the entries of node 0, then of node 1, …
    int size() const { return size_; }
    int offset(int node) const { return offset_[node]; }
    int dim(int node) const { return nodes_[node].dim; }
    int nodes() const { return static_cast<int>(nodes_.size()); }

    // The blocks of K, to be written before factor, which leaves them as they are. Zero at first.
    double* diagonal(int node) { return matrix_.data() + diagonal_at_[node]; }  // dim × dim, row-major, both triangles
    double* edge(int edge) { return matrix_.data() + edge_at_[edge]; }  // dim(a) × dim(b), row-major
    const double* edge(int edge) const { return matrix_.data() + edge_at_[edge]; }

    struct Factored {
        int bad_node = -1;       // a body whose pivot is not positive definite (or a number that is not
                                 // finite): there is no factor
        int redundant_rows = 0;  // rows of constraints that follow from others
    };
    Factored factor();
    // Of the last factor, by entries of vectors: 1 where a row is redundant.
    std::span<const char> redundant() const { return redundant_; }

    // x: a right-hand side becomes the solution, by the factor as it is.
    void solve(std::span<double> x) const;
    // out = K x, without what has been added for redundant rows.
    void multiply(std::span<const double> x, std::span<double> out) const;

    struct Refined {
        int solves = 0;
        double residual = 0;  // largest |rhs − K x| of constraint rows, relative to the largest of the terms
                              // that cancel in its row
    };
    // x = the solution, improved until the residual does not shrink any more or is below the tolerance. Always
    // at least one solve; without redundant rows and with most_solves = 1 the same as solve. rhs and x must
    // not overlap.
    Refined solve_refined(std::span<const double> rhs, std::span<double> x, int most_solves,
                          double tolerance = 1e-14);

    // Anticipation, sec. 8. The response to a force on few nodes needs a half of a solve along their ways to
    // the root of the elimination tree. y comes with the force on the given nodes and zeros elsewhere, and
    // leaves as L⁻¹ y; `support` gets the nodes where it is not zero, in the order of elimination. Nothing
    // but the support is looked at or written.
    void half_solve(std::span<const int> nodes, std::span<double> y, std::vector<int>& support) const;
    // out = D⁻¹ y on the support.
    void divide(std::span<const int> support, std::span<const double> y, std::span<double> out) const;
    // y of D⁻¹ L⁻¹ …, all nodes, becomes L⁻ᵀ y: the other half.
    void finish_solve(std::span<double> y) const;

    // The order of elimination, and how many blocks L has below its diagonal: edges() − fill() are those of K.
    std::span<const int> order() const { return order_; }
    int blocks() const { return blocks_; }
    int fill() const { return fill_; }
    // Multiplications and additions of one factorization and one solve.
    double factor_operations() const { return factor_operations_; }
    double solve_operations() const { return solve_operations_; }

private:
    // A row of blocks of Lᵀ, dim scalar rows: first the diagonal block, then the blocks of the nodes that are
    // eliminated later, side by side. Rows are `stride` apart.
    struct Row {
        int node, dim, offset;
        int width, stride;
        std::size_t at;  // in factor_
        int begin, end;  // in blocks_of_
    };
    // A block of a row right of its diagonal: which row it adds to, where it stands, and in runs of columns
    // that follow each other in both rows, where what it adds goes.
    struct Block {
        int row;
        int column;
        int runs_begin, runs_end;
    };
    struct Run {
        int from, to, length;
    };

    void load();
    bool factor_row(const Row& row, Factored& result);
    void forward(const Row& row, double* x) const;
    void backward(const Row& row, double* x) const;

    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<int> offset_, order_, place_;
    std::vector<std::size_t> diagonal_at_, edge_at_;
    std::vector<double> matrix_;
    std::vector<Row> rows_;  // in the order of elimination
    std::vector<Block> blocks_of_;
    std::vector<Run> runs_;
    std::vector<double> factor_;
    std::vector<double> pivot_;      // by entries of vectors: D
    std::vector<double> start_;      // of rows of constraints: their pivots without other constraints
    std::vector<double> residual_;   // of solve_refined
    std::vector<double> products_;   // scratch of factor: D Lᵀ of a row
    std::vector<char> redundant_;
    int size_ = 0, blocks_ = 0, fill_ = 0;
    double factor_operations_ = 0, solve_operations_ = 0;
};

}  // namespace lig
