#pragma once

// Vectors, rotations and poses in three dimensions, over any scalar (double, float, lanes).
//
// Names follow the monogram notation of docs/notation.md: `R_AB` takes components in B to components
// in A, `p_AB` is the position of B's origin seen from A's, `X_AB` is both. Adjacent letters chain:
// X_AC = X_AB * X_BC.

#include <ligament/lanes.h>

namespace lig {

template <class T>
struct Vec3 {
    T x, y, z;

    LIG_INLINE friend Vec3 operator+(const Vec3& a, const Vec3& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    LIG_INLINE friend Vec3 operator-(const Vec3& a, const Vec3& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    LIG_INLINE friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
    LIG_INLINE friend Vec3 operator*(const T& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
    LIG_INLINE friend Vec3 operator*(const Vec3& a, const T& s) { return {s * a.x, s * a.y, s * a.z}; }
    LIG_INLINE Vec3& operator+=(const Vec3& b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    LIG_INLINE Vec3& operator-=(const Vec3& b) {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }
    // Components by index; the three members are contiguous.
    LIG_INLINE T& operator[](int i) { return (&x)[i]; }
    LIG_INLINE const T& operator[](int i) const { return (&x)[i]; }

    LIG_INLINE static Vec3 zero() { return {T(0), T(0), T(0)}; }
};

template <class T>
LIG_INLINE T dot(const Vec3<T>& a, const Vec3<T>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T>
LIG_INLINE Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A 3×3 matrix by columns: `m.x` is the image of the first basis vector.
template <class T>
struct Mat3 {
    Vec3<T> x, y, z;

    LIG_INLINE friend Vec3<T> operator*(const Mat3& m, const Vec3<T>& a) {
        return {m.x.x * a.x + m.y.x * a.y + m.z.x * a.z,
                m.x.y * a.x + m.y.y * a.y + m.z.y * a.z,
                m.x.z * a.x + m.y.z * a.y + m.z.z * a.z};
    }
    LIG_INLINE friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.x, a * b.y, a * b.z}; }
    LIG_INLINE friend Mat3 operator+(const Mat3& a, const Mat3& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    LIG_INLINE friend Mat3 operator-(const Mat3& a, const Mat3& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    LIG_INLINE friend Mat3 operator*(const T& s, const Mat3& a) { return {s * a.x, s * a.y, s * a.z}; }
    LIG_INLINE T& operator()(int row, int col) { return (&x)[col][row]; }
    LIG_INLINE const T& operator()(int row, int col) const { return (&x)[col][row]; }

    LIG_INLINE static Mat3 identity() {
        return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    }
    LIG_INLINE static Mat3 zero() { return {Vec3<T>::zero(), Vec3<T>::zero(), Vec3<T>::zero()}; }
};

template <class T>
LIG_INLINE Mat3<T> transpose(const Mat3<T>& m) {
    return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
// transpose(m) * a without forming the transpose.
template <class T>
LIG_INLINE Vec3<T> transpose_mul(const Mat3<T>& m, const Vec3<T>& a) {
    return {dot(m.x, a), dot(m.y, a), dot(m.z, a)};
}
template <class T>
LIG_INLINE Mat3<T> transpose_mul(const Mat3<T>& m, const Mat3<T>& a) {
    return {transpose_mul(m, a.x), transpose_mul(m, a.y), transpose_mul(m, a.z)};
}
// The matrix [a]× with [a]× b = a × b.
template <class T>
LIG_INLINE Mat3<T> cross_matrix(const Vec3<T>& a) {
    return {{T(0), a.z, -a.y}, {-a.z, T(0), a.x}, {a.y, -a.x, T(0)}};
}

// A symmetric 3×3 matrix.
template <class T>
struct Sym3 {
    T xx, yy, zz, xy, xz, yz;

    LIG_INLINE friend Sym3 operator+(const Sym3& a, const Sym3& b) {
        return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    }
    LIG_INLINE friend Sym3 operator-(const Sym3& a, const Sym3& b) {
        return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
    }
    LIG_INLINE friend Sym3 operator*(const T& s, const Sym3& a) {
        return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
    }
    LIG_INLINE friend Vec3<T> operator*(const Sym3& m, const Vec3<T>& a) {
        return {m.xx * a.x + m.xy * a.y + m.xz * a.z,
                m.xy * a.x + m.yy * a.y + m.yz * a.z,
                m.xz * a.x + m.yz * a.y + m.zz * a.z};
    }
    LIG_INLINE Sym3& operator+=(const Sym3& b) { return *this = *this + b; }
    LIG_INLINE Mat3<T> full() const { return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}; }

    LIG_INLINE static Sym3 zero() { return {T(0), T(0), T(0), T(0), T(0), T(0)}; }
    LIG_INLINE static Sym3 diagonal(const T& a, const T& b, const T& c) {
        return {a, b, c, T(0), T(0), T(0)};
    }
};

// R m Rᵀ: a symmetric matrix seen from other axes.
template <class T>
LIG_INLINE Sym3<T> rotate(const Mat3<T>& R, const Sym3<T>& m) {
    const Mat3<T> RM = {m.xx * R.x + m.xy * R.y + m.xz * R.z,
                        m.xy * R.x + m.yy * R.y + m.yz * R.z,
                        m.xz * R.x + m.yz * R.y + m.zz * R.z};
    return {RM.x.x * R.x.x + RM.y.x * R.y.x + RM.z.x * R.z.x,
            RM.x.y * R.x.y + RM.y.y * R.y.y + RM.z.y * R.z.y,
            RM.x.z * R.x.z + RM.y.z * R.y.z + RM.z.z * R.z.z,
            RM.x.x * R.x.y + RM.y.x * R.y.y + RM.z.x * R.z.y,
            RM.x.x * R.x.z + RM.y.x * R.y.z + RM.z.x * R.z.z,
            RM.x.y * R.x.z + RM.y.y * R.y.z + RM.z.y * R.z.z};
}

// A rotation as a unit quaternion, w first.
template <class T>
struct Quat {
    T w, x, y, z;

    LIG_INLINE friend Quat operator*(const Quat& a, const Quat& b) {
        return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    }
    LIG_INLINE Vec3<T> vec() const { return {x, y, z}; }

    LIG_INLINE static Quat identity() { return {T(1), T(0), T(0), T(0)}; }
};

template <class T>
LIG_INLINE Quat<T> conjugate(const Quat<T>& q) { return {q.w, -q.x, -q.y, -q.z}; }
template <class T>
LIG_INLINE T dot(const Quat<T>& a, const Quat<T>& b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }

// The rotation matrix of a quaternion. The quaternion need not be of unit length (it is divided by its
// squared length), so a state that has drifted by rounding still gives a rotation.
template <class T>
LIG_INLINE Mat3<T> rotation_matrix(const Quat<T>& q) {
    const T s = T(2) / dot(q, q);
    const T sx = s * q.x, sy = s * q.y, sz = s * q.z;
    const T wx = q.w * sx, wy = q.w * sy, wz = q.w * sz;
    const T xx = q.x * sx, xy = q.x * sy, xz = q.x * sz;
    const T yy = q.y * sy, yz = q.y * sz, zz = q.z * sz;
    return {{T(1) - (yy + zz), xy + wz, xz - wy},
            {xy - wz, T(1) - (xx + zz), yz + wx},
            {xz + wy, yz - wx, T(1) - (xx + yy)}};
}

// A pose: orientation and position of one frame in another.
template <class T>
struct Transform {
    Mat3<T> R;
    Vec3<T> p;

    LIG_INLINE friend Transform operator*(const Transform& a, const Transform& b) {
        return {a.R * b.R, a.R * b.p + a.p};
    }
    LIG_INLINE friend Vec3<T> operator*(const Transform& a, const Vec3<T>& p) { return a.R * p + a.p; }
    LIG_INLINE Transform inverse() const { return {transpose(R), -transpose_mul(R, p)}; }

    LIG_INLINE static Transform identity() { return {Mat3<T>::identity(), Vec3<T>::zero()}; }
};

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using Sym3d = Sym3<double>;
using Quatd = Quat<double>;
using Transformd = Transform<double>;

}  // namespace lig
