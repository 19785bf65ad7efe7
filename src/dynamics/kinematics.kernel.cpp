// Forward kinematics: pose and velocity of every link and the motion subspace of every freedom; and motion on
// the configuration manifold: q moved along v for a time, and the v that leads from one q to another.

#include "dynamics/link_motion.h"
#include "joints/joint_list.h"

namespace lig {
namespace {

using namespace dynamics;

template <class T>
void kinematics(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T* q, const T* v) {
    for (int i = 0; i < tree.nlink; ++i) {
        const TreeLink<real_t<T>>& link = tree.links[i];
        Transform<T> X_WP;
        Motion<T> V_WP;
        if (link.parent >= 0) {
            X_WP = ws.poses[link.parent].X_WL;
            V_WP = ws.poses[link.parent].V_WL;
        } else {
            X_WP = ws.bases[-1 - link.parent].X_WL;
            V_WP = ws.bases[-1 - link.parent].V_WL;
        }
        LIG_ISA::outward_general(tree, ws, i, q, nullptr, nullptr);
        const Vec3<T>& r = ws.links[i].r;
        Motion<T> V_WL = shift(V_WP, r);
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) V_WL += v[k] * ws.S[k];
        ws.poses[i].X_WL = {ws.links[i].R_WL, X_WP.p + r};
        ws.poses[i].V_WL = V_WL;
    }
}

template <class T>
void integrate(const TreeView<real_t<T>>& tree, const T* q, const T* v, const T* h, T* q_out) {
    for (int j = 0; j < tree.njoint; ++j) {
        const TreeJoint<real_t<T>>& joint = tree.joints[j];
        joints::visit_joint(joint.type, [&](auto kind) LIG_INLINE_LAMBDA {
            decltype(kind)::integrate(q + joint.q_adr, v + joint.v_adr, *h, q_out + joint.q_adr);
        });
    }
}

template <class T>
void difference(const TreeView<real_t<T>>& tree, const T* q0, const T* q1, T* v_out) {
    for (int j = 0; j < tree.njoint; ++j) {
        const TreeJoint<real_t<T>>& joint = tree.joints[j];
        joints::visit_joint(joint.type, [&](auto kind) LIG_INLINE_LAMBDA {
            decltype(kind)::difference(q0 + joint.q_adr, q1 + joint.q_adr, v_out + joint.v_adr);
        });
    }
}

}  // namespace

namespace LIG_ISA {

void add_kinematics(KernelTable& table) {
#define LIG_ADD(T)                                    \
    kernels_in<T>(table).kinematics = &kinematics<T>; \
    kernels_in<T>(table).integrate = &integrate<T>;   \
    kernels_in<T>(table).difference = &difference<T>;
    LIG_FOR_EACH_SCALAR(LIG_ADD)
#undef LIG_ADD
}

}  // namespace LIG_ISA
}  // namespace lig
