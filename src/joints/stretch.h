#pragma once

// Stretch: one of the coordinates by which a body deforms (bodies/deforming.h). M stays where F is; what it
// moves is the shape of its body. Not in the list of joints that files and loops may name.

#include "joints/fixed.h"

namespace lig::joints {

struct Stretch : AddingCoordinates<1>, NoVelocityProduct {
    static constexpr JointType type = JointType::stretch;
    static constexpr std::string_view name = "stretch";
    static constexpr std::string_view summary = "the shape of a body";
    static constexpr int nq = 1, nv = 1, rows = 0;
    static constexpr Placement placement = Placement::body;
    static constexpr std::array<Coordinate, 1> coordinate_kinds{Coordinate::length};

    template <class T>
    LIG_INLINE static Transform<T> pose(const Parameters<T>&, const T*) { return Transform<T>::identity(); }
    template <class T>
    LIG_INLINE static void motion(const Parameters<T>&, const T*, Motion<T>* S) {
        S[0] = Motion<T>::zero();
    }
    template <class T>
    LIG_INLINE static void coordinates(const Parameters<T>&, const Transform<T>&, const T* near, T* q) {
        q[0] = near[0];
    }

    template <class T>
    LIG_INLINE static void residual(const Parameters<T>&, const Transform<T>&, const T*, T*) {}
    template <class T>
    LIG_INLINE static void jacobian(const Parameters<T>&, const Transform<T>&, Force<T>*) {}
    template <class T>
    LIG_INLINE static void jacobian_rate(const Parameters<T>&, const Transform<T>&, const Motion<T>&, T*) {}
};

}  // namespace lig::joints
