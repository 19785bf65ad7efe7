#pragma once

// Tree: the moving parts of a model as the recursions read them, flat and in tree order.
//
// A link is a set of bodies that move together. Its frame L is the frame M of its last joint, so that joint
// axes are basis vectors and one rotation per link is saved; a body's own frame is found through
// Model::Body::X_LB. Parents come before their children. R is double or float; lanes read the numbers of
// their own kind.

#include <ligament/joint_type.h>
#include <ligament/spatial.h>

#include <vector>

namespace lig {

// How the axes of F lie in the frame before it. Where z_F is along a coordinate axis, R_PF only renames the
// axes: cyclically, or cyclically with the signs of y and z changed. Most joints of most robots are of this
// kind, and a product of two rotations is saved.
enum class AxisTurn : unsigned char {
    general,
    z,
    x,
    y,
    minus_z,
    minus_x,
    minus_y
};

template <class R>
struct TreeJoint {
    JointType type;
    AxisTurn turn;     // what R_PF is; `general`: read the matrix
    int q_adr;         // first coordinate in q
    int v_adr;         // first velocity in v
    Transform<R>
        X_PF; // F in the frame before it: the parent link's L, or M of the joint before it on this link
    R pitch;           // screw
    R reference;       // hinge, slide: the coordinate at which X_FM is the identity
    int angle;         // the only hinge of its link: its place in Tree::angle_adr
};

// A rigid body's inertia about O with the rotational part written as I = least 1 + u uᵀ + v vᵀ (least: the
// smallest principal moment). Turned into other axes it costs two thirds of what the matrix would: two
// vectors are turned instead.
template <class R>
struct SplitInertia {
    R mass;
    Vec3<R> h;  // first moment m·p_OC
    R least;
    Vec3<R> u, v;
};

template <class R>
struct TreeLink {
    // What the passes do with a link: a link on one joint of a kind that has a kernel of its own, or
    // `general`.
    enum class Kernel : unsigned char {
        hinge,
        slide,
        ball,
        free,
        general
    };

    int parent;       // link, or -1 - k: base k (0 is the world, then the kinematic bodies)
    int joint_begin;  // in Tree::joints
    int joint_count;
    int v_adr, nv;
    Kernel kernel;
    bool carries_parent;      // parent == this - 1: the passes hand values over in registers
    bool has_other_children;  // a child other than the next link hands its values over in memory
    SplitInertia<R> inertia;  // of the link about L's origin, in L
    int stretch = -1;         // in Tree::stretches; −1: it does not deform
};

// A link that deforms: its last freedoms are how far it is stretched. Its origin is its centre of mass.
struct TreeStretch {
    int link;
    int q_adr, v_adr, count;
};

template <class R>
struct Tree {
    int nq = 0, nv = 0, nbase = 1;
    std::vector<TreeLink<R>> links;
    std::vector<TreeJoint<R>> joints;
    std::vector<R> armature;   // (nv)
    // The links on one hinge, in order: where their angles are in q, and the angles' references.
    std::vector<int> angle_adr;
    std::vector<R> angle_reference;
    std::vector<TreeStretch> stretches;
};

}  // namespace lig
