#pragma once

// The step outwards from a parent to a link, shared by the recursions: orientation, offset, angular velocity
// and the acceleration that is left when v̇ = 0 (or a given one). For internal use by the kernel files.

#include "core/lift.h"
#include "core/rotation.h"
#include "dynamics/kernels.h"
#include "model/split_inertia.h"

namespace lig {

// general_motion.kernel.cpp: a link on joints of any kind, in the same terms as outward_motion below, and the
// columns of S. `v` null: only position and S are of use.
namespace LIG_ISA {
#define LIG_DECLARE(T)                                                                                     \
    void outward_general(const TreeView<real_t<T>>&, const WorkView<T>&, int link, const T* q, const T* v, \
                         const T* qacc);
LIG_FOR_EACH_SCALAR(LIG_DECLARE)
#undef LIG_DECLARE
}  // namespace LIG_ISA

namespace dynamics {

// What a link hands to its children on the way outwards.
template <class T>
struct Carried {
    Mat3<T> R;    // R_WL
    Vec3<T> w;    // angular velocity
    Motion<T> a;  // acceleration about L, less gravity
};

template <class T>
LIG_INLINE Carried<T> carried_from(const WorkView<T>& ws, int parent) {
    if (parent >= 0) {
        const LinkWork<T>& P = ws.links[parent];
        return {P.R_WL, P.w, P.a0};
    }
    const BaseWork<T>& base = ws.bases[-1 - parent];
    return {base.X_WL.R, base.V_WL.ang, base.a0};
}

// R_WF = R_WP R_PF.
template <class T>
LIG_INLINE Mat3<T> rotation_of_F(const Mat3<T>& R, const TreeJoint<real_t<T>>& joint) {
    switch (joint.turn) {
        case AxisTurn::z: return R;
        case AxisTurn::x: return {R.y, R.z, R.x};
        case AxisTurn::y: return {R.z, R.x, R.y};
        case AxisTurn::minus_z: return {R.x, -R.y, -R.z};
        case AxisTurn::minus_x: return {R.y, -R.z, -R.x};
        case AxisTurn::minus_y: return {R.z, -R.x, -R.y};
        case AxisTurn::general: break;
    }
    return R * lift<T>(joint.X_PF.R);
}

// R turned about its own z.
template <class T>
LIG_INLINE Mat3<T> turned_about_z(const Mat3<T>& R, const T& s, const T& c) {
    return {c * R.x + s * R.y, c * R.y - s * R.x, R.z};
}

// Sine and cosine of all hinges' angles. A plain number is done in lanes, several hinges at a time, with the
// same bits.
template <class T>
LIG_INLINE void sines_and_cosines(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T* q) {
    int i = 0;
    if constexpr (std::is_same_v<T, real_t<T>>) {
        constexpr int W = 32 / sizeof(T);
        for (; i + W <= tree.nangle; i += W) {
            Lanes<T, W> angle(T(0)), s, c;
            for (int k = 0; k < W; ++k) angle.set(k, q[tree.angle_adr[i + k]] - tree.angle_reference[i + k]);
            sin_cos(angle, s, c);
            for (int k = 0; k < W; ++k) {
                ws.sine[i + k] = s[k];
                ws.cosine[i + k] = c[k];
            }
        }
    }
    for (; i < tree.nangle; ++i)
        sin_cos(q[tree.angle_adr[i]] - T(tree.angle_reference[i]), ws.sine[i], ws.cosine[i]);
}

// ω × (ω × r)
template <class T>
LIG_INLINE Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& r) { return cross(w, cross(w, r)); }

// The motion of link i from that of its parent, after sines_and_cosines. `qacc` null: v̇ = 0.
template <class T>
LIG_INLINE void outward_motion(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* q,
                               const T* v, const T* qacc) {
    using Kernel = typename TreeLink<real_t<T>>::Kernel;
    const TreeLink<real_t<T>>& link = tree.links[i];
    const TreeJoint<real_t<T>>& joint = tree.joints[link.joint_begin];
    LinkWork<T>& out = ws.links[i];
    Carried<T> P = carried_from(ws, link.parent);
    switch (link.kernel) {
        case Kernel::hinge: {
            const Mat3<T> R_WF = rotation_of_F(P.R, joint);
            const Vec3<T> r = P.R * lift<T>(joint.X_PF.p);
            const Vec3<T> spin = v[joint.v_adr] * R_WF.z;
            out.R_WL = turned_about_z(R_WF, ws.sine[joint.angle], ws.cosine[joint.angle]);
            out.r = r;
            out.w = P.w + spin;
            out.a0 = {P.a.ang + cross(P.w, spin), P.a.lin + cross(P.a.ang, r) + centripetal(P.w, r)};
            if (qacc) out.a0.ang += qacc[joint.v_adr] * R_WF.z;
            break;
        }
        case Kernel::slide: {
            const Mat3<T> R_WF = rotation_of_F(P.R, joint);
            const Vec3<T> r = P.R * lift<T>(joint.X_PF.p) + (q[joint.q_adr] - T(joint.reference)) * R_WF.z;
            out.R_WL = R_WF;
            out.r = r;
            out.w = P.w;
            out.a0 = {P.a.ang, P.a.lin + cross(P.a.ang, r) + centripetal(P.w, r) +
                                   T(2) * cross(P.w, v[joint.v_adr] * R_WF.z)};
            if (qacc) out.a0.lin += qacc[joint.v_adr] * R_WF.z;
            break;
        }
        case Kernel::ball: {
            const Mat3<T> R_WF = P.R * lift<T>(joint.X_PF.R);
            const Vec3<T> r = P.R * lift<T>(joint.X_PF.p);
            const T* quat = q + joint.q_adr;
            const T* vel = v + joint.v_adr;
            const Mat3<T> R_WL = R_WF * rotation_matrix(Quat<T>{quat[0], quat[1], quat[2], quat[3]});
            const Vec3<T> spin = R_WL * Vec3<T>{vel[0], vel[1], vel[2]};
            out.R_WL = R_WL;
            out.r = r;
            out.w = P.w + spin;
            out.a0 = {P.a.ang + cross(P.w, spin), P.a.lin + cross(P.a.ang, r) + centripetal(P.w, r)};
            if (qacc) {
                const T* acc = qacc + joint.v_adr;
                out.a0.ang += R_WL * Vec3<T>{acc[0], acc[1], acc[2]};
            }
            break;
        }
        case Kernel::free:
        case Kernel::general: LIG_ISA::outward_general(tree, ws, i, q, v, qacc); break;
    }
}

// The force that moves a rigid link with angular velocity w and acceleration a, about L:
// n = I α + h × a + ω × I ω,  f = m a + α × h + ω × (ω × h).
template <class T>
LIG_INLINE Force<T> rigid_force(const RigidInertia<T>& inertia, const Vec3<T>& w, const Motion<T>& a) {
    const Force<T> f = inertia * a;
    return {f.ang + cross(w, inertia.I * w), f.lin + centripetal(w, inertia.h)};
}

}  // namespace dynamics
}  // namespace lig
