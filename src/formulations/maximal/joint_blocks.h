#pragma once

// The rows of a link on one joint, between two rigid bodies or a rigid body and a base, straight into the
// blocks of J. The same as find_rows of link_joint.h and what BodyMatrix makes of it, which any joint and any
// two kinds of bodies go through; this is where most of the time of J goes, so what a kind of joint does not
// need of poses and velocities is not computed, and rows that are an axis of F or a pure moment are known as
// such.

#include <ligament/spatial.h>
#include <ligament/tree.h>

namespace lig::maximal {

// One side of a joint: the frame, what moves with it, and its acceleration while the body's own is 0.
struct JointSide {
    const Transformd& X;
    const Motion<double>& V;
    const Motion<double>& a0;
};

struct JointPlace {
    const TreeJoint<double>& joint;
    const double* q;  // of the whole tree; angles within half a turn
    const Mat3d& R_WF;
    JointSide before, own;
    Vec3d from_own, from_before;  // the origin of M seen from the centres of mass
    bool base_moves;              // before: a kinematic body
};

// Row-major blocks of six columns, and entries of vectors; all of J::rows rows.
struct JointBlocks {
    double* own;
    double* before;  // nullptr: a base
    double *errors, *base_rates, *products;
};

// with_products: whether `products` are wanted.
void write_joint_blocks(const JointPlace& place, bool with_products, const JointBlocks& out);

}  // namespace lig::maximal
