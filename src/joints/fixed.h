#pragma once

// Fixed: M stays where F is. No freedom; C = (2 q_v, p), six rows. In a tree a fixed joint makes one link of
// two bodies; as a loop it welds them.

#include "joints/joint_parts.h"

namespace lig::joints {

struct Fixed : AddingCoordinates<0>, NoVelocityProduct {
    static constexpr JointType type = JointType::fixed;
    static constexpr std::string_view name = "fixed";
    static constexpr std::string_view summary = "no motion";
    static constexpr int nq = 0, nv = 0, rows = 6;
    static constexpr Placement placement = Placement::body;
    static constexpr std::array<Coordinate, 0> coordinate_kinds{};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T*) { return Transform<T>::identity(); }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>*) {}
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>&, const T*, T*) {}

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>& X, const T*, T* C) {
        RotationLock::residual(X, C);
        C[3] = X.p.x;
        C[4] = X.p.y;
        C[5] = X.p.z;
    }
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>& X, Force<T>* G) {
        RotationLock::jacobian(X, G);
        G[3] = PointRow<0>::jacobian<T>();
        G[4] = PointRow<1>::jacobian<T>();
        G[5] = PointRow<2>::jacobian<T>();
    }
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>& X, const Motion<T>& V,
                                         T* out) {
        RotationLock::rate(X, V, out);
        out[3] = out[4] = out[5] = T(0);
    }
};

}  // namespace lig::joints
