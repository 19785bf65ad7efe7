#pragma once

// The angles that limits of a ball joint are about, with their gradients: d(angle)/dt = gradient · ω, ω the
// angular velocity in the axes of the child, which is what a ball's velocities are.
//
// Let the quaternion be (w, v), a the unit axis of the limits in the child, and v = p a + u with u ⟂ a,
// s = |u|, c = √(w² + p²). From q̇ = ½ q ω:
//
//   rotation   φ = 2 atan2(|v|, |w|),  gradient n = ± v/|v|, the sign that of w
//   swing      σ = 2 atan2(s, c), the angle between a in the parent and a in the child; its gradient
//              j = (w û − p a × û)/c is a unit vector orthogonal to a
//   twist      θ = 2 atan2(p, w), the rotation about a that is left when the shortest rotation that takes a
//              where it is has been undone; gradient a + (s/c) k with k = a × j
//
// Nothing is divided by the quaternion's length, so one that has drifted from 1 does no harm.
//
// Singular positions. Where φ = 0 or σ = 0 the angle has a kink: whichever way the joint turns, it grows. The
// gradient is then along the present angular velocity, so that it is the exact derivative for the motion at
// hand; without any it is some unit vector. Where σ = π the twist is not defined, and beside that position it
// changes tan(σ/2) times as fast as the joint turns. The factor is held at 10⁸, which touches nothing that is
// farther than 2·10⁻⁸ rad from there. At φ = π the rotation's axis changes sign.

#include "core/rotation.h"

#include <ligament/specs.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig {

// A unit vector orthogonal to the unit vector `a`, as near to `wish` as may be.
inline Vec3d unit_across(const Vec3d& a, const Vec3d& wish) {
    Vec3d across = wish - dot(a, wish) * a;
    double length = std::sqrt(dot(across, across));
    // What remains of a wish along a is rounding.
    if (!(length > 8 * std::numeric_limits<double>::epsilon() * std::sqrt(dot(wish, wish)))) {
        const bool x_is_least = std::abs(a.x) <= std::abs(a.y) && std::abs(a.x) <= std::abs(a.z);
        const Vec3d e = x_is_least                       ? Vec3d{1, 0, 0}
                        : std::abs(a.y) <= std::abs(a.z) ? Vec3d{0, 1, 0}
                                                         : Vec3d{0, 0, 1};
        across = cross(a, e);
        length = std::sqrt(dot(across, across));
    }
    return (1 / length) * across;
}

// Sine and cosine of half an angle between 0 and π, from numbers in their proportion.
struct HalfAngle {
    double sine, cosine;
    HalfAngle(double s, double c) {
        const double scale = 1 / std::sqrt(s * s + c * c);
        sine = scale * s;
        cosine = scale * c;
    }
};

struct RotationAngle {
    double angle;
    HalfAngle half;
    Vec3d gradient;  // n
};

inline RotationAngle rotation_angle(const Quatd& q, const Vec3d& angular_velocity) {
    const Vec3d v = (q.w < 0 ? -1.0 : 1.0) * q.vec();
    const double length = std::sqrt(dot(v, v)), w = std::abs(q.w);
    if (length > 0) return {2 * atan2(length, w), HalfAngle(length, w), (1 / length) * v};
    const double speed = std::sqrt(dot(angular_velocity, angular_velocity));
    return {0, HalfAngle(0, 1), speed > 0 ? (1 / speed) * angular_velocity : Vec3d{1, 0, 0}};
}

struct SwingTwist {
    double swing, twist;                   // in [0, π], in [−π, π]
    HalfAngle half_swing;
    Vec3d swing_gradient, twist_gradient;  // j, a + tan(σ/2) a × j
};

inline SwingTwist swing_twist(const Quatd& q, const Vec3d& axis, const Vec3d& angular_velocity) {
    constexpr double steepest = 1e8;
    const double sign = q.w < 0 ? -1 : 1;
    const double w = sign * q.w;
    const Vec3d v = sign * q.vec();
    const double p = dot(axis, v);
    const Vec3d u = v - p * axis;
    const double s = std::sqrt(dot(u, u)), c = std::sqrt(w * w + p * p);
    Vec3d j;
    if (s > 0) {
        const Vec3d u1 = (1 / s) * u;
        // j is orthogonal to the axis but for rounding of u, which is large beside a small u.
        j = unit_across(axis, c > 0 ? (w / c) * u1 - (p / c) * cross(axis, u1) : u1);
    } else {
        j = unit_across(axis, angular_velocity);
    }
    const double steepness = s < steepest * c ? s / c : steepest;
    return {2 * atan2(s, c), 2 * atan2(p, w), HalfAngle(s, c), j, axis + steepness * cross(axis, j)};
}

// Of the values of a twist, which repeat after a turn, the one nearest to this counts for its range.
inline double middle_of(const Range& range) {
    return std::isfinite(range.lower) && std::isfinite(range.upper) ? range.lower / 2 + range.upper / 2 : 0;
}

// How much an angle grows while the joint turns by `aside` at right angles to its gradient, which takes it
// along a circle: sin²(angle/2) grows by weight · sin²(aside/2), with the weight cos σ for a swing and
// cos²(φ/2) for a rotation. Never negative.
inline double rise_aside(double angle, const HalfAngle& half, double weight, double aside) {
    if (aside == 0 || weight <= 0) return 0;
    double sine_aside, cosine_aside;
    sin_cos(std::min(std::abs(aside), 1.0) / 2, sine_aside, cosine_aside);
    const double more = weight * sine_aside * sine_aside;
    const double sine = std::sqrt(half.sine * half.sine + more);
    const double cosine = std::sqrt(std::max(half.cosine * half.cosine - more, 0.0));
    return std::max(2 * atan2(sine, cosine) - angle, 0.0);
}

}  // namespace lig
