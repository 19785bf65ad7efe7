#pragma once

// BodySystem: a model in body coordinates, as Baraff 1996 sees it (sec. 4, 6): links are black boxes with a
// dimension and a mass block, joints and loops are constraints between them,
//
//     M a + Jᵀ y = f        a: accelerations of the bodies,  y = −λ: Lagrange multipliers, negated
//     J a − C y = −c        c: what is left of d²(constraints)/dt² when a = 0,  C: compliance of soft rows
//
// [B96 eq. 1 and 3; 5], the matrix of which BlockLdlt factors. The same matrix serves accelerations, changes
// of velocities by impulses, and corrections of positions; only the right-hand sides differ.
//
// Nodes. Every link, by the freedoms of its kind (bodies/); the joint of every link: its rows, then a soft
// row for every freedom that carries an inertia or an implicit force of its own: rotor inertia is a force
// −a q̈ along the freedom, that is the row W A + λ/a = 0, and leaves the graph of a tree a tree. Loops,
// couplings and pair constraints are further nodes, on as many bodies as they touch, or left to anticipation
// (sec. 8): then the matrix is that of the joints alone, and what loops do to each other, A = Jₐ M̂⁻¹ Jₐᵀ, is
// dense beside it; factor finds both, a solve is one of the matrix, one of A, and another one of the matrix.
//
// Thin bodies. Rods without inertia about their axis and point masses make M singular, although joints hold
// what has no inertia. Their moments are raised by thin_share of the largest of what hangs on
// their joint, which changes nothing that can be measured, and M is replaced by M + ρ Jᵀ J with the hard rows
// of their joint, f by f + ρ Jᵀ k: the solution stays the same, because J a = k, and pivots are of the size
// of what the body weighs. That needs a block between the body and its parent, and no further fill.
//
// World axes; velocities of bodies are those at their centres of mass, so mass blocks have no coupling.

#include "bodies/free_rotation.h"
#include "constraints/equality_terms.h"
#include "constraints/rows.h"
#include "formulations/maximal/link_joint.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_response.h"
#include "linalg/semidefinite_cholesky.h"

#include <ligament/model.h>
#include <ligament/simulation.h>
#include <ligament/workspace.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig::maximal {

// Poses and velocities of the links' centres of mass. The axes are those of the link frames.
struct BodyCoordinates {
    std::vector<Vec3d> x;
    std::vector<Quatd> quat;
    std::vector<Motion<double>> V;
};

class BodySystem {
public:
    // A loop, coupling or pair constraint.
    struct Equality {
        RowKind kind;      // loop, coupling, pair
        int source;        // in the list of its kind
        int node;          // direct: in the matrix
        int begin, count;  // rows in vectors
        int edge_begin, edge_count;
    };

    // Which freedoms get a soft row, by their place in v; how loops and couplings are held; whether bodies
    // that a joint connects have a block between them, for stiffness that depends on both.
    // Throws std::invalid_argument, naming it, for what this formulation cannot do.
    BodySystem(std::shared_ptr<const Model> model, LoopMethod loops, std::span<const char> soft_freedoms,
               bool with_body_blocks = false);

    const Model& model() const { return *model_; }
    // The number of entries of bodies, which come first in vectors.
    int body_entries() const { return body_entries_; }
    int links() const { return static_cast<int>(tree_.links.size()); }

    // Links that take part from now on, all at first, in rising order: whole trees, and with each all that
    // loops and the like join it with. What is found below is theirs; entries of the others stay as they are.
    void choose(std::span<const int> links);

    // ---- Between joint and body coordinates.
    // After forward_kinematics of the state in `from`.
    void from_joints(const Workspace<double>& from, const JointState<double>& state, BodyCoordinates& out);
    // q and v of the bodies looked at last; angles come out nearest to those that state.q has.
    void to_joints(JointState<double>& state);

    // ---- One state. `bases` (world and kinematic bodies) as in Workspace::bases.
    // Poses and velocities; then …
    void look(const BodyCoordinates& bodies, std::span<const BaseWork<double>> bases, double time);
    void find_errors();                     // … errors() alone, or
    void find_rows(bool with_products);     // the blocks of J and errors(), base_rates(), and products()
    void find_freedoms();                   // S and W of all links, for to_body_forces, read_velocities, …
    // The blocks of M, at the poses looked at last; blocks between bodies are 0 afterwards.
    void find_inertias();
    // Added to M, after find_inertias. Of the freedoms of a link, which two bodies feel: Wᵀ k W, k symmetric,
    // rows small_stride apart; with_body_blocks, and after find_freedoms. Of a body against turning, in world
    // axes.
    void add_freedom_block(int link, const double* k);
    void add_turning_block(int link, const Sym3d& k);
    // Of two bodies that a joint connects against turning relative to each other; with_body_blocks.
    void add_turning_pair(int link, const Sym3d& k);
    // Of a point of a body, at the arm from its centre of mass, against moving: world axes.
    void add_point_block(int link, const Vec3d& arm, const Sym3d& k);

    // Compliances of the soft rows of a link's freedoms: the inverse of the matrix `stiffness` of these
    // freedoms alone, rows small_stride apart. A freedom with 0 on the diagonal has nothing on it; its row
    // takes no part. Before find_rows.
    void set_soft(int link, const double* stiffness);
    // Soft rows carry what is in Tree::armature and no more.
    void set_armature();

    const BlockLdlt& matrix() const { return K_; }
    // Of vectors: bodies' entries, those of joints, then of loops.
    int size() const { return size_; }
    // After find_inertias and find_rows. damped: rows are known to be redundant; they are not counted then,
    // which saves half of the work.
    BlockLdlt::Factored factor(bool damped = false);
    // Redundant rows are left out, as BlockLdlt::factor_leaving_out does it.
    BlockLdlt::Factored factor_leaving_out();
    // x: (f, k) becomes (a, y).
    void solve(std::span<double> x);
    // The same as if there were no loops, where they are anticipated; and whether the r-th row of one
    // (entry_of) does not follow from the others.
    void solve_joints(std::span<double> x);
    bool is_kept(std::size_t equality, int r) const;
    static constexpr int most_solves = 12;  // where rows are redundant
    BlockLdlt::Refined solve_refined(std::span<double> x, int most_solves, double tolerance = 1e-14);

    // Rows that are left out from now on (entries of vectors, not 0: left out); empty: none. Where rows are
    // redundant, those of the present factor may be kept out while bodies are a little off their constraints,
    // where they would contradict the others.
    void leave_out(std::span<const char> rows) { left_out_.assign(rows.begin(), rows.end()); }
    // The rows that loops and the like state, by their entries. After find_rows.
    std::span<const int> stated_rows() const { return stated_rows_; }
    // j M⁻¹ jᵀ of a row that Jᵀ y is written of, if its bodies were free.
    double free_response(std::span<const double> row) const;
    // Which rows the last factor has found to follow from others.
    std::span<const char> redundant();

    std::span<const double> errors() const { return errors_; }           // C of constraint rows; soft rows: 0
    std::span<const double> base_rates() const { return base_rates_; }   // what prescribed motion adds to J u
    std::span<const double> products() const { return products_; }       // c
    // How large parts are: the mean of the distances from the links' joints to their centres of mass,
    // doubled.
    double extent() const { return extent_; }
    // An energy of motion that is as good as none: at a millimetre per second, for parts of a metre.
    double idle_energy() const { return idle_energy_; }
    // Whether a row restrains velocities alone, by entries of vectors: there is no error.
    std::span<const char> velocity_rows() const { return velocity_rows_; }
    bool has_velocity_rows() const { return has_velocity_rows_; }
    // out, at velocity rows: what they restrain, J u and the base rate, of the bodies looked at. After
    // find_errors or find_rows.
    void find_slips(std::span<double> out) const;
    // The largest error of joints and of the others, in m or rad.
    double joint_error() const;
    double loop_error() const;
    // Of loops, relative to the sizes of their rows. After find_errors or find_rows.
    double loop_opening() const;
    std::string name_of_worst() const;

    // Free motion for a time h.
    void drift(double h, BodyCoordinates& bodies) const;
    // Bodies' entries from the velocities looked at last, and back.
    void velocities(std::span<double> u) const;
    void read_velocities(std::span<const double> u, BodyCoordinates& bodies) const;
    // u of the bodies: the velocity of the centre of mass of a link.
    Motion<double> motion_of(std::span<const double> u, int link) const;
    void write_motion(int link, const Motion<double>& V, std::span<double> u) const;
    // out (constraint entries) = J u of all rows.
    void row_velocities(std::span<const double> u, std::span<double> out) const;
    // Entries of joints' hard rows in x: what velocities of the bodies looked at miss of them, and errors
    // removed at a rate (1/s), both negated. For bodies that do not fit their joints; after find_rows.
    void write_joint_misses(double rate, std::span<double> x) const;
    // f (body entries) += Jᵀ y of all rows.
    void add_row_forces(std::span<const double> y, std::span<double> f) const;
    // The force on a link by its joint, or by an equality, about its centre of mass, for the multipliers −y.
    Force<double> joint_force(int link, std::span<const double> y) const;
    Force<double> equality_force(const Equality& equality, int link, std::span<const double> y) const;
    const Vec3d& centre(int link) const { return x_[link]; }
    // Of a link, or of a base (negative, as parents are).
    const Quatd& orientation(int link) const { return quat_[links() - 1 - link]; }
    // Principal axes of a link's inertia, in the link, and its moments.
    const bodies::FreeRotation& rotation_of(int link) const { return nodes_[link].rotation; }

    // f (body entries) = M u, at the poses looked at last; forces are added to it below.
    void momenta(std::span<const double> u, std::span<double> f) const;
    // f (body entries) += forces: gravity; gyroscopic ones; wrenches on links about the origins of their
    // frames; generalized forces on the freedoms. After look, the last after find_freedoms.
    void add_gravity(std::span<double> f) const;
    void add_gyroscopic_forces(std::span<double> f) const;
    void add_link_forces(std::span<const Force<double>> on_links, std::span<double> f) const;
    void add_joint_forces(std::span<const double> tau, std::span<double> f) const;
    void add_wrench(int link, const Force<double>& about_origin, std::span<double> f) const;
    // The entries of one body, dim of them, for a moment about its centre of mass and a force.
    void project(int link, const Force<double>& at_com, double* out) const;
    // The same as add_wrench into the entries of one body.
    void add_wrench_to(int link, const Force<double>& about_origin, double* own) const;
    // What a force `value` on a freedom does to its link, about the origin of the link; after find_freedoms.
    // The parent gets the opposite, seen from its own origin.
    Force<double> freedom_force(int link, int dof, double value) const;
    Force<double> seen_from(int other, int link, const Force<double>& about_origin) const;
    // The inertia of the two bodies of a freedom against a force along it, if nothing else held them: 1/(W
    // M⁻¹ Wᵀ).
    double pair_inertia(int link, int dof) const;
    // u of the bodies: the velocity of the origin of a link.
    Motion<double> origin_motion(std::span<const double> u, int link) const;

    // v of the freedoms from u; base: whether what is prescribed counts (velocities) or not (changes of
    // them). After find_freedoms.
    void joint_velocities(std::span<const double> u, bool with_bases, std::span<double> v) const;
    // v̇ from accelerations a (body entries). After find_freedoms and find_rows(true).
    void joint_accelerations(std::span<const double> a, std::span<double> out) const;

    const std::vector<Equality>& equalities() const { return equalities_; }
    // Of the r-th row of the block that add_loop, add_pair or add_coupling makes of an equality: its entry in
    // vectors, and the share of what the object states that it counts. After find_rows.
    int entry_of(std::size_t equality, int r) const {
        return equalities_[equality].begin + terms_[rows_.blocks[equality].begin + r].part;
    }
    double scale_of(std::size_t equality, int r) const {
        return terms_[rows_.blocks[equality].begin + r].scale;
    }
    // False: it restrains velocities alone.
    bool is_holonomic(std::size_t equality, int r) const {
        return terms_[rows_.blocks[equality].begin + r].holonomic;
    }
    int rows_of(std::size_t equality) const { return rows_.blocks[equality].count; }
    int equality_rows() const { return equality_rows_; }
    // Soft rows, by the freedoms that they are of: their places in vectors, −1 for others. (nv)
    int soft_row(int dof) const { return soft_row_[dof]; }
    std::span<const int> soft_freedoms() const { return soft_freedoms_; }

    // The poses that were looked at, as functions on a workspace read them.
    const Workspace<double>& workspace() const { return ws_; }

private:
    struct LinkNode {
        BodyKind kind;
        int joint_node = -1;     // −1: it has no rows
        int rows = 0;            // hard ones of the joint
        int soft_begin = 0, soft_count = 0;  // in soft_freedoms_
        int child_edge = -1, parent_edge = -1;
        bool plain = false;      // on one joint between rigid bodies: joint_blocks.h
        bool thin = false;
        int body_edge = -1;      // between the link and its parent, or −1
        double mass;
        Vec3d com;               // in L
        Sym3d inertia;           // about the centre of mass, in L
        bodies::FreeRotation rotation;
    };
    struct EqualityEdge {
        int edge;  // direct: in the matrix; else where its block begins in loop_blocks_
        int link;
    };
    double* equality_block(const EqualityEdge& edge) {
        return loops_ == LoopMethod::direct ? K_.edge(edge.edge) : loop_blocks_.data() + edge.edge;
    }
    const double* equality_block(const EqualityEdge& edge) const {
        return const_cast<BodySystem*>(this)->equality_block(edge);
    }
    std::span<const EqualityEdge> edges_of(const Equality& equality) const {
        return std::span(equality_edges_).subspan(equality.edge_begin, equality.edge_count);
    }
    BlockLdlt::Factored with_loops(BlockLdlt::Factored factored);
    int factor_loops();
    void solve_loops(std::span<double> x);

    void assemble_equalities(bool with_products);
    void find_joint(int link, bool with_products, JointRows& rows);
    void write_plain_rows(int link, bool with_products);
    Motion<double> relative_velocity(int link) const;
    Motion<double> relative_acceleration(int link) const;
    const Transformd& pose_before(int link) const;
    const Motion<double>& velocity_before(int link) const;
    void write_row(const LinkNode& node, int link, int row, const Force<double>& at_M);
    template <class ForceOf>
    void add_block(int link, ForceOf&& force_of);
    double compliance_of(int link, const double* row) const;
    void add_thin_blocks();
    void add_thin_forces(std::span<double> x) const;

    std::shared_ptr<const Model> model_;
    const Tree<double>& tree_;
    std::vector<LinkNode> nodes_;
    std::vector<int> soft_freedoms_;  // places in v, link by link
    std::vector<char> soft_acts_;     // whether the row of such a freedom takes part
    std::vector<int> link_of_dof_;    // (nv)
    std::vector<int> soft_row_;       // (nv)
    std::vector<Equality> equalities_;
    std::vector<EqualityEdge> equality_edges_;
    std::vector<int> chosen_;        // links
    std::vector<char> takes_part_;   // (equalities)
    std::vector<int> chosen_nodes_;  // of K_
    int equality_rows_ = 0, body_entries_ = 0;
    int idle_rows_ = 0;  // of equalities: those that can move nothing
    LoopMethod loops_;
    int size_ = 0;
    double extent_ = 0, idle_energy_ = 0;
    bool couples_joints_ = false;
    BlockLdlt K_;
    Workspace<double> ws_;  // poses, velocities and, as accelerations at a = 0, links[].a0
    double time_ = 0;
    std::vector<double> q_;                   // (nq) coordinates, near those of the bodies
    std::vector<Mat3d> R_WF_;                 // (links)
    std::vector<Vec3d> x_;                    // (links) centres of mass
    std::vector<Quatd> quat_;                 // (links and bases) orientations, those of links from the end
    std::vector<JointFreedoms> freedoms_;     // (links)
    std::vector<double> errors_, base_rates_, products_, right_;
    std::vector<char> velocity_rows_;
    bool has_velocity_rows_ = false;
    std::vector<int> stated_rows_;
    // Anticipation: the blocks of loops, what they do to each other, and its root.
    std::vector<double> loop_blocks_, A_, loop_side_, loop_forces_;
    std::vector<BlockTerm> loop_terms_;
    BlockResponse response_;
    SemidefiniteCholesky root_;
    std::vector<char> left_out_, redundant_;
    bool has_thin_ = false;
    Rows rows_;                               // of equalities
    std::vector<EqualityTerms> terms_;
    JointState<double> joint_state_;          // q and v for couplings
};

}  // namespace lig::maximal
