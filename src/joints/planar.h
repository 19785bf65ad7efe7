#pragma once

// Planar: M moves in the plane of x_F and y_F by (q0, q1) and turns about z_F by q2. X_FM = (Rz(q2), (q0, q1,
// 0)), S = [(0, x), (0, y), (z, 0)], constant, because the translation is counted in the axes of F.
// Constraint: p_z = 0 and z_M parallel to z_F.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Planar : AddingCoordinates<3>, NoVelocityProduct {
    static constexpr JointType type = JointType::planar;
    static constexpr std::string_view name = "planar";
    static constexpr std::string_view summary = "translation in a plane and rotation about its normal";
    static constexpr int nq = 3, nv = 3, rows = 3;
    static constexpr Placement placement = Placement::normal;
    static constexpr std::array<Coordinate, 3> coordinate_kinds{Coordinate::length, Coordinate::length,
                                                                Coordinate::angle};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        return {rotation_z(q[2]), {q[0], q[1], T(0)}};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>* S) {
        S[0] = {Vec3<T>::zero(), unit_x<T>()};
        S[1] = {Vec3<T>::zero(), unit_y<T>()};
        S[2] = {unit_z<T>(), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        q[0] = X.p.x;
        q[1] = X.p.y;
        q[2] = unwrap(TwistAngle::value(X), near[2]);
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        C[0] = X.p.z;
        C[1] = OrthogonalRow<0, 2>::residual(X);
        C[2] = OrthogonalRow<1, 2>::residual(X);
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        G[0] = PointRow<2>::jacobian<T>();
        G[1] = OrthogonalRow<0, 2>::jacobian(X);
        G[2] = OrthogonalRow<1, 2>::jacobian(X);
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        out[0] = T(0);
        out[1] = OrthogonalRow<0, 2>::rate(X, V);
        out[2] = OrthogonalRow<1, 2>::rate(X, V);
    }
};

}  // namespace lig::joints
