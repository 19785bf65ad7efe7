#pragma once

// JointFactor: the joint-space inertia M̂ = M + added as a product of sparse factors, in O(n).
//
// The articulated-body algorithm eliminates the freedoms of one link after another, from the leaves to the
// roots: with IA the articulated inertia, U = IA S, D = Sᵀ U + armature + added = L Lᵀ,
//     inward    s_i = L⁻¹ (x_i + Sᵀ F),   to the parent F − U L⁻ᵀ s_i     (x: forces, F: on the link)
//     outward   t = s_i − L⁻¹ Uᵀ a,  v_i = L⁻ᵀ t,   a of the link = a of the parent at L + S v_i
// and M̂⁻¹ = Outward · Inward, Outward = Inwardᵀ. So Inward takes forces to coordinates in which the inertia
// is the unit matrix: xᵀ M̂⁻¹ y = s_x · s_y. A force on one link gives an s on the way to the root only; a
// row J of a constraint becomes z = Inward(Jᵀ), the response of two rows is z · z', and J v changes by z · s
// when Outward(s) is added to v. `added` is what a step adds (joint_terms.h).
//
// World axes, everything about the origins of the links, as in the recursions (workspace.h).

#include "core/articulated_inertia.h"
#include "dynamics/joint_terms.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class JointFactor {
public:
    explicit JointFactor(const Model& model);

    // What remains of a freedom: columns of S L⁻ᵀ and U L⁻ᵀ.
    struct Dof {
        Motion<double> S;
        Force<double> U;
    };
    struct Link {
        int parent;        // a link, or negative
        int v_adr, nv;
        int triangle;      // where its lower triangle begins in `root_inverse`, row by row, and JointTerms
        Vec3d r;           // from the parent's origin
    };

    // After forward_kinematics. Returns −1, or the link whose D is not positive definite (a link without
    // inertia, or numbers that are not finite).
    int factor(const Workspace<double>& ws) { return factor(ws, nullptr, all_); }
    // The same with what a step adds.
    int factor(const Workspace<double>& ws, const JointTerms& terms) { return factor(ws, &terms, all_); }
    // The same of some links, in rising order: whole trees.
    int factor(const Workspace<double>& ws, const JointTerms& terms, std::span<const int> which) {
        return factor(ws, &terms, which);
    }

    // x, forces on all freedoms, becomes s. `on_links`: forces on the links besides, about their origins;
    // empty for none.
    void inward(std::span<double> x, std::span<const Force<double>> on_links = {});
    void outward(std::span<const double> s, std::span<double> v);
    // What the last outward made of a link's velocity, about its origin.
    const Motion<double>& link_motion(int link) const { return motion_[link]; }

    std::vector<Link> links;
    std::vector<Dof> dofs;             // (nv)
    std::vector<double> root_inverse;  // (triangles) L⁻¹
    std::vector<int> link_of_dof;      // (nv)

private:
    int factor(const Workspace<double>& ws, const JointTerms* terms, std::span<const int> which);

    std::vector<int> all_;                             // (links)
    std::vector<double> armature_;                     // (nv)
    std::vector<ArticulatedInertia<double>> inertia_;  // (links)
    std::vector<Force<double>> force_;                 // (links)
    std::vector<Motion<double>> motion_;               // (links)
};

}  // namespace lig
