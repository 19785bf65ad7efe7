#pragma once

// Cylindrical: M turns about z_F by q0 and moves along it by q1. X_FM = (Rz(q0), q1 z), S = [(z, 0), (0, z)],
// constant. Constraint: p_x = p_y = 0 and z_M parallel to z_F.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Cylindrical : AddingCoordinates<2>, NoVelocityProduct {
    static constexpr JointType type = JointType::cylindrical;
    static constexpr std::string_view name = "cylindrical";
    static constexpr std::string_view summary = "rotation about an axis and translation along it";
    static constexpr int nq = 2, nv = 2, rows = 4;
    static constexpr Placement placement = Placement::axis;
    static constexpr std::array<Coordinate, 2> coordinate_kinds{Coordinate::angle, Coordinate::length};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        return {rotation_z(q[0]), {T(0), T(0), q[1]}};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>* S) {
        S[0] = {unit_z<T>(), Vec3<T>::zero()};
        S[1] = {Vec3<T>::zero(), unit_z<T>()};
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        q[0] = unwrap(TwistAngle::value(X), near[0]);
        q[1] = X.p.z;
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        C[0] = X.p.x;
        C[1] = X.p.y;
        C[2] = OrthogonalRow<0, 2>::residual(X);
        C[3] = OrthogonalRow<1, 2>::residual(X);
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        G[0] = PointRow<0>::jacobian<T>();
        G[1] = PointRow<1>::jacobian<T>();
        G[2] = OrthogonalRow<0, 2>::jacobian(X);
        G[3] = OrthogonalRow<1, 2>::jacobian(X);
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        out[0] = out[1] = T(0);
        out[2] = OrthogonalRow<0, 2>::rate(X, V);
        out[3] = OrthogonalRow<1, 2>::rate(X, V);
    }
};

}  // namespace lig::joints
