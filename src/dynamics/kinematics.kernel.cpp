// Forward kinematics: pose and velocity of every link and the motion subspace of every freedom; and motion on
// the configuration manifold: q moved along v for a time, and the v that leads from one q to another.

#include "dynamics/link_motion.h"
#include "joints/joint_list.h"

namespace lig {
namespace {

using namespace dynamics;

// Position of link i from that of its parent, and its columns of S, after sines_and_cosines.
template <class T>
LIG_INLINE void outward_position(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i,
                                 const Mat3<T>& R_WP, const T* q) {
    using Kernel = typename TreeLink<real_t<T>>::Kernel;
    const TreeLink<real_t<T>>& link = tree.links[i];
    const TreeJoint<real_t<T>>& joint = tree.joints[link.joint_begin];
    LinkWork<T>& out = ws.links[i];
    const Vec3<T> zero = Vec3<T>::zero();
    switch (link.kernel) {
        case Kernel::hinge: {
            const Mat3<T> R_WF = rotation_of_F(R_WP, joint);
            out.R_WL = turned_about_z(R_WF, ws.sine[joint.angle], ws.cosine[joint.angle]);
            out.r = R_WP * lift<T>(joint.X_PF.p);
            ws.S[joint.v_adr] = {R_WF.z, zero};
            break;
        }
        case Kernel::slide: {
            const Mat3<T> R_WF = rotation_of_F(R_WP, joint);
            out.R_WL = R_WF;
            out.r = R_WP * lift<T>(joint.X_PF.p) + (q[joint.q_adr] - T(joint.reference)) * R_WF.z;
            ws.S[joint.v_adr] = {zero, R_WF.z};
            break;
        }
        case Kernel::ball: {
            const T* quat = q + joint.q_adr;
            const Mat3<T> R_WL = R_WP * lift<T>(joint.X_PF.R) *
                                 rotation_matrix(Quat<T>{quat[0], quat[1], quat[2], quat[3]});
            out.R_WL = R_WL;
            out.r = R_WP * lift<T>(joint.X_PF.p);
            ws.S[joint.v_adr] = {R_WL.x, zero};
            ws.S[joint.v_adr + 1] = {R_WL.y, zero};
            ws.S[joint.v_adr + 2] = {R_WL.z, zero};
            break;
        }
        case Kernel::free:
        case Kernel::general: LIG_ISA::outward_general(tree, ws, i, q, nullptr, nullptr); break;
    }
}

template <class T>
void kinematics(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T* q, const T* v) {
    sines_and_cosines(tree, ws, q);
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
        outward_position(tree, ws, i, X_WP.R, q);
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
