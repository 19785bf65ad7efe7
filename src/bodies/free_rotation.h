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

#include <cmath>

namespace lig::bodies {

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
        const Mat3d R = rotation_matrix(q);
        const Vec3d own = transpose_mul(R, velocity);
        Vec3d P{moments.x * own.x, moments.y * own.y, moments.z * own.z};
        const Vec3d momentum = R * P;
        const double rest = 1 / moments.y - 1 / moments.x, spin = 1 / moments.z - 1 / moments.x;
        const auto turn_about_b = [&] {
            const double angle = 0.5 * h * rest * P.y;
            const double s = std::sin(angle), c = std::cos(angle);
            P = {c * P.x - s * P.z, P.y, s * P.x + c * P.z};
            q = q * Quatd{std::cos(0.5 * angle), 0, std::sin(0.5 * angle), 0};
        };
        const bool symmetric = std::abs(rest) * moments.x < 1e-15;
        if (!symmetric) turn_about_b();
        const double angle = h * spin * P.z;
        const double s = std::sin(angle), c = std::cos(angle);
        P = {c * P.x + s * P.y, c * P.y - s * P.x, P.z};
        q = rotation_exp((h / moments.x) * momentum) * q *
            Quatd{std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)};
        if (!symmetric) turn_about_b();
        q = normalized(q);
        velocity = rotation_matrix(q) * Vec3d{P.x / moments.x, P.y / moments.y, P.z / moments.z};
        quat = normalized(q * conjugate(axes));
    }
};

}  // namespace lig::bodies
