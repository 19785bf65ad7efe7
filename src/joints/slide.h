#pragma once

// Slide: M moves along z_F without turning. X_FM = (1, q z), S = (0, z), constant.
// Constraint: the rotation lock (three rows) and p_x = p_y = 0.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Slide : AddingCoordinates<1>, NoVelocityProduct {
    static constexpr JointType type = JointType::slide;
    static constexpr std::string_view name = "slide";
    static constexpr std::string_view summary = "translation along an axis";
    static constexpr int nq = 1, nv = 1, rows = 5;
    static constexpr Placement placement = Placement::axis;
    static constexpr std::array<Coordinate, 1> coordinate_kinds{Coordinate::length};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T* q) {
        return {Mat3<T>::identity(), {T(0), T(0), q[0]}};
    }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>* S) {
        S[0] = {Vec3<T>::zero(), unit_z<T>()};
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>& X, const T*, T* q) {
        q[0] = X.p.z;
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        RotationLock::residual(X, C);
        C[3] = X.p.x;
        C[4] = X.p.y;
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        RotationLock::jacobian(X, G);
        G[3] = PointRow<0>::jacobian<T>();
        G[4] = PointRow<1>::jacobian<T>();
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        RotationLock::rate(X, V, out);
        out[3] = out[4] = T(0);
    }
};

}  // namespace lig::joints
