#pragma once

// Between a link's inertia as the model keeps it and as the recursions use it.

#include <ligament/tree.h>

#include "core/lift.h"
#include "linalg/symmetric_eigen.h"

#include <cmath>

namespace lig {

// The inertia of a link in world axes.
template <class T>
LIG_INLINE RigidInertia<T> world_inertia(const Mat3<T>& R_WL, const SplitInertia<real_t<T>>& own) {
    const Vec3<T> u = R_WL * lift<T>(own.u), v = R_WL * lift<T>(own.v);
    const T least = T(own.least);
    const Sym3<T> I = {u.x * u.x + v.x * v.x + least,
                       u.y * u.y + v.y * v.y + least,
                       u.z * u.z + v.z * v.z + least,
                       u.x * u.y + v.x * v.y,
                       u.x * u.z + v.x * v.z,
                       u.y * u.z + v.y * v.z};
    return {T(own.mass), R_WL * lift<T>(own.h), I};
}

inline SplitInertia<double> split(const RigidInertia<double>& whole) {
    const SymmetricEigen eigen = symmetric_eigen(whole.I);
    const double least = eigen.values.x;
    return {whole.mass, whole.h, least, std::sqrt(eigen.values.y - least) * eigen.vectors.y,
            std::sqrt(eigen.values.z - least) * eigen.vectors.z};
}

}  // namespace lig
