#pragma once

// Workspace: everything that the joint-space recursions write besides their results, sized once for a model.
// After that no call allocates. Which function writes a field stands at the field. World axes (W) everywhere;
// "about L" means that the linear part is taken at the origin of the link frame L.

#include <ligament/state.h>
#include <ligament/tree.h>

#include <memory>
#include <vector>

namespace lig {

struct Model;

// The frames that trees hang from: the world and the kinematic bodies.
template <class T>
struct BaseWork {
    Transform<T> X_WL;
    Motion<T> V_WL;  // velocity about L
    Motion<T> a0;    // acceleration about L, less gravity: the world's is −g
};

template <class T>
struct LinkWork {
    Mat3<T> R_WL;    // orientation                                              forward_dynamics,
                     // inverse_dynamics, mass_matrix, …
    Vec3<T> r;       // p_PL_W: from the parent link's origin to this one's      (all)
    Vec3<T> w;  // angular velocity                                         forward_dynamics, inverse_dynamics
    Motion<T> a0;    // acceleration about L, less gravity: with v̇ = 0           forward_dynamics
                     // or with the given v̇                                      inverse_dynamics
    Force<T> f;      // force through the joint, about L                         inverse_dynamics
};

// What a branch hands to its parent in memory.
template <class T>
struct BranchWork {
    Sym3<T> A;       // the three blocks of the articulated inertia about L      forward_dynamics
    Mat3<T> B;
    Sym3<T> C;
    Force<T> pA;     // bias force about L                                       forward_dynamics
    Motion<T> a;     // acceleration beyond a0                                   forward_dynamics

    LIG_INLINE void clear() {
        A = C = Sym3<T>::zero();
        B = Mat3<T>::zero();
        pA = Force<T>::zero();
    }
};

// What remains of a freedom when it is eliminated.
template <class T>
struct DofWork {
    Force<T> W;      // row of D⁻¹ Uᵀ, U = IA S                                  forward_dynamics
    T y;             // entry of D⁻¹ (tau − Sᵀ pA)                               forward_dynamics
};

template <class T>
struct PoseWork {
    Transform<T> X_WL;          // pose of the link frame                        forward_kinematics
    Motion<T> V_WL;             // velocity about L                              forward_kinematics
    RigidInertia<T> composite;  // of the subtree about L                        mass_matrix
};

// A link that deforms: a point at r in its frame at rest is at X_WL (S r).
template <class T>
struct StretchWork {
    Sym3<T> S, rate;
};

template <class T>
class Workspace {
public:
    explicit Workspace(std::shared_ptr<const Model> model);

    const Model& model() const { return *model_; }
    const Tree<real_t<T>>& tree() const;

    std::vector<BaseWork<T>> bases;      // (1 + nkinematic)
    std::vector<LinkWork<T>> links;      // (links)
    std::vector<BranchWork<T>> branches; // (links)
    std::vector<DofWork<T>> dofs;        // (nv)
    std::vector<Motion<T>> S;  // (nv) motion subspace about L; written for links whose kernel is `general`,
                               // by forward_kinematics for all
    std::vector<PoseWork<T>> poses;      // (links)
    std::vector<StretchWork<T>> stretches;  // (Tree::stretches)                 forward_kinematics
    std::vector<Force<T>> f_ext;         // (links) external forces about L, in world axes
    std::vector<T> sine,
        cosine;  // (angles) of the hinges' angles              (all)

private:
    std::shared_ptr<const Model> model_;
    Tree<float> single_;                 // the tree in float, for float scalars only
};

}  // namespace lig
