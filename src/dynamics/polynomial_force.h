#pragma once

// Springs and dampers whose force is a polynomial without constant term, of joints and of tendons.

#include "core/lift.h"
#include "core/scalar_math.h"

#include <array>

namespace lig {

inline bool is_zero(double linear, const std::array<double, 2>& higher) {
    return linear == 0 && higher[0] == 0 && higher[1] == 0;
}

// Force per displacement: the force is −x (k + k₂ x + k₃ x²). The sign of x counts, so k₂ makes a spring that
// is stiffer on one side.
template <class T>
LIG_INLINE T stiffness_at(double k, const std::array<double, 2>& higher, const T& x) {
    return lift<T>(k) + x * (lift<T>(higher[0]) + x * lift<T>(higher[1]));
}
// The work done against it.
template <class T>
LIG_INLINE T spring_energy_at(double k, const std::array<double, 2>& higher, const T& x) {
    return x * x * (lift<T>(k / 2) + x * (lift<T>(higher[0] / 3) + x * lift<T>(higher[1] / 4)));
}

// Force per velocity: the force is −v (d + d₂ |v| + d₃ v²), against the motion on both sides.
template <class T>
LIG_INLINE T damping_at(double d, const std::array<double, 2>& higher, const T& v) {
    return stiffness_at(d, higher, abs(v));
}

}  // namespace lig
