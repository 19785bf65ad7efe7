#pragma once

// BodyGraph: what a model is made of in body coordinates, as Baraff 1996 sees it (sec. 4, 6): links are black
// boxes with a dimension and a mass, and constraints between them are nodes of the same graph. Built once.
//
// Nodes. Every link, by the freedoms of its kind (bodies/); the joint of every link: its rows, then a soft
// row for every freedom that carries an inertia or an implicit force of its own: rotor inertia is a force
// −a q̈ along the freedom, that is the row W A + λ/a = 0, and leaves the graph of a tree a tree. Equalities,
// couplings and pair constraints are further nodes, on as many bodies as they touch, or left to anticipation
// (sec. 8): then they are beside the graph of the joints.
//
// Thin bodies. Rods without inertia about their axis and point masses have a singular mass, although joints
// hold what has no inertia. Their moments are raised by thin_share of the largest of what hangs on their
// joint, which changes nothing that can be measured; what else is done is in body_matrix.h.
//
// Vectors have the entries of bodies, then those of joints, then of the other constraints.

#include "bodies/body_list.h"
#include "bodies/free_rotation.h"
#include "constraints/equalities.h"
#include "linalg/block_ldlt.h"

#include <ligament/model.h>
#include <ligament/simulation.h>

#include <memory>
#include <span>
#include <vector>

namespace lig::maximal {

class BodyGraph {
public:
    // A constraint on a body: its block of J.
    struct Edge {
        int block;    // in the matrix, or with anticipation where it begins among the blocks of equalities
        int link;
        bool direct;  // in the matrix
    };
    // What restrains bodies: the joint of a link, or an equality.
    struct Constraint {
        int node = -1;             // in the matrix; −1: none
        int begin = 0, count = 0;  // rows in vectors
        int edge_begin = 0, edge_count = 0;
    };
    // A loop, coupling or pair constraint.
    struct Equality : Constraint, lig::Equality {};
    struct Link {
        BodyKind kind;
        Constraint joint;        // on the link, then on its parent
        int rows = 0;            // hard ones of the joint
        int soft_begin = 0, soft_count = 0;  // in soft_freedoms
        bool plain = false;      // on one joint between rigid bodies: joint_blocks.h
        bool thin = false;
        int body_edge = -1;      // between the link and its parent, or −1
        double mass;
        Vec3d com;               // in L
        Sym3d inertia;           // about the centre of mass, in L; at rest, if it deforms
        bodies::FreeRotation rotation;
        int stretch = -1;        // in Tree::stretches
        const bodies::Modal* modal = nullptr;  // of a program's kind
    };

    // Which freedoms get a soft row, by their place in v; how equalities are held; whether bodies
    // that a joint connects have a block between them, for stiffness that depends on both.
    // Throws std::invalid_argument, naming it, for what this formulation cannot do.
    BodyGraph(std::shared_ptr<const Model> model, EqualityMethod method, std::span<const char> soft_freedoms,
              bool with_body_blocks);

    const std::shared_ptr<const Model>& shared_model() const { return model_; }
    const Model& model() const { return *model_; }
    const Tree<double>& tree() const { return model_->tree; }
    int links() const { return static_cast<int>(links_.size()); }
    const Link& link(int i) const { return links_[i]; }
    int parent(int link) const { return tree().links[link].parent; }
    bool has_thin() const { return has_thin_; }
    // Principal axes of a link's inertia, in the link, and its moments.
    const bodies::FreeRotation& rotation_of(int link) const { return links_[link].rotation; }

    // Of vectors, and of the entries of bodies, which come first.
    int size() const { return size_; }
    int body_entries() const { return body_entries_; }
    // Of a link: its entries.
    int dim(int link) const { return nodes_[link].dim; }
    int offset(int link) const { return offsets_[link]; }

    EqualityMethod equality_method() const { return equality_method_; }
    const std::vector<Equality>& equalities() const { return equalities_; }
    int equality_rows() const { return equality_rows_; }
    bool couples_joints() const { return couples_joints_; }
    std::span<const Edge> edges_of(const Constraint& constraint) const {
        return std::span(edges_).subspan(constraint.edge_begin, constraint.edge_count);
    }
    // f(constraint): the joints of links, then the equalities.
    template <class Function>
    void for_each_constraint(const Function& f) const {
        for (const Link& link : links_)
            if (link.joint.node >= 0) f(link.joint);
        for (const Equality& equality : equalities_) f(equality);
    }

    // Soft rows, by the freedoms that they are of: their places in vectors, −1 for others. (nv)
    int soft_row(int dof) const { return soft_row_[dof]; }
    std::span<const int> soft_freedoms() const { return soft_freedoms_; }
    int link_of(int dof) const { return link_of_dof_[dof]; }
    // Which entry of its body a stretch is; −1: the freedom is none.
    int stretch_entry(int dof) const {
        const int stretch = links_[link_of_dof_[dof]].stretch;
        const int k = stretch < 0 ? -1 : dof - tree().stretches[stretch].v_adr;
        return k < 0 ? -1 : 6 + k;
    }
    bodies::Substance substance(int link) const {
        return {links_[link].mass, model_->deforming[links_[link].stretch].moment};
    }

    // How large parts are: the mean of the distances from the links' joints to their centres of mass,
    // doubled.
    double extent() const { return extent_; }
    // An energy of motion that is as good as none: at a millimetre per second, for parts of a metre.
    double idle_energy() const { return idle_energy_; }

    // Calls f with the kind of a link.
    template <class Function>
    void visit(int link, const Function& f) const {
        bodies::visit_body(links_[link].kind, links_[link].modal, -1, f);
    }
    // The entries of one body, dim of them, for a moment about its centre of mass and a force.
    void project(int link, const Force<double>& at_com, double* out) const {
        visit(link, [&](auto kind) { kind.project(at_com, out); });
    }
    // u of the bodies: the velocity of the centre of mass of a link.
    Motion<double> motion_of(std::span<const double> u, int link) const {
        Motion<double> out;
        visit(link, [&](auto kind) { out = kind.expand(u.data() + offsets_[link]); });
        return out;
    }
    // Φ has orthonormal columns, so its transpose reads the freedoms of a velocity, too.
    void write_motion(int link, const Motion<double>& V, std::span<double> u) const {
        project(link, {V.ang, V.lin}, u.data() + offsets_[link]);
    }

    // For the matrix: its nodes and edges, and the numbers in the blocks of anticipated equalities.
    std::span<const BlockLdlt::Node> nodes() const { return nodes_; }
    std::span<const BlockLdlt::Edge> block_edges() const { return block_edges_; }
    std::size_t equality_block_size() const { return equality_block_size_; }

private:
    void add_bodies();
    void set_mass(int link, double carried);
    void add_joints(std::span<const char> soft_freedoms, bool with_body_blocks);
    void add_equalities();
    void add_equality(const lig::Equality& equality, std::vector<int> on, bool grounded);
    void find_sizes();
    void place_entries();

    std::shared_ptr<const Model> model_;
    EqualityMethod equality_method_;
    std::vector<Link> links_;
    std::vector<Equality> equalities_;
    std::vector<Edge> edges_;
    std::vector<BlockLdlt::Node> nodes_;
    std::vector<BlockLdlt::Edge> block_edges_;
    std::vector<int> offsets_;        // (nodes)
    std::vector<int> soft_freedoms_;  // places in v, link by link
    std::vector<int> link_of_dof_;    // (nv)
    std::vector<int> soft_row_;       // (nv)
    std::size_t equality_block_size_ = 0;
    int equality_rows_ = 0, body_entries_ = 0, size_ = 0;
    double extent_ = 0, idle_energy_ = 0;
    bool couples_joints_ = false, has_thin_ = false;
};

}  // namespace lig::maximal
