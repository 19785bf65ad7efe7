#pragma once

// How a body turns when nothing acts on it, for a time h: a symplectic map of second order that keeps the
// angular momentum exactly and is exact for bodies with two equal moments of inertia.
//
// With Π the angular momentum in the principal axes, a and b the axes whose moments are nearest to each other
// and k the third, the kinetic energy is that of a symmetric top and a rest,
//     T = Π²/(2 Iₐ) + ½ (1/I_k − 1/Iₐ) Π_k² + ½ (1/I_b − 1/Iₐ) Π_b².
// A square of one component turns the body about that axis, at a constant rate; the first term turns it about
// the angular momentum in space. The first two commute, so a symmetric top is exact; the rest is halved
// around it (Strang). Its error is of second order in h and proportional to the difference of Iₐ and I_b.

#include "core/rotation.h"
#include "linalg/symmetric_eigen.h"

#include <ligament/vec.h>

namespace lig::bodies {

// How turns by given angles are found: sine and cosine of half an angle, and a quaternion from a rotation
// vector.
struct ExactTurns {
    template <class T>
    LIG_INLINE static void half(const T& angle, T& s, T& c) {
        sin_cos(T(real_t<T>(0.5)) * angle, s, c);
    }
    template <class T>
    LIG_INLINE static Quat<T> about(const Vec3<T>& w) {
        return rotation_exp(w);
    }
};

// Of small angles, by t = tan(angle/4) from its series: the turns are rotations to rounding, so momenta are
// kept as well, and their angles are right to 10⁻⁸ of themselves up to a radian. Beyond that they are exact.
struct SmallTurns {
    template <class T>
    LIG_INLINE static T tangent_over(const T& squared_quarter) {
        using R = real_t<T>;
        const T& z = squared_quarter;
        return T(R(1)) + z * (T(R(1.0 / 3)) + z * (T(R(2.0 / 15)) + z * T(R(17.0 / 315))));
    }
    template <class T>
    LIG_INLINE static void half(const T& angle, T& s, T& c) {
        using R = real_t<T>;
        if (any(abs(angle) > T(R(1)))) return ExactTurns::half(angle, s, c);
        const T quarter = T(R(0.25)) * angle, t = quarter * tangent_over(quarter * quarter);
        const T scale = T(R(1)) / (T(R(1)) + t * t);
        s = T(R(2)) * t * scale;
        c = (T(R(1)) - t * t) * scale;
    }
    template <class T>
    LIG_INLINE static Quat<T> about(const Vec3<T>& w) {
        using R = real_t<T>;
        const T squared = dot(w, w);
        if (any(squared > T(R(1)))) return ExactTurns::about(w);
        const T ratio = T(R(0.25)) * tangent_over(T(R(0.0625)) * squared), t2 = ratio * ratio * squared;
        const T scale = T(R(1)) / (T(R(1)) + t2);
        const T s = T(R(2)) * ratio * scale;
        return {(T(R(1)) - t2) * scale, s * w.x, s * w.y, s * w.z};
    }
};

struct FreeRotation {
    Quatd axes;     // principal axes in the body: x = a, y = b, z = k
    Vec3d moments;  // Iₐ, I_b, I_k

    // inertia: about the centre of mass, in the axes of the body.
    static FreeRotation of(const Sym3d& inertia) {
        const SymmetricEigen eigen = symmetric_eigen(inertia);
        const Vec3d& I = eigen.values;
        const Mat3d& R = eigen.vectors;
        // Ascending: the pair is the lower or the upper two. Cyclic, so that the axes stay right-handed.
        if (I.y * I.y < I.x * I.z) return {quaternion(R), I};
        return {quaternion(Mat3d{R.y, R.z, R.x}), {I.y, I.z, I.x}};
    }

    // The body in the world and its angular velocity, in world axes, a time h later. Momenta are taken from
    // the angular velocity component by component: a rod with next to no inertia about its axis keeps its
    // spin about it to all digits.
    void advance(double h, Quatd& quat, Vec3d& velocity) const {
        Quatd q = quat * axes;
        Mat3d R = rotation_matrix(q);
        const Vec3d own = transpose_mul(R, velocity);
        turn<ExactTurns>(moments, h, q, R, Vec3d{moments.x * own.x, moments.y * own.y, moments.z * own.z},
                         velocity);
        quat = normalized(q * conjugate(axes));
    }

    // The same of the principal axes, q and its matrix R, for an angular momentum P about them.
    template <class Turns, class T>
    LIG_INLINE static void turn(const Vec3<T>& moments, const T& h, Quat<T>& q, Mat3<T>& R, Vec3<T> P,
                                Vec3<T>& velocity) {
        using Real = real_t<T>;
        const T zero(Real(0)), one(Real(1)), two(Real(2)), half(Real(0.5));
        const Vec3<T> momentum = R * P;
        const T inverse = one / moments.x;
        const T difference = one / moments.y - inverse, spin = one / moments.z - inverse;
        const auto symmetric = abs(difference) * moments.x < T(Real(1e-15));
        const T rest = select(symmetric, zero, difference);
        const auto turn_about_b = [&]() LIG_INLINE_LAMBDA {
            T s, c;
            Turns::half(half * h * rest * P.y, s, c);
            q = q * Quat<T>{c, zero, s, zero};
            const T sine = two * s * c, cosine = one - two * s * s;
            P = {cosine * P.x - sine * P.z, P.y, sine * P.x + cosine * P.z};
        };
        const bool general = !all(symmetric);
        if (general) turn_about_b();
        T s, c;
        Turns::half(h * spin * P.z, s, c);
        const T sine = two * s * c, cosine = one - two * s * s;
        P = {cosine * P.x + sine * P.y, cosine * P.y - sine * P.x, P.z};
        q = Turns::about((h * inverse) * momentum) * q * Quat<T>{c, zero, zero, s};
        if (general) turn_about_b();
        q = normalized(q);
        R = rotation_matrix(q);
        velocity = R * Vec3<T>{P.x / moments.x, P.y / moments.y, P.z / moments.z};
    }
};

}  // namespace lig::bodies
