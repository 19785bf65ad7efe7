#pragma once

// Ball: M turns freely about F's origin. q is a unit quaternion, w first; v is the angular velocity in the
// axes of M (the child), so V_FM = (R v, 0): S = (R, 0). Its velocity product vanishes: d(R v)/dt = ω × R v +
// R v̇ = R v̇, because ω = R v. Constraint: p = 0.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Ball : NoVelocityProduct {
    static constexpr JointType type = JointType::ball;
    static constexpr std::string_view name = "ball";
    static constexpr std::string_view summary = "rotation about a point";
    static constexpr int nq = 4, nv = 3, rows = 3;
    static constexpr Placement placement = Placement::point;
    static constexpr std::array<Coordinate, 4> coordinate_kinds{
        Coordinate::quaternion, Coordinate::quaternion, Coordinate::quaternion, Coordinate::quaternion};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        return {rotation_matrix(Quat<T>{q[0], q[1], q[2], q[3]}), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T* q, Motion<T>* S) {
        const Mat3<T> R = rotation_matrix(Quat<T>{q[0], q[1], q[2], q[3]});
        S[0] = {R.x, Vec3<T>::zero()};
        S[1] = {R.y, Vec3<T>::zero()};
        S[2] = {R.z, Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void integrate(const T* q, const T* v, const T& h, T* out) {
        const Quat<T> r =
            normalized(Quat<T>{q[0], q[1], q[2], q[3]} * rotation_exp(h * Vec3<T>{v[0], v[1], v[2]}));
        out[0] = r.w;
        out[1] = r.x;
        out[2] = r.y;
        out[3] = r.z;
    }
    template <class T>
    LIG_INLINE static void difference(const T* q0, const T* q1, T* v) {
        const Vec3<T> w = rotation_log(conjugate(Quat<T>{q0[0], q0[1], q0[2], q0[3]}) *
                                       Quat<T>{q1[0], q1[1], q1[2], q1[3]});
        v[0] = w.x;
        v[1] = w.y;
        v[2] = w.z;
    }
    // Of the two quaternions of a rotation, the one on the side of `near`.
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        const Quat<T> r = quaternion(X.R);
        const T s = select(dot(r, Quat<T>{near[0], near[1], near[2], near[3]}) < T(0), T(-1), T(1));
        q[0] = s * r.w;
        q[1] = s * r.x;
        q[2] = s * r.y;
        q[3] = s * r.z;
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        C[0] = X.p.x;
        C[1] = X.p.y;
        C[2] = X.p.z;
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>&, Force<T>* G) {
        G[0] = PointRow<0>::jacobian<T>();
        G[1] = PointRow<1>::jacobian<T>();
        G[2] = PointRow<2>::jacobian<T>();
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>&, const Motion<T>&,
                                         T* out) {
        out[0] = out[1] = out[2] = T(0);
    }
};

}  // namespace lig::joints
