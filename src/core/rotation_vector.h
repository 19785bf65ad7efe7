#pragma once

// How a rotation vector φ, the logarithm of a rotation R = exp φ, moves with the rotation.
//
// With θ = |φ| and the angular velocity ω in the axes of the rotated body, Ṙ = R [ω]×:
//
//   ω = φ̇ − a φ × φ̇ + b φ × (φ × φ̇),        a = (1 − cos θ)/θ²,  b = (θ − sin θ)/θ³
//   φ̇ = ω + ½ φ × ω + c φ × (φ × ω),         c = (1 − (θ/2) cot(θ/2))/θ²
//   ω̇ = φ̈ − a φ × φ̈ + b φ × (φ × φ̈) + b φ̇ × (φ × φ̇) + (φ·φ̇) (b' φ × (φ × φ̇) − a' φ × φ̇),
//        a' = (da/dθ)/θ = (θ sin θ − 2 (1 − cos θ))/θ⁴,  b' = (db/dθ)/θ = (3 sin θ − 2 θ − θ cos θ)/θ⁵
//
// All hold up to θ = 2π, where c has a pole; logarithms end at π. For small angles the fractions cancel, and
// their series are used: with the first four terms, below θ = 0.3, to 10⁻¹⁴.
//
// By partial fractions c = Σ 2/(4π²n² − θ²) over n = 1, 2, …, from which the series of c and of its
// derivative c' = (dc/dθ)/θ = Σ 4/(4π²n² − θ²)² follow.

#include "core/lift.h"
#include "core/scalar_math.h"

#include <cmath>

namespace lig {

namespace detail {

struct RotationFactors {
    double a, b, a_rate, b_rate;
};

inline RotationFactors rotation_factors(const Vec3d& phi) {
    const double z = dot(phi, phi);
    if (z < 0.09)
        return {0.5 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z / 3628800))),
                1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 - z / 39916800))),
                -1.0 / 12 + z * (1.0 / 180 - z * (1.0 / 6720 - z * (1.0 / 453600 - z / 47900160))),
                -1.0 / 60 + z * (1.0 / 1260 - z * (1.0 / 60480 - z * (1.0 / 4989600 - z / 622702080)))};
    const double theta = std::sqrt(z), s = std::sin(theta), d = 1 - std::cos(theta);
    return {d / z, (theta - s) / (z * theta),
            (theta * s - 2 * d) / (z * z), (3 * (s - theta) + theta * d) / (z * z * theta)};
}

}  // namespace detail

// ω of φ and φ̇.
inline Vec3d angular_velocity(const Vec3d& phi, const Vec3d& rate) {
    const detail::RotationFactors f = detail::rotation_factors(phi);
    const Vec3d across = cross(phi, rate);
    return rate - f.a * across + f.b * cross(phi, across);
}

// c at θ² = z.
template <class T>
LIG_INLINE T rotation_vector_curvature(const T& z) {
    static constexpr real_t<T> series[] = {real_t<T>(1.0 / 12), real_t<T>(1.0 / 720), real_t<T>(1.0 / 30240),
                                           real_t<T>(1.0 / 1209600), real_t<T>(1.0 / 47900160)};
    const auto small = z < lift<T>(0.09);
    const T safe = select(small, T(1), z), half = lift<T>(0.5) * sqrt(safe);
    T s, c;
    sin_cos(half, s, c);
    return select(small, detail::polynomial(series, z, z * z), (T(1) - half * c / s) / safe);
}

// c' at θ² = z. The closed form loses as many digits as θ⁻⁴ has, so the series goes on up to 1.
inline double rotation_vector_curvature_rate(double z) {
    if (z < 1) {
        // 2 (n − 1) |B₂ₙ|/(2n)!, n = 2 … 11
        static constexpr double series[] = {
            1.0 / 360, 1.0 / 7560,
            1.0 / 201600, 1.0 / 5987520,
            691 / 130767436800.0, 1.0 / 6227020800,
            4.745552414851616e-12, 1.3737699290044552e-13,
            3.914763657404511e-15, 1.1018005656720459e-16};
        return detail::polynomial(series, z, z * z);
    }
    const double half = 0.5 * std::sqrt(z);
    double s, c;
    sin_cos(half, s, c);
    return ((half / s - c) / (4 * half * s) - 2 * (1 - half * c / s) / z) / z;
}

// φ̇ of φ and ω: J⁻¹ ω. With −φ, the product with J⁻ᵀ.
template <class T>
LIG_INLINE Vec3<T> rotation_vector_rate(const Vec3<T>& phi, const Vec3<T>& velocity) {
    const Vec3<T> across = cross(phi, velocity);
    return velocity + lift<T>(0.5) * across + rotation_vector_curvature(dot(phi, phi)) * cross(phi, across);
}

// J⁻¹ itself.
inline Mat3d rotation_vector_jacobian(const Vec3d& phi) {
    return {rotation_vector_rate(phi, Vec3d{1, 0, 0}), rotation_vector_rate(phi, Vec3d{0, 1, 0}),
            rotation_vector_rate(phi, Vec3d{0, 0, 1})};
}

// ω̇ of φ, φ̇ and φ̈.
inline Vec3d angular_acceleration(const Vec3d& phi, const Vec3d& rate, const Vec3d& second) {
    const detail::RotationFactors f = detail::rotation_factors(phi);
    const Vec3d across = cross(phi, rate), second_across = cross(phi, second);
    return second - f.a * second_across + f.b * (cross(phi, second_across) + cross(rate, across)) +
           dot(phi, rate) * (f.b_rate * cross(phi, across) - f.a_rate * across);
}

}  // namespace lig
