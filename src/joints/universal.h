#pragma once

// Universal (Cardan): M turns about x_F by q0, then about its own y by q1. R = Rx(q0) Ry(q1); the axis y_M =
// Rx(q0) y stays orthogonal to x_F. S = [(x, 0), (Rx(q0) y, 0)]; only the second column moves, with
// ω = q̇0 x, so Ṡ v = q̇0 q̇1 x × Rx(q0) y = q̇0 q̇1 (0, −sin q0, cos q0).
// Constraint: p = 0 and x_F · y_M = 0.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Universal : AddingCoordinates<2> {
    static constexpr JointType type = JointType::universal;
    static constexpr std::string_view name = "universal";
    static constexpr std::string_view summary = "rotation about two axes at a right angle";
    static constexpr int nq = 2, nv = 2, rows = 4;
    static constexpr Placement placement = Placement::two_axes;
    static constexpr std::array<Coordinate, 2> coordinate_kinds{Coordinate::angle, Coordinate::angle};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        T s0, c0, s1, c1;
        sin_cos(q[0], s0, c0);
        sin_cos(q[1], s1, c1);
        return {rotation_x(s0, c0) * rotation_y(s1, c1), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T* q, Motion<T>* S) {
        T s, c;
        sin_cos(q[0], s, c);
        S[0] = {unit_x<T>(), Vec3<T>::zero()};
        S[1] = {{T(0), c, s}, Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static Motion<T> velocity_product(const Parameters<T>&, const T* q, const T* v) {
        T s, c;
        sin_cos(q[0], s, c);
        const T vv = v[0] * v[1];
        return {{T(0), -vv * s, vv * c}, Vec3<T>::zero()};
    }
    // R = Rx Ry: its second column is (0, cos q0, sin q0), its first row (cos q1, 0, sin q1).
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        q[0] = unwrap(atan2(X.R.y.z, X.R.y.y), near[0]);
        q[1] = unwrap(atan2(X.R.z.x, X.R.x.x), near[1]);
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        C[0] = X.p.x;
        C[1] = X.p.y;
        C[2] = X.p.z;
        C[3] = OrthogonalRow<0, 1>::residual(X);
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        G[0] = PointRow<0>::jacobian<T>();
        G[1] = PointRow<1>::jacobian<T>();
        G[2] = PointRow<2>::jacobian<T>();
        G[3] = OrthogonalRow<0, 1>::jacobian(X);
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        out[0] = out[1] = out[2] = T(0);
        out[3] = OrthogonalRow<0, 1>::rate(X, V);
    }
};

}  // namespace lig::joints
