#pragma once

// The step outwards from a parent to a link, shared by the recursions: orientation, offset, angular velocity and the
// acceleration that is left when v̇ = 0 (or a given one). For internal use by the kernel files.

#include "dynamics/kernels.h"
#include "joints/joint_list.h"

namespace lig::dynamics {

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

template <class T, class R>
LIG_INLINE Mat3<T> lift(const Mat3<R>& m) {
    return {{T(m.x.x), T(m.x.y), T(m.x.z)}, {T(m.y.x), T(m.y.y), T(m.y.z)}, {T(m.z.x), T(m.z.y), T(m.z.z)}};
}
template <class T, class R>
LIG_INLINE Vec3<T> lift(const Vec3<R>& a) { return {T(a.x), T(a.y), T(a.z)}; }
template <class T, class R>
LIG_INLINE RigidInertia<T> lift(const RigidInertia<R>& a) {
    return {T(a.mass), lift<T>(a.h), {T(a.I.xx), T(a.I.yy), T(a.I.zz), T(a.I.xy), T(a.I.xz), T(a.I.yz)}};
}

// R_WF = R_WP R_PF turned about z by an angle.
template <class T>
LIG_INLINE Mat3<T> turned_about_z(const Mat3<T>& R_WF, const T& angle) {
    T s, c;
    sin_cos(angle, s, c);
    return {c * R_WF.x + s * R_WF.y, c * R_WF.y - s * R_WF.x, R_WF.z};
}

// ω × (ω × r)
template <class T>
LIG_INLINE Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& r) { return cross(w, cross(w, r)); }

// The coordinates of a joint as its pose function wants them: counted from the reference configuration.
template <class J, class T, class R>
LIG_INLINE void local_coordinates(const TreeJoint<R>& joint, const T* q, T* out) {
    for (int k = 0; k < J::nq; ++k) out[k] = q[joint.q_adr + k];
    if constexpr (J::nq == 1) out[0] -= T(joint.reference);
}

// One link of any kind, joint by joint. Advances `at` from the parent's motion to the link's, sets r and the columns of S
// about L. `qacc` null: v̇ = 0. `v` null: positions and S only.
template <class T>
LIG_INLINE void general_link_motion(const TreeView<real_t<T>>& tree, const TreeLink<real_t<T>>& link, const T* q, const T* v,
                                    const T* qacc, Carried<T>& at, Vec3<T>& r, Motion<T>* S) {
    r = Vec3<T>::zero();
    for (int j = link.joint_begin; j < link.joint_begin + link.joint_count; ++j) {
        const TreeJoint<real_t<T>>& joint = tree.joints[j];
        joints::visit_joint(joint.type, [&](auto kind) __attribute__((always_inline)) {
            using J = decltype(kind);
            const joints::Parameters<T> parameters{T(joint.pitch)};
            T local[J::nq > 0 ? J::nq : 1];
            local_coordinates<J>(joint, q, local);
            const Transform<T> X_FM = J::pose(parameters, local);
            const Mat3<T> R_WF = at.R * lift<T>(joint.X_PF.R);
            const Vec3<T> step = at.R * lift<T>(joint.X_PF.p) + R_WF * X_FM.p;

            // The columns of the joints before this one now refer to the new origin.
            for (int k = link.v_adr; k < joint.v_adr; ++k) S[k] = shift(S[k], step);
            Motion<T> columns[J::nv > 0 ? J::nv : 1];
            J::motion(parameters, local, columns);
            for (int k = 0; k < J::nv; ++k) S[joint.v_adr + k] = rotate(R_WF, columns[k]);

            if (v) {
                Motion<T> relative = Motion<T>::zero();
                for (int k = 0; k < J::nv; ++k) relative += v[joint.v_adr + k] * S[joint.v_adr + k];
                Motion<T> gained = rotate(R_WF, J::velocity_product(parameters, local, v + joint.v_adr));
                if (qacc)
                    for (int k = 0; k < J::nv; ++k) gained += qacc[joint.v_adr + k] * S[joint.v_adr + k];
                at.a = {at.a.ang + cross(at.w, relative.ang) + gained.ang,
                        at.a.lin + cross(at.a.ang, step) + centripetal(at.w, step) +
                            T(2) * cross(at.w, relative.lin) + gained.lin};
                at.w += relative.ang;
            }
            at.R = R_WF * X_FM.R;
            r += step;
        });
    }
}

// The motion of link i from that of its parent. `qacc` null: v̇ = 0.
template <class T>
LIG_INLINE void outward_motion(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* q, const T* v,
                               const T* qacc) {
    using Kernel = typename TreeLink<real_t<T>>::Kernel;
    const TreeLink<real_t<T>>& link = tree.links[i];
    const TreeJoint<real_t<T>>& joint = tree.joints[link.joint_begin];
    LinkWork<T>& out = ws.links[i];
    Carried<T> P = carried_from(ws, link.parent);
    switch (link.kernel) {
        case Kernel::hinge: {
            const Mat3<T> R_WF = P.R * lift<T>(joint.X_PF.R);
            const Vec3<T> r = P.R * lift<T>(joint.X_PF.p);
            const Vec3<T> spin = v[joint.v_adr] * R_WF.z;
            out.R_WL = turned_about_z(R_WF, q[joint.q_adr] - T(joint.reference));
            out.r = r;
            out.w = P.w + spin;
            out.a0 = {P.a.ang + cross(P.w, spin), P.a.lin + cross(P.a.ang, r) + centripetal(P.w, r)};
            if (qacc) out.a0.ang += qacc[joint.v_adr] * R_WF.z;
            break;
        }
        case Kernel::slide: {
            const Mat3<T> R_WF = P.R * lift<T>(joint.X_PF.R);
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
        case Kernel::general: {
            Vec3<T> r;
            general_link_motion<T>(tree, link, q, v, qacc, P, r, ws.S);
            out.R_WL = P.R;
            out.r = r;
            out.w = P.w;
            out.a0 = P.a;
            break;
        }
    }
}

// The force that moves a rigid link with angular velocity w and acceleration a, about L:
// n = I α + h × a + ω × I ω,  f = m a + α × h + ω × (ω × h).
template <class T>
LIG_INLINE Force<T> rigid_force(const RigidInertia<T>& inertia, const Vec3<T>& w, const Motion<T>& a) {
    const Force<T> f = inertia * a;
    return {f.ang + cross(w, inertia.I * w), f.lin + centripetal(w, inertia.h)};
}

}  // namespace lig::dynamics
