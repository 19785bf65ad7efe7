#pragma once

// The joints of one link as formulations on body coordinates read them: rows that hold frame M (the link's
// own frame L) where it may be relative to frame F (of the first joint, on the parent), and the freedoms that
// are left, as rows that read the velocities of the coordinates.
//
// V_FM = (ω, ṗ), in the axes of F, is the motion of M seen from F (joints/joint.h); A_FM is its derivative.
//   rows       dC/dt = G V_FM,  d²C/dt² = G A_FM + rate
//   freedoms   V_FM = S v,      A_FM = S v̇ + product;   v = W V_FM with W S = 1
//
// A link on one joint has the rows of the joint's constraint half. One on several (a compound joint) has the
// complement of their freedoms: with the coordinates q for which the pose X(q) is nearest to that of M, in
// the sense that the difference e = (rotation vector, displacement) has no part along S(q),
//     C = N e,  G = N,  N S = 0,  N Nᵀ = 1,   rate = −N · product
// which is exact on the joint and of second order beside it.

#include <ligament/spatial.h>
#include <ligament/tree.h>

namespace lig::maximal {

inline constexpr int max_joint_rows = 6;

struct JointRows {
    int count = 0;
    double C[max_joint_rows];
    Force<double> G[max_joint_rows];
    double rate[max_joint_rows];
};

struct JointFreedoms {
    int count = 0;
    Motion<double> S[max_joint_rows];
    Force<double> W[max_joint_rows];
};

// The freedoms of a link's frame: all but its stretches, if it deforms.
inline int frame_freedoms(const Tree<double>& tree, const TreeLink<double>& link) {
    return link.stretch < 0 ? link.nv : link.nv - tree.stretches[link.stretch].count;
}

// How many rows the joints of a link have.
int joint_row_count(const Tree<double>& tree, int link);

// q: the coordinates of the whole tree; those of the link come nearly right (angles within half a turn, and
// for compound joints within the reach of Newton's method). Those of compound joints are improved.
void find_rows(const Tree<double>& tree, int link, const Transformd& X_FM, const Motion<double>& V_FM,
               double* q, JointRows& out);

// S and W at the coordinates q.
void find_freedoms(const Tree<double>& tree, int link, const double* q, JointFreedoms& out);
// dS/dt v for the velocities of the link's freedoms.
Motion<double> freedom_product(const Tree<double>& tree, int link, const double* q, const double* own_v);

// The coordinates of the link read back from a pose; angles come out nearest to those that q has.
void read_coordinates(const Tree<double>& tree, int link, const Transformd& X_FM, double* q);

}  // namespace lig::maximal
