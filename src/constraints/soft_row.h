#pragma once

// Forces along a length, taken at the end of the step, as rows.
//
// A force f(l, l̇) along a length l with slopes −k and −c, and a mass m that moves with it, act in the step
// with the impulse
//     λ = h (f − k h l̇⁺ − c (l̇⁺ − l̇)) − m (l̇⁺ − l̇)
//       = h f + (m + h c) l̇ − g l̇⁺,   g = m + h c + h² k,
// l̇⁺ = J v⁺ + what bases add. That is the row  J v⁺ + bias + λ/g = 0  with
//     bias = base speed − (h f + (m + h c) l̇)/g.
// Where the force is limited, so is λ, to h times the limits: in this form a drive is as stiff as it is told
// to be until it reaches its limit, and then constant.

#include "constraints/rows.h"
#include "dynamics/polynomial_force.h"

#include <ligament/specs.h>

#include <algorithm>

namespace lig {

// The slope of x (k + k₂ x + k₃ x²), the size of a polynomial spring's force, where it is positive; for
// dampers x is |v|.
inline double slope_at(double k, const std::array<double, 2>& higher, double x) {
    return std::max(k + x * (2 * higher[0] + x * 3 * higher[1]), 0.0);
}

struct SoftForce {
    double force, speed;  // f, l̇
    double stiffness, damping;
    double inertia = 0;

    double weight(double h) const { return inertia + h * (damping + h * stiffness); }
};

// `limits`: of the force. The weight must be positive.
inline void set_soft(Row& row, const SoftForce& soft, double h, double base_speed, const Range& limits) {
    const double weight = soft.weight(h);
    row.compliance = 1 / weight;
    row.base_rate = base_speed;
    row.bias = row.kept_bias =
        base_speed - (h * soft.force + (soft.inertia + h * soft.damping) * soft.speed) / weight;
    row.lo = h * limits.lower;
    row.hi = h * limits.upper;
}

}  // namespace lig
