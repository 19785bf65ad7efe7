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

#include <ligament/vec.h>

#include <cmath>

namespace lig {

namespace detail {

struct RotationFactors {
    double a, b, c, a_rate, b_rate;
};

inline RotationFactors rotation_factors(const Vec3d& phi) {
    const double z = dot(phi, phi);
    if (z < 0.09)
        return {0.5 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z / 3628800))),
                1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 - z / 39916800))),
                1.0 / 12 + z * (1.0 / 720 + z * (1.0 / 30240 + z * (1.0 / 1209600 + z / 47900160))),
                -1.0 / 12 + z * (1.0 / 180 - z * (1.0 / 6720 - z * (1.0 / 453600 - z / 47900160))),
                -1.0 / 60 + z * (1.0 / 1260 - z * (1.0 / 60480 - z * (1.0 / 4989600 - z / 622702080)))};
    const double theta = std::sqrt(z), s = std::sin(theta), d = 1 - std::cos(theta);
    return {d / z, (theta - s) / (z * theta),
            (1 - 0.5 * theta * std::cos(0.5 * theta) / std::sin(0.5 * theta)) / z,
            (theta * s - 2 * d) / (z * z), (3 * (s - theta) + theta * d) / (z * z * theta)};
}

}  // namespace detail

// ω of φ and φ̇.
inline Vec3d angular_velocity(const Vec3d& phi, const Vec3d& rate) {
    const detail::RotationFactors f = detail::rotation_factors(phi);
    const Vec3d across = cross(phi, rate);
    return rate - f.a * across + f.b * cross(phi, across);
}

// φ̇ of φ and ω.
inline Vec3d rotation_vector_rate(const Vec3d& phi, const Vec3d& velocity) {
    const detail::RotationFactors f = detail::rotation_factors(phi);
    const Vec3d across = cross(phi, velocity);
    return velocity + 0.5 * across + f.c * cross(phi, across);
}

// ω̇ of φ, φ̇ and φ̈.
inline Vec3d angular_acceleration(const Vec3d& phi, const Vec3d& rate, const Vec3d& second) {
    const detail::RotationFactors f = detail::rotation_factors(phi);
    const Vec3d across = cross(phi, rate), second_across = cross(phi, second);
    return second - f.a * second_across + f.b * (cross(phi, second_across) + cross(rate, across)) +
           dot(phi, rate) * (f.b_rate * cross(phi, across) - f.a_rate * across);
}

}  // namespace lig
