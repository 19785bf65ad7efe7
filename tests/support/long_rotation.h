#pragma once

// Rotations in long double, written for tests only: what formulas in double are compared with by differences.

#include <ligament/vec.h>

#include <cmath>

namespace lig::test {

using Vec3l = Vec3<long double>;
using Quatl = Quat<long double>;

inline constexpr long double pi_l = 3.14159265358979323846264338327950288L;

inline Vec3l widen(const Vec3d& a) { return {a.x, a.y, a.z}; }
inline Vec3d narrow(const Vec3l& a) {
    return {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
}
inline Vec3l axis_l(int k) { return {k == 0 ? 1.0L : 0, k == 1 ? 1.0L : 0, k == 2 ? 1.0L : 0}; }

inline Quatl long_exp(const Vec3l& e) {
    const long double angle = std::sqrt(dot(e, e)), s = angle > 0 ? std::sin(angle / 2) / angle : 0.5L;
    return {std::cos(angle / 2), s * e.x, s * e.y, s * e.z};
}

// The vector of the rotation that is nearest to `near`, found by trying the branches. `near` must not be
// within reach of a rotation by 2π.
inline Vec3l long_log(const Quatl& q, const Vec3l& near) {
    const Vec3l v = q.vec();
    const long double s = std::sqrt(dot(v, v));
    if (s == 0) return {0, 0, 0};
    const long double angle = 2 * std::atan2(s, q.w);
    Vec3l best = (angle / s) * v;
    const auto far = [&](const Vec3l& e) { return dot(e - near, e - near); };
    for (int n = -3; n <= 3; ++n) {
        const Vec3l e = ((angle + 2 * pi_l * n) / s) * v;
        if (far(e) < far(best)) best = e;
    }
    return best;
}

}  // namespace lig::test
