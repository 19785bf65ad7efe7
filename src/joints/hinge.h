#pragma once

// Hinge: M turns about z_F. X_FM = (Rz(q), 0), S = (z, 0), constant.
// Constraint: p = 0 (three rows) and z_M parallel to z_F: x_F · z_M = 0, y_F · z_M = 0.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Hinge : AddingCoordinates<1>, NoVelocityProduct {
    static constexpr JointType type = JointType::hinge;
    static constexpr std::string_view name = "hinge";
    static constexpr std::string_view summary = "rotation about an axis";
    static constexpr int nq = 1, nv = 1, rows = 5;
    static constexpr Placement placement = Placement::axis;
    static constexpr std::array<Coordinate, 1> coordinate_kinds{Coordinate::angle};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        return {rotation_z(q[0]), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>* S) {
        S[0] = {unit_z<T>(), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T* near, T* q) {
        q[0] = unwrap(TwistAngle::value(X), near[0]);
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        C[0] = X.p.x;
        C[1] = X.p.y;
        C[2] = X.p.z;
        C[3] = OrthogonalRow<0, 2>::residual(X);
        C[4] = OrthogonalRow<1, 2>::residual(X);
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        G[0] = PointRow<0>::jacobian<T>();
        G[1] = PointRow<1>::jacobian<T>();
        G[2] = PointRow<2>::jacobian<T>();
        G[3] = OrthogonalRow<0, 2>::jacobian(X);
        G[4] = OrthogonalRow<1, 2>::jacobian(X);
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        out[0] = out[1] = out[2] = T(0);
        out[3] = OrthogonalRow<0, 2>::rate(X, V);
        out[4] = OrthogonalRow<1, 2>::rate(X, V);
    }
};

}  // namespace lig::joints
