#pragma once

// BodyMatrix: the equations of motion of a BodyGraph at its BodyPoses [B96 eq. 1 and 3; 5],
//
//     M a + Jᵀ y = f        a: accelerations of the bodies,  y = −λ: Lagrange multipliers, negated
//     J a − C y = −c        c: what is left of d²(constraints)/dt² when a = 0,  C: compliance of soft rows
//
// the matrix of which BlockLdlt factors. The same matrix serves accelerations, changes of velocities by
// impulses, and corrections of positions; only the right-hand sides differ.
//
// Anticipation (sec. 8): the matrix is that of the joints alone, and what equalities do to each other, A = Jₐ
// M̂⁻¹ Jₐᵀ, is dense beside it; factor finds both, a solve is one of the matrix, one of A, and another one of
// the matrix.
//
// Thin bodies make M singular, although joints hold what has no inertia. M is replaced by M + ρ Jᵀ J with the
// hard rows of their joint, f by f + ρ Jᵀ k: the solution stays the same, because J a = k, and pivots are of
// the size of what the body weighs. That needs a block between the body and its parent, and no further fill.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"
#include "dynamics/joint_terms.h"
#include "formulations/maximal/body_poses.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_response.h"
#include "linalg/semidefinite_cholesky.h"

#include <span>
#include <string>
#include <vector>

namespace lig::maximal {

class BodyMatrix {
public:
    using Equality = BodyGraph::Equality;

    BodyMatrix(const BodyGraph& graph, BodyPoses& poses);

    // Links whose rows and blocks are found from now on, as BodySystem::choose.
    void choose(std::span<const int> links);

    // Of the joints, and of the equalities where they are not anticipated.
    const BlockLdlt& blocks() const { return K_; }

    // ---- Blocks, at the poses looked at last.
    void find_errors();                  // errors() alone, or
    void find_rows(bool with_products);  // the blocks of J and errors(), base_rates(), and products()
    // The blocks of M; blocks between bodies are 0 afterwards.
    void find_inertias();
    // Added to M, after find_inertias. Of the freedoms of a link, which two bodies feel: Wᵀ k W, k symmetric,
    // rows small_stride apart; with body blocks, and after find_freedoms. Of a body against turning, in world
    // axes.
    void add_freedom_block(int link, const double* k);
    void add_turning_block(int link, const Sym3d& k);
    // Of the stretches of bodies that deform.
    void add_stretch_terms(const JointTerms& terms);
    // Of two bodies that a joint connects against turning relative to each other; with body blocks.
    void add_turning_pair(int link, const Sym3d& k);
    // Of a point of a body, at the arm from its centre of mass, against moving: world axes.
    void add_point_block(int link, const Vec3d& arm, const Sym3d& k);
    // Compliances of the soft rows of a link's freedoms: the inverse of the matrix `stiffness` of these
    // freedoms alone, rows small_stride apart. A freedom with 0 on the diagonal has nothing on it; its row
    // takes no part. Before find_rows.
    void set_soft(int link, const double* stiffness);
    // Soft rows carry what is in Tree::armature and no more.
    void set_armature();

    // ---- Factor and solution. After find_inertias and find_rows.
    // damping: rows are known to be redundant; they are not counted then, which saves half of the work.
    BlockLdlt::Factored factor(double damping = 0);
    static constexpr double least_damping = 1e-9;  // as BlockLdlt has it by itself
    // Redundant rows are left out, as BlockLdlt::factor_leaving_out does it.
    BlockLdlt::Factored factor_leaving_out();
    // x: (f, k) becomes (a, y).
    void solve(std::span<double> x);
    // The same as if there were no equalities, where they are anticipated; and whether the r-th row of one
    // (entry_of) does not follow from the others.
    void solve_joints(std::span<double> x);
    bool is_kept(std::size_t equality, int r) const;
    static constexpr int max_solves = 12;  // where rows are redundant
    BlockLdlt::Refined solve_refined(std::span<double> x, int solves, double tolerance = 1e-14);
    // Rows that are left out from now on (entries of vectors, not 0: left out); empty: none. Where rows are
    // redundant, those of the present factor may be kept out while bodies are a little off their constraints,
    // where they would contradict the others.
    void leave_out(std::span<const char> rows) { left_out_.assign(rows.begin(), rows.end()); }
    // Which rows the last factor has found to follow from others.
    std::span<const char> redundant();

    // ---- Rows.
    std::span<const double> errors() const { return errors_; }          // C of constraint rows; soft rows: 0
    std::span<const double> base_rates() const { return base_rates_; }  // what prescribed motion adds to J u
    std::span<const double> products() const { return products_; }      // c
    // Whether a row restrains velocities alone, by entries of vectors: there is no error.
    std::span<const char> velocity_rows() const { return velocity_rows_; }
    bool has_velocity_rows() const { return has_velocity_rows_; }
    // out, at velocity rows: what they restrain, J u and the base rate, of the bodies looked at. After
    // find_errors or find_rows.
    void find_slips(std::span<double> out) const;
    // The largest error of joints and of the others, in m or rad.
    double joint_error() const;
    double equality_error() const;
    // Of equalities, relative to the sizes of their rows. After find_errors or find_rows.
    double equality_opening() const;
    std::string name_of_worst() const;
    // out (constraint entries) = J u of all rows.
    void row_velocities(std::span<const double> u, std::span<double> out) const;
    // Entries of joints' hard rows in x: what velocities of the bodies looked at miss of them, and errors
    // removed at a rate (1/s), both negated. For bodies that do not fit their joints; after find_rows. ahead:
    // where they will be a time (s) later if nothing acts on them, to second order; after find_rows(true).
    void write_joint_misses(double rate, double ahead, std::span<double> x) const;
    // f (body entries) += Jᵀ y of all rows.
    void add_row_forces(std::span<const double> y, std::span<double> f) const;
    // j M⁻¹ jᵀ of a row that Jᵀ y is written of, if its bodies were free.
    double free_response(std::span<const double> row) const;
    // The force on a link by its joint, or by an equality, about its centre of mass, for the multipliers −y.
    Force<double> joint_force(int link, std::span<const double> y) const;
    Force<double> equality_force(const Equality& equality, int link, std::span<const double> y) const;

    // The rows that equalities and the like state, by their entries. After find_rows.
    std::span<const int> stated_rows() const { return stated_rows_; }
    // Of the r-th row of the block that add_loop, add_pair or add_coupling makes of an equality: its entry in
    // vectors, and the share of what the object states that it counts. After find_rows.
    int entry_of(std::size_t equality, int r) const {
        return graph_.equalities()[equality].begin + terms_[rows_.blocks[equality].begin + r].part;
    }
    double scale_of(std::size_t equality, int r) const {
        return terms_[rows_.blocks[equality].begin + r].scale;
    }
    // False: it restrains velocities alone.
    bool is_holonomic(std::size_t equality, int r) const {
        return terms_[rows_.blocks[equality].begin + r].holonomic;
    }
    int rows_of(std::size_t equality) const { return rows_.blocks[equality].count; }

private:
    using Constraint = BodyGraph::Constraint;
    using Edge = BodyGraph::Edge;
    using Link = BodyGraph::Link;

    double* block(const Edge& edge) {
        return edge.direct ? K_.edge(edge.block) : equality_blocks_.data() + edge.block;
    }
    const double* block(const Edge& edge) const { return const_cast<BodyMatrix*>(this)->block(edge); }
    // Of a link's joint on the link, and on its parent.
    double* child_block(const Link& link) { return block(graph_.edges_of(link.joint)[0]); }
    double* parent_block(const Link& link) { return block(graph_.edges_of(link.joint)[1]); }

    void write_joint(int link, bool with_products);
    void write_plain_rows(int link, bool with_products);
    void write_hard_rows(int link, const Motion<double>& by_base, const Motion<double>& A_FM,
                         bool with_products);
    void write_soft_rows(int link, const Motion<double>& by_base, const Motion<double>& A_FM,
                         bool with_products);
    void write_row(const Link& node, int link, int row, const Force<double>& at_M);
    void assemble_equalities(bool with_products);
    void write_equality(std::size_t equality, bool with_products);
    void write_equality_row(const Equality& equality, const RowBlock& rows, int r, bool with_products);
    double* row_block(const Equality& equality, int link, int row);
    void add_to_row(const Equality& equality, int link, int row, const Force<double>& at_com);
    void clear_row(const Equality& equality, int row);
    void drop_idle_rows(const Equality& equality, const RowBlock& rows);
    template <class ForceOf>
    void add_block(int link, ForceOf&& force_of);
    double compliance_of(int link, const double* row) const;
    Force<double> force_of(const Constraint& constraint, int rows, int link, std::span<const double> y) const;
    void add_thin_blocks();
    void add_thin_forces(std::span<double> x) const;
    BlockLdlt::Factored with_equalities(BlockLdlt::Factored factored);
    int factor_equalities();
    void solve_equalities(std::span<double> x);

    const BodyGraph& graph_;
    const Tree<double>& tree_;
    BodyPoses& poses_;
    BlockLdlt K_;
    std::vector<double> errors_, base_rates_, products_, right_;  // (size)
    std::vector<char> velocity_rows_;
    bool has_velocity_rows_ = false;
    std::vector<char> soft_acts_;  // whether the row of a soft freedom takes part
    std::vector<int> stated_rows_;
    int idle_rows_ = 0;  // of equalities: those that can move nothing
    std::vector<char> left_out_, redundant_;
    std::vector<char> takes_part_;   // (equalities)
    std::vector<int> chosen_nodes_;  // of K_
    Rows rows_;  // of equalities
    std::vector<EqualityTerms> terms_;
    JointState<double> joint_state_;  // q and v for couplings
    // Anticipation: the blocks of equalities, what they do to each other, and its root.
    std::vector<double> equality_blocks_, A_, equality_side_, equality_forces_;
    std::vector<BlockTerm> equality_terms_;
    BlockResponse response_;
    SemidefiniteCholesky root_;
};

}  // namespace lig::maximal
