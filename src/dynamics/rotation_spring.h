#pragma once

// Springs that turn: energy, torque and tangent of a spring on a rotation R = exp e, e = φ u its rotation
// vector, with the stiffnesses K = diag(kx, ky, kz) about three axes. e has the same components in the axes
// of the frame that is turned and in those of the frame it is turned from, since R e = e.
//
// With Ṙ = R [ω]× and J⁻¹ = 1 + ½ [e]× + c [e]×² (rotation_vector.h), ė = J⁻¹ ω. The energy ½ eᵀ K e so gives
//
//   torque     τ = −J⁻ᵀ K e = −(y − ½ e × y + c e × (e × y)),   y = K e,
//   tangent    −∂τ/∂θ = (J⁻ᵀ K + ∂(J⁻ᵀ y)/∂e) J⁻¹,
//              ∂(J⁻ᵀ y)/∂e = ½ [y]× − c ([e × y]× + [e]× [y]×) + c' (e × (e × y)) eᵀ,  c' = (dc/dφ)/φ,
//
// all in the axes of the turned frame, δθ being a small rotation in them: R → R exp δθ. With one stiffness k
// for all axes y is along e, and what remains is τ = −k e and −∂τ/∂θ = k J⁻¹.
//
// Seen from the world, where the turned frame is R_WM, τ_W = R_WM τ and T = R_WM (−∂τ/∂θ) R_WMᵀ: the torque
// τ_W on the turned body (and −τ_W on the other) falls by (T + [τ_W]×) δθ when the turned body turns and
// grows by T δθ when the other does. The skew parts make neither matrix symmetric. Symmetrized, the tangent
// is S = (T + Tᵀ)/2 in the blocks +S, −S, −S, +S. For one stiffness S has the eigenvalues k along u and
// k (φ/2) cot(φ/2) across it, which is negative beyond φ = π: a spring wound further than half a turn yields
// sideways. Where S is to be added to an inertia, such eigenvalues count as zero: what remains is the nearest
// positive semidefinite matrix. The same holds for three stiffnesses, whose S need not be definite even below
// π; there the eigenvalues are computed.
//
// (Hernandez et al. print φ/(2 sin φ) (Rᵀ + 1) for J⁻¹ [H11 eq. 7]. That is right across u; along it it is
// φ/sin φ instead of 1. The part along u is lost between (12) and (13), which divide by [u]×.)
//
// J⁻¹ has a pole at φ = 2π. A rotation vector may be longer than π where its branch is followed (unwrapped,
// below), and everything here holds for it up to there; beyond, too, but a path that comes near 2π swings u
// arbitrarily fast.

#include "core/rotation_vector.h"
#include "core/scaled.h"
#include "linalg/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig {

inline bool is_isotropic(const Vec3d& k) { return k.x == k.y && k.y == k.z; }

template <class T>
LIG_INLINE T rotation_spring_energy(const Vec3d& k, const Vec3<T>& e) {
    return lift<T>(0.5) * dot(e, scaled(k, e));
}

template <class T>
LIG_INLINE Vec3<T> rotation_spring_torque(const Vec3d& k, const Vec3<T>& e) {
    const Vec3<T> y = scaled(k, e);
    return is_isotropic(k) ? -y : -rotation_vector_rate(-e, y);
}

// The tangent −∂τ/∂θ as it is.
inline Mat3d rotation_spring_tangent(const Vec3d& k, const Vec3d& e) {
    const Mat3d inverse = rotation_vector_jacobian(e);
    if (is_isotropic(k)) return k.x * inverse;
    const Vec3d y = scaled(k, e), across = cross(e, y);
    const Mat3d along{k.x * transpose(inverse).x, k.y * transpose(inverse).y, k.z * transpose(inverse).z};
    const double c = rotation_vector_curvature(dot(e, e));
    const Vec3d pull = rotation_vector_curvature_rate(dot(e, e)) * cross(e, across);
    const Mat3d turning = 0.5 * cross_matrix(y) -
                          c * (cross_matrix(across) + cross_matrix(e) * cross_matrix(y)) +
                          Mat3d{e.x * pull, e.y * pull, e.z * pull};
    return (along + turning) * inverse;
}

// Its symmetric part, made positive semidefinite.
inline Sym3d rotation_spring_stiffness(const Vec3d& k, const Vec3d& e) {
    const double z = dot(e, e);
    if (is_isotropic(k)) {
        // k u uᵀ + k t (1 − u uᵀ) with t = 1 − c φ², for which the axis is not needed where φ is small.
        const double c = rotation_vector_curvature(z), across = 1 - c * z;
        const bool yields = across < 0;
        const double side = yields ? 0 : k.x * across, rest = yields ? k.x / z : k.x * c;
        return {side + rest * e.x * e.x, side + rest * e.y * e.y, side + rest * e.z * e.z,
                rest * e.x * e.y, rest * e.x * e.z, rest * e.y * e.z};
    }
    const Mat3d T = rotation_spring_tangent(k, e);
    const Sym3d S{T.x.x, T.y.y, T.z.z, 0.5 * (T.x.y + T.y.x), 0.5 * (T.x.z + T.z.x), 0.5 * (T.y.z + T.z.y)};
    const SymmetricEigen parts = symmetric_eigen(S);
    if (!(parts.values.x < 0)) return S;
    return rotate(parts.vectors,
                  Sym3d::diagonal(0, std::max(parts.values.y, 0.0), std::max(parts.values.z, 0.0)));
}

// J⁻ᵀ K J⁻¹: the tangent without the part that the change of J makes, positive semidefinite at every
// rotation. A step with nothing else, J⁻ᵀ K J⁻¹ δθ = τ, is δθ = −e (J e = e): straight back to rest, however
// stiff the spring is. With the symmetrized tangent, where it yields sideways, it would be far too long.
// Newton's method for backward Euler with this matrix takes 3 to 5 solves for stiff springs from any angle up
// to π, where the exact tangent takes 3 to 9 and the symmetrized one up to 15, or does not converge
// (rotation_spring_test.cpp).
inline Sym3d rotation_spring_return(const Vec3d& k, const Vec3d& e) {
    return rotate(transpose(rotation_vector_jacobian(e)), Sym3d::diagonal(k.x, k.y, k.z));
}

// Of all vectors of the rotation whose vector of at most π is `principal`, the one nearest to `before`:
// principal + 2πn u. The vectors of the identity are those of length 2πn in all directions; there it is the
// one along `before`. A direction u taken from a vector shorter than half the digits says less than that, so
// such rotations count as the identity, which turns the result by less than 3·10⁻⁸.
inline Vec3d unwrapped(const Vec3d& principal, const Vec3d& before) {
    constexpr double turn = 2 * std::numbers::pi, least = 0x1p-25;
    const double angle = std::sqrt(dot(principal, principal));
    if (angle < least) {
        const double reach = std::sqrt(dot(before, before)), turns = std::round(reach / turn);
        return turns == 0 ? principal : (turns * turn / reach) * before;
    }
    const double turns = std::round((dot(principal, before) / angle - angle) / turn);
    return turns == 0 ? principal : (1 + turns * turn / angle) * principal;
}

}  // namespace lig
