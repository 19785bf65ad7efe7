#pragma once

// Rotations on any scalar: matrix to quaternion, exponential and logarithm, without data-dependent branches.

#include "core/scalar_math.h"

#include <ligament/vec.h>

namespace lig {

template <class T>
LIG_INLINE Quat<T> normalized(const Quat<T>& q) {
    const T s = T(1) / sqrt(dot(q, q));
    return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// The unit quaternion of a rotation matrix. Row k of the symmetric matrix 4 q qᵀ is q scaled by 4 q_k; the
// row with the largest diagonal is taken, which loses no digits for any rotation. The largest component comes
// out positive.
template <class T>
LIG_INLINE Quat<T> quaternion(const Mat3<T>& R) {
    const T ww = T(1) + R.x.x + R.y.y + R.z.z, xx = T(1) + R.x.x - R.y.y - R.z.z;
    const T yy = T(1) - R.x.x + R.y.y - R.z.z, zz = T(1) - R.x.x - R.y.y + R.z.z;
    const T wx = R.y.z - R.z.y, wy = R.z.x - R.x.z, wz = R.x.y - R.y.x;
    const T xy = R.x.y + R.y.x, xz = R.x.z + R.z.x, yz = R.y.z + R.z.y;
    Quat<T> q{ww, wx, wy, wz};
    T best = ww;
    const auto take = [&](const T& diagonal, const Quat<T>& row) LIG_INLINE_LAMBDA {
        const auto better = diagonal > best;
        best = select(better, diagonal, best);
        q = {select(better, row.w, q.w), select(better, row.x, q.x), select(better, row.y, q.y),
             select(better, row.z, q.z)};
    };
    take(xx, {wx, xx, xy, xz});
    take(yy, {wy, xy, yy, yz});
    take(zz, {wz, xz, yz, zz});
    return normalized(q);
}

// The rotation by the angle |w| about w.
template <class T>
LIG_INLINE Quat<T> rotation_exp(const Vec3<T>& w) {
    T s, c;
    exp_factors(sqrt(dot(w, w)), s, c);
    return {c, s * w.x, s * w.y, s * w.z};
}

// The rotation vector of a quaternion (of any length), of angle at most π.
template <class T>
LIG_INLINE Vec3<T> rotation_log(const Quat<T>& q) {
    const T sign = select(q.w < T(0), T(-1), T(1));
    const Vec3<T> v = sign * q.vec();
    return log_factor(sqrt(dot(v, v)), sign * q.w) * v;
}

}  // namespace lig
