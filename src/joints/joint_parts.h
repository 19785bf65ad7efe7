#pragma once

// The proven parts that joints are put together from. For freedom halves: bases that give some of their
// functions. For constraint halves: parts that give their rows' residual, Jacobian and the rate of the
// Jacobian, for V_FM = (ω, ṗ) in the axes of F.

#include "joints/joint.h"

namespace lig::joints {

// n coordinates whose rates are the velocities: q moves to q + h v.
template <int n>
struct AddingCoordinates {
    template <class T>
    LIG_INLINE static void integrate(const T* q, const T* v, const T& h, T* out) {
        for (int i = 0; i < n; ++i) out[i] = q[i] + h * v[i];
    }
    template <class T>
    LIG_INLINE static void difference(const T* q0, const T* q1, T* v) {
        for (int i = 0; i < n; ++i) v[i] = q1[i] - q0[i];
    }
};

// Ṡ v = 0: S is constant in F, or it turns about v alone.
struct NoVelocityProduct {
    template <class T>
    LIG_INLINE static Motion<T> velocity_product(const Parameters<T>&, const T*, const T*) {
        return Motion<T>::zero();
    }
};

// One coordinate of M's origin: C = p_i, Ċ = ṗ_i.
template <int i>
struct PointRow {
    template <class T>
    LIG_INLINE static T residual(const Transform<T>& X) { return X.p[i]; }
    template <class T>
    LIG_INLINE static Force<T> jacobian() {
        Force<T> g = Force<T>::zero();
        g.lin[i] = T(1);
        return g;
    }
};

// An axis e_i of F stays orthogonal to an axis e_j of M: C = e_i · R e_j. With Ṙ = [ω]× R,
// Ċ = e_i · (ω × R e_j) = (R e_j × e_i) · ω, and the rate at constant ω is e_i · (ω × (ω × R e_j)).
// Two such rows with j = z hold z_M parallel to z_F; they also vanish where it is antiparallel, which a
// motion that starts on the joint cannot reach without passing rows of size one.
template <int i, int j>
struct OrthogonalRow {
    template <class T>
    LIG_INLINE static Vec3<T> axis(const Transform<T>& X) {
        if constexpr (j == 0) return X.R.x;
        if constexpr (j == 1) return X.R.y;
        if constexpr (j == 2) return X.R.z;
    }
    template <class T>
    LIG_INLINE static T residual(const Transform<T>& X) { return axis(X)[i]; }
    template <class T>
    LIG_INLINE static Force<T> jacobian(const Transform<T>& X) {
        Vec3<T> e = Vec3<T>::zero();
        e[i] = T(1);
        return {cross(axis(X), e), Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static T rate(const Transform<T>& X, const Motion<T>& V) {
        return cross(V.ang, cross(V.ang, axis(X)))[i];
    }
};

// M does not turn relative to F, three rows: C = 2 q_v, the vector part of the quaternion of R with w ≥ 0.
// Unlike (R − Rᵀ)/2 it has no second zero at half a turn. From q̇ = ½ ω q: Ċ = w ω + ω × q_v, so G = w 1 −
// [q_v]×, and with q̈ = −¼ |ω|² q at constant ω the rate is −½ |ω|² q_v.
struct RotationLock {
    template <class T>
    LIG_INLINE static void residual(const Transform<T>& X, T* C) {
        const Quat<T> q = positive(X);
        C[0] = T(2) * q.x;
        C[1] = T(2) * q.y;
        C[2] = T(2) * q.z;
    }
    template <class T>
    LIG_INLINE static void jacobian(const Transform<T>& X, Force<T>* G) {
        const Quat<T> q = positive(X);
        G[0] = {{q.w, q.z, -q.y}, Vec3<T>::zero()};
        G[1] = {{-q.z, q.w, q.x}, Vec3<T>::zero()};
        G[2] = {{q.y, -q.x, q.w}, Vec3<T>::zero()};
    }
    template <class T>
    LIG_INLINE static void rate(const Transform<T>& X, const Motion<T>& V, T* out) {
        const Quat<T> q = positive(X);
        const T s = T(real_t<T>(-0.5)) * dot(V.ang, V.ang);
        out[0] = s * q.x;
        out[1] = s * q.y;
        out[2] = s * q.z;
    }

private:
    template <class T>
    LIG_INLINE static Quat<T> positive(const Transform<T>& X) {
        const Quat<T> q = quaternion(X.R);
        const T s = select(q.w < T(0), T(-1), T(1));
        return {s * q.w, s * q.x, s * q.y, s * q.z};
    }
};

// The rotation of M about z_F, θ = 2 atan2(q_z, q_w), defined off the joint's manifold too. With n = q_w² +
// q_z²: θ̇ = 2 (q̇_z q_w − q_z q̇_w)/n, and at constant ω, because q̈ is parallel to q, θ̈ = −θ̇ ṅ/n.
struct TwistAngle {
    template <class T>
    LIG_INLINE static T value(const Transform<T>& X) {
        const Quat<T> q = quaternion(X.R);
        return T(2) * atan2(q.z, q.w);
    }
    template <class T>
    LIG_INLINE static Vec3<T> gradient(const Transform<T>& X) {
        const Quat<T> q = quaternion(X.R);
        // q̇_w = −½ q_v·ω, q̇_z = ½ (w ω_z + ω_x q_y − ω_y q_x)
        const T s = T(1) / (q.w * q.w + q.z * q.z);
        return {s * (q.w * q.y + q.z * q.x), s * (q.z * q.y - q.w * q.x), T(1)};
    }
    template <class T>
    LIG_INLINE static T rate(const Transform<T>& X, const Motion<T>& V) {
        const Quat<T> q = quaternion(X.R);
        const T half = T(real_t<T>(0.5));
        const T qw = -half * dot(q.vec(), V.ang);
        const T qz = half * (q.w * V.ang.z + V.ang.x * q.y - V.ang.y * q.x);
        const T n = q.w * q.w + q.z * q.z;
        return -dot(gradient(X), V.ang) * T(2) * (q.w * qw + q.z * qz) / n;
    }
};

}  // namespace lig::joints
