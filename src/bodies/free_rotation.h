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
        turn(moments, h, q, R, velocity);
        quat = normalized(q * conjugate(axes));
    }

    // The same of the principal axes: q and its matrix R.
    static void turn(const Vec3d& moments, double h, Quatd& q, Mat3d& R, Vec3d& velocity) {
        const Vec3d own = transpose_mul(R, velocity);
        Vec3d P{moments.x * own.x, moments.y * own.y, moments.z * own.z};
        const Vec3d momentum = R * P;
        const double rest = 1 / moments.y - 1 / moments.x, spin = 1 / moments.z - 1 / moments.x;
        const auto turn_about_b = [&] {
            double s, c;
            sin_cos(0.25 * h * rest * P.y, s, c);
            q = q * Quatd{c, 0, s, 0};
            const double sine = 2 * s * c, cosine = 1 - 2 * s * s;
            P = {cosine * P.x - sine * P.z, P.y, sine * P.x + cosine * P.z};
        };
        const bool symmetric = abs(rest) * moments.x < 1e-15;
        if (!symmetric) turn_about_b();
        double s, c;
        sin_cos(0.5 * h * spin * P.z, s, c);
        const double sine = 2 * s * c, cosine = 1 - 2 * s * s;
        P = {cosine * P.x + sine * P.y, cosine * P.y - sine * P.x, P.z};
        q = rotation_exp((h / moments.x) * momentum) * q * Quatd{c, 0, 0, s};
        if (!symmetric) turn_about_b();
        q = normalized(q);
        R = rotation_matrix(q);
        velocity = R * Vec3d{P.x / moments.x, P.y / moments.y, P.z / moments.z};
    }
};

}  // namespace lig::bodies
