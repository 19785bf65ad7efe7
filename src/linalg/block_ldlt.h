#pragma once

// BlockLdlt: a symmetric block matrix whose graph is known in advance, factored as L D Lᵀ.
//
//     K = ( M  Jᵀ )      M: body nodes, positive definite blocks; body–body edges are allowed
//         ( J  −C )      C: constraint nodes, positive semidefinite blocks (compliance), zero for hard ones
//
// After Baraff 1996 (sec. 6–7 and appendix A; K is his H [B96 eq. 8, 9]): eliminated from the leaves to the
// root, a tree of bodies and constraints has no fill, and factor and solve are O(n). Beyond the paper, any
// graph is taken: nodes are ordered by minimum degree among those that are eligible, so that a loop costs its
// own fill only.
//
// Eligible. Bodies always are, and so are soft constraints (compliance on all rows). A hard constraint is
// once what has been eliminated determines its multipliers: the bodies B and the hard constraints E that are
// gone must leave J[E, B] of full row rank, or a pivot would be singular although K is not. Two ball joints
// on one body are 6 rows of rank 5, so counting freedoms is not enough. J[E, B] falls into connected pieces.
// A piece in which every constraint has all its bodies, and more than one, can move as a whole: one more
// constraint may lean on any of its bodies. A constraint is eligible if one of the pieces that it touches is
// such, or if it and all the constraints of those pieces have all their bodies there: what is missing in rank
// then is missing in K itself. (A piece with two constraints that reach out of it may lack rank and K not;
// the second has to wait, unless that would cost far more than it does.)
//
// Redundant rows. The pivot of a row that follows from others is rounding. Scalar rows of a constraint are
// eliminated one by one; each pivot is compared with what it started with: the row's own entry of J M⁻¹ Jᵀ +
// C, before other constraints took from it (M with what has been eliminated into it, so that a light body
// that is welded to a heavy one does not count as light). If one is below redundant_share of that, the
// factorization is done again with a small multiple μ of its start added to the pivot of every hard row. Not
// only to the redundant ones: which of several rows that determine each other is called redundant depends on
// the order, and near a singular position small pivots that are not quite zero would make multipliers and
// noise of any size; with μ on all rows the factor is that of a quasi-definite matrix, K − diag(0, μ), in any
// order. A solution is improved by proximal steps with the residual of K itself (solve_refined): where rows
// do not contradict each other two or three steps give that of K, accelerations unique, multipliers those of
// least norm; else what is missed becomes least in squares, each row divided by √μ, to rounding over μ. Near
// a singular position the steps approach K's solution slowly along the nearly redundant rows only, and
// multipliers stay bounded.
//
// Symbolic work is done once, by the constructor; factor, solve and the rest allocate nothing. They share
// scratch memory: one object, one thread at a time, const or not.

#include "linalg/block_ldlt_layout.h"

#include <ligament/lanes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lig {

struct BlockPattern;

class BlockLdlt {
public:
    static constexpr int max_rows = 12;  // of a block

    struct Node {
        int dim;          // 1 … max_rows
        bool constraint;
        bool soft = false;  // constraint: its diagonal block is negative definite by itself
        bool weak = false;  // body: blocks of J on it need not have full row rank (a body of three freedoms)
        bool grounded = false;  // constraint: it may hold what its bodies move in common, however many
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
    int edges() const { return static_cast<int>(edges_.size()); }
    const Node& node(int node) const { return nodes_[node]; }
    const Edge& edge_nodes(int edge) const { return edges_[edge]; }

    // The blocks of K, to be written before factor, which leaves them as they are. Zero at first.
    // Row-major; diagonal: dim × dim, both triangles; edge: dim(a) × dim(b).
    double* diagonal(int node) { return matrix_.data() + diagonal_at_[node]; }
    double* edge(int edge) { return matrix_.data() + edge_at_[edge]; }
    const double* diagonal(int node) const { return matrix_.data() + diagonal_at_[node]; }
    const double* edge(int edge) const { return matrix_.data() + edge_at_[edge]; }

    // Nodes that take part from now on, all at first: factors and solves leave the others alone. Whole
    // connected parts of the graph.
    void choose(std::span<const int> nodes);

    struct Factored {
        int bad_node = -1;       // a body whose pivot is not positive definite (or a number that is not
                                 // finite): there is no factor
        int redundant_rows = 0;  // rows of constraints that follow from others, or nearly so; not counted
                                 // with damping
        double min_share = 1;    // of the other hard rows, without damping: the least that a pivot is of what
                                 // it started with; solutions are as good as rounding over that
    };
    // damping: μ in units of the pivots' starts; 0: none, and 1e-9 if there are redundant rows.
    Factored factor(double damping = 0);
    // Without damping: redundant rows are left out, by pivots beside which what the others leave of them is
    // nothing. Half of the work, and the same solution whether they are left out here or by the caller.
    Factored factor_leaving_out();
    // Of the last factor, by entries of vectors: 1 where a row is redundant.
    std::span<const char> redundant() const { return redundant_; }
    // And μ: solve is that of K − diag(added).
    std::span<const double> added() const { return added_; }

    // x: a right-hand side becomes the solution, by the factor as it is.
    void solve(std::span<double> x) const;
    // out = K x, without what has been added for redundant rows.
    void multiply(std::span<const double> x, std::span<double> out) const;

    struct Refined {
        int solves = 0;
        double residual = 0;  // largest |rhs − K x| of constraint rows, relative to the largest of the terms
                              // that cancel in its row
    };
    // x = the solution, improved until the residual is below the tolerance or does not shrink to a half any
    // more; without damping at least once if it is not. Always at least one solve; with max_solves = 1 the
    // same as solve. rhs and x must not overlap.
    Refined solve_refined(std::span<const double> rhs, std::span<double> x, int max_solves,
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

    // The same for four vectors side by side: entry i of vector k is y[4 · i + k].
    void half_solve4(std::span<const int> nodes, std::span<double> y, std::vector<int>& support) const;
    void divide4(std::span<const int> support, std::span<const double> y, std::span<double> out) const;

    // The order of elimination, and how many blocks L has below its diagonal: edges() − fill() are those of
    // K.
    std::span<const int> order() const { return order_; }
    int blocks() const { return blocks_; }
    int fill() const { return fill_; }
    // Multiplications and additions of one factorization and one solve.
    double factor_operations() const { return factor_operations_; }
    double solve_operations() const { return solve_operations_; }

private:
    void lay_out_rows(const BlockPattern& pattern);
    void find_runs();
    void find_copies();
    void schedule_loads();
    LdltView view();
    LdltView view() const { return const_cast<BlockLdlt*>(this)->view(); }
    int parent(const LdltRow& row) const { return row.begin < row.end ? blocks_of_[row.begin].row : -1; }
    void find_support(std::span<const int> nodes, std::vector<int>& rows) const;
    struct Missed {
        double of_terms = 0, of_forces = 0;
    };
    double row_residual(std::span<const double> rhs, std::span<const double> x);
    Missed measure_residual(std::span<const double> rhs, std::span<const double> x);

    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<int> offset_, order_, place_;
    std::vector<std::size_t> diagonal_at_, edge_at_;
    std::vector<double> matrix_;
    std::vector<LdltRow> rows_;
    std::vector<LdltBlock> blocks_of_;
    std::vector<LdltRun> runs_;
    std::vector<LdltCopy> copies_;
    std::vector<int> load_order_, load_begin_;
    std::vector<int> chosen_;  // rows, rising
    std::vector<Lanes4d> factor_;  // its numbers are addressed one by one; the type is for their alignment
    std::vector<Lanes4d> products_;
    mutable std::vector<Lanes4d> work_;  // a vector by places
    mutable std::vector<std::uint64_t> stamp_;  // of rows: the last support that they were in
    mutable std::uint64_t support_stamp_ = 0;
    std::vector<double> reciprocal_, relieved_;
    std::vector<double> added_;
    std::vector<double> residual_, scale_, if_alone_;  // of solve_refined
    std::vector<char> redundant_;
    bool damped_ = false;  // the last factor
    int size_ = 0, blocks_ = 0, fill_ = 0;
    double factor_operations_ = 0, solve_operations_ = 0;
};

}  // namespace lig
