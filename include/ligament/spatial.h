#pragma once

// Spatial quantities: an angular and a linear part, both in the same axes, the linear part at a point that
// the name or the comment gives. A motion and a force are different types, so that adding one to the other
// does not compile.

#include <ligament/vec.h>

namespace lig {

// A velocity (ω, v) or an acceleration (ω̇, dv/dt) of a frame. Accelerations are the ordinary ones, of the
// frame's origin, not Featherstone's: with them no recursion needs the linear velocity.
template <class T>
struct Motion {
    Vec3<T> ang, lin;

    LIG_INLINE friend Motion operator+(const Motion& a, const Motion& b) {
        return {a.ang + b.ang, a.lin + b.lin};
    }
    LIG_INLINE friend Motion operator-(const Motion& a, const Motion& b) {
        return {a.ang - b.ang, a.lin - b.lin};
    }
    LIG_INLINE friend Motion operator*(const T& s, const Motion& a) { return {s * a.ang, s * a.lin}; }
    LIG_INLINE Motion& operator+=(const Motion& b) {
        ang += b.ang;
        lin += b.lin;
        return *this;
    }

    LIG_INLINE static Motion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
};

// A moment and a force, or an angular and a linear momentum.
template <class T>
struct Force {
    Vec3<T> ang, lin;

    LIG_INLINE friend Force operator+(const Force& a, const Force& b) {
        return {a.ang + b.ang, a.lin + b.lin};
    }
    LIG_INLINE friend Force operator-(const Force& a, const Force& b) {
        return {a.ang - b.ang, a.lin - b.lin};
    }
    LIG_INLINE friend Force operator-(const Force& a) { return {-a.ang, -a.lin}; }
    LIG_INLINE friend Force operator*(const T& s, const Force& a) { return {s * a.ang, s * a.lin}; }
    LIG_INLINE Force& operator+=(const Force& b) {
        ang += b.ang;
        lin += b.lin;
        return *this;
    }
    LIG_INLINE Force& operator-=(const Force& b) {
        ang -= b.ang;
        lin -= b.lin;
        return *this;
    }

    LIG_INLINE static Force zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
};

// Power.
template <class T>
LIG_INLINE T dot(const Motion<T>& m, const Force<T>& f) { return dot(m.ang, f.ang) + dot(m.lin, f.lin); }
template <class T>
LIG_INLINE T dot(const Force<T>& f, const Motion<T>& m) { return dot(m, f); }

// The axes turned: components in B become components in A.
template <class T>
LIG_INLINE Motion<T> rotate(const Mat3<T>& R_AB, const Motion<T>& m) { return {R_AB * m.ang, R_AB * m.lin}; }
template <class T>
LIG_INLINE Force<T> rotate(const Mat3<T>& R_AB, const Force<T>& f) { return {R_AB * f.ang, R_AB * f.lin}; }

// The same rigid motion at a point `r` away: velocity, or acceleration without its ω × (ω × r).
template <class T>
LIG_INLINE Motion<T> shift(const Motion<T>& m, const Vec3<T>& r) { return {m.ang, m.lin + cross(m.ang, r)}; }
// The same force about a point from which its old reference point is seen at `r`.
template <class T>
LIG_INLINE Force<T> shift_back(const Force<T>& f, const Vec3<T>& r) {
    return {f.ang + cross(r, f.lin), f.lin};
}

// A rigid body's inertia about a point O of the body: m, m·p_OC (C the centre of mass) and the rotational
// inertia about O.
template <class T>
struct RigidInertia {
    T mass;
    Vec3<T> h;   // first moment m·p_OC
    Sym3<T> I;   // about O

    LIG_INLINE friend RigidInertia operator+(const RigidInertia& a, const RigidInertia& b) {
        return {a.mass + b.mass, a.h + b.h, a.I + b.I};
    }
    // The momentum of a velocity, or the force of an acceleration.
    LIG_INLINE friend Force<T> operator*(const RigidInertia& a, const Motion<T>& m) {
        return {a.I * m.ang + cross(a.h, m.lin), a.mass * m.lin + cross(m.ang, a.h)};
    }
    LIG_INLINE static RigidInertia zero() { return {T(0), Vec3<T>::zero(), Sym3<T>::zero()}; }
};

// In other axes about the same point.
template <class T>
LIG_INLINE RigidInertia<T> rotate(const Mat3<T>& R_AB, const RigidInertia<T>& a) {
    return {a.mass, R_AB * a.h, rotate(R_AB, a.I)};
}
// About a point from which the old one is seen at `r`, same axes: I += −[r]×[h]× − [h]×[r]× − m [r]×[r]×.
template <class T>
LIG_INLINE RigidInertia<T> shift_back(const RigidInertia<T>& a, const Vec3<T>& r) {
    const Vec3<T> h = a.h + a.mass * r;
    // With k = h_old + h_new, the change of I is ((k·r) 1 − (k rᵀ + r kᵀ)/2): both halves of the cross terms.
    const Vec3<T> k = a.h + h;
    const Vec3<T> half = T(real_t<T>(0.5)) * k;
    const T kx = k.x * r.x, ky = k.y * r.y, kz = k.z * r.z;
    return {
        a.mass,
        h,
        {a.I.xx + (ky + kz), a.I.yy + (kx + kz), a.I.zz + (kx + ky), a.I.xy - (half.x * r.y + half.y * r.x),
         a.I.xz - (half.x * r.z + half.z * r.x), a.I.yz - (half.y * r.z + half.z * r.y)}};
}

}  // namespace lig
