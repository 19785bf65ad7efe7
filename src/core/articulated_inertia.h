#pragma once

// The inertia that a link shows at its origin when everything beyond it is free to move: symmetric, 6×6,
//     [ A   B ]
//     [ Bᵀ  C ]   with  n = A α + B a,  f = Bᵀ α + C a,
// for an angular acceleration α and an acceleration a of the origin. World axes everywhere in the recursions:
// then a child's inertia reaches its parent by a shift of the origin alone, which costs 42 multiplications
// where a change of axes would cost 150. The origins stay on the links (not at the world's origin), so that
// nothing is lost far from it.

#include <ligament/spatial.h>

namespace lig {

template <class T>
struct ArticulatedInertia {
    Sym3<T> A;
    Mat3<T> B;
    Sym3<T> C;

    LIG_INLINE static ArticulatedInertia zero() {
        return {Sym3<T>::zero(), Mat3<T>::zero(), Sym3<T>::zero()};
    }

    LIG_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
        A += b.A;
        B = B + b.B;
        C += b.C;
        return *this;
    }

    // Adds a rigid body's inertia about the same point: B = [h]×, C = m 1.
    LIG_INLINE void add_rigid(const RigidInertia<T>& rigid) {
        A += rigid.I;
        B.x.y += rigid.h.z;
        B.x.z -= rigid.h.y;
        B.y.x -= rigid.h.z;
        B.y.z += rigid.h.x;
        B.z.x += rigid.h.y;
        B.z.y -= rigid.h.x;
        C.xx += rigid.mass;
        C.yy += rigid.mass;
        C.zz += rigid.mass;
    }

    LIG_INLINE static ArticulatedInertia of_rigid(const RigidInertia<T>& rigid) {
        const Vec3<T>& h = rigid.h;
        return {rigid.I, cross_matrix(h), Sym3<T>::diagonal(rigid.mass, rigid.mass, rigid.mass)};
    }

    LIG_INLINE friend Force<T> operator*(const ArticulatedInertia& I, const Motion<T>& a) {
        return {I.A * a.ang + I.B * a.lin, transpose_mul(I.B, a.ang) + I.C * a.lin};
    }

    // Takes U Wᵀ away, where U Wᵀ is symmetric (W = D⁻¹ U of one freedom, or one term of a sum that is
    // symmetric).
    LIG_INLINE void subtract_outer(const Force<T>& U, const Force<T>& W) {
        A = {A.xx - U.ang.x * W.ang.x, A.yy - U.ang.y * W.ang.y, A.zz - U.ang.z * W.ang.z,
             A.xy - U.ang.x * W.ang.y, A.xz - U.ang.x * W.ang.z, A.yz - U.ang.y * W.ang.z};
        B.x -= W.lin.x * U.ang;
        B.y -= W.lin.y * U.ang;
        B.z -= W.lin.z * U.ang;
        C = {C.xx - U.lin.x * W.lin.x, C.yy - U.lin.y * W.lin.y, C.zz - U.lin.z * W.lin.z,
             C.xy - U.lin.x * W.lin.y, C.xz - U.lin.x * W.lin.z, C.yz - U.lin.y * W.lin.z};
    }
};

// The same inertia about a point from which the old one is seen at r. A motion (α, a) of the new point is
// (α, a − r × α) at the old one, and a force (n, f) there is (n + r × f, f) here:
//     B' = B + [r]× C,   A' = A − B [r]× + [r]× B'ᵀ,   C' = C.
template <class T>
LIG_INLINE ArticulatedInertia<T> shift_back(const ArticulatedInertia<T>& I, const Vec3<T>& r) {
    const Mat3<T>& B = I.B;
    const Sym3<T>& C = I.C;
    const Mat3<T> N = {B.x + cross(r, Vec3<T>{C.xx, C.xy, C.xz}), B.y + cross(r, Vec3<T>{C.xy, C.yy, C.yz}),
                       B.z + cross(r, Vec3<T>{C.xz, C.yz, C.zz})};
    const Sym3<T>& A = I.A;
    return {{A.xx + (r.y * (B.z.x + N.z.x) - r.z * (B.y.x + N.y.x)),
             A.yy + (r.z * (B.x.y + N.x.y) - r.x * (B.z.y + N.z.y)),
             A.zz + (r.x * (B.y.z + N.y.z) - r.y * (B.x.z + N.x.z)),
             A.xy + ((r.z * B.x.x - r.x * B.z.x) + (r.y * N.z.y - r.z * N.y.y)),
             A.xz + ((r.x * B.y.x - r.y * B.x.x) + (r.y * N.z.z - r.z * N.y.z)),
             A.yz + ((r.x * B.y.y - r.y * B.x.y) + (r.z * N.x.z - r.x * N.z.z))},
            N,
            C};
}

// The shift of an inertia that has only C left (a link on a ball joint resists no turning): B' = [r]× C,
// A' = −[r]× C [r]×.
template <class T>
LIG_INLINE ArticulatedInertia<T> shift_back(const Sym3<T>& C, const Vec3<T>& r) {
    const Mat3<T> N = {cross(r, Vec3<T>{C.xx, C.xy, C.xz}), cross(r, Vec3<T>{C.xy, C.yy, C.yz}),
                       cross(r, Vec3<T>{C.xz, C.yz, C.zz})};
    return {{r.y * N.z.x - r.z * N.y.x, r.z * N.x.y - r.x * N.z.y, r.x * N.y.z - r.y * N.x.z,
             r.y * N.z.y - r.z * N.y.y, r.y * N.z.z - r.z * N.y.z, r.z * N.x.z - r.x * N.z.z},
            N,
            C};
}

}  // namespace lig
