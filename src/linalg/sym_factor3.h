#pragma once

// LDLᵀ of a symmetric positive definite 3×3 matrix, kept with inverted pivots. The closed-form inverse by
// cofactors needs one division instead of three but loses twice the digits on the thin inertias of slender
// links.

#include <ligament/vec.h>

namespace lig {

template <class T>
struct SymFactor3 {
    T i1, i2, i3;       // 1/D
    T l21, l31, l32;    // L below its unit diagonal
};

template <class T>
LIG_INLINE SymFactor3<T> factor(const Sym3<T>& m) {
    const T i1 = T(1) / m.xx;
    const T l21 = m.xy * i1, l31 = m.xz * i1;
    const T i2 = T(1) / (m.yy - l21 * m.xy);
    const T t = m.yz - l31 * m.xy;
    const T l32 = t * i2;
    const T i3 = T(1) / (m.zz - l31 * m.xz - l32 * t);
    return {i1, i2, i3, l21, l31, l32};
}

template <class T>
LIG_INLINE Vec3<T> solve(const SymFactor3<T>& f, const Vec3<T>& b) {
    const T y2 = b.y - f.l21 * b.x;
    const T y3 = b.z - f.l31 * b.x - f.l32 * y2;
    const T x3 = y3 * f.i3;
    const T x2 = y2 * f.i2 - f.l32 * x3;
    return {b.x * f.i1 - f.l21 * x2 - f.l31 * x3, x2, x3};
}

}  // namespace lig
