#pragma once

// Bodies that deform: a point at r at rest, seen from the centre of mass in the axes of the body, is at
//     x + A r,   A = R S
// where x is the centre of mass, R a rotation, which is the frame that others see, and S symmetric: how far
// the body is stretched. S is linear in the coordinates s of the kind, S = spread(s); gather is the transpose
// of that. The freedoms are v = (ω, ẋ, ṡ), and a point moves with
//     ẋ + Ȧ r,   Ȧ = [ω]× A + R spread(ṡ).
// All of the mass is in m and J = ∫ r rᵀ dm at rest: the kinetic energy is ½ m ẋ² + ½ tr(Ȧ J Ȧᵀ), so with E
// the matrices of Ȧ = Σ v E, Ä⁰ what is left of Ä where v̇ = 0,
//     M = tr(E J Eᵀ),   bias = −tr(E J Ä⁰ᵀ),   Ä⁰ = [ω]×[ω]× A + 2 [ω]× R spread(ṡ).
// In the axes of the body D = RᵀȦ = [w]× S + Ṡ with w = Rᵀω; its momentum is P = D J, and
//     angular momentum  axial(P S),   momenta of s  gather(P + Pᵀ off the diagonal).

#include "bodies/body.h"
#include "bodies/rigid.h"
#include "linalg/sym_factor3.h"

#include <ligament/workspace.h>

namespace lig::bodies {

inline constexpr OwnJoint free_joint{JointType::free, {0, 0, 0}, ""};
constexpr OwnJoint stretch_joint(std::string_view ending, double rest) {
    return {JointType::stretch, {0, 0, 0}, ending, rest};
}

// What a deforming body weighs: J in the axes of the body, which are its principal axes.
struct Substance {
    double mass;
    Sym3d moment;
};

// (a − aᵀ) as a vector: what [w]× would be.
template <class T>
LIG_INLINE Vec3<T> axial(const Mat3<T>& a) { return {a.y.z - a.z.y, a.z.x - a.x.z, a.x.y - a.y.x}; }

// Sums over both places of each entry off the diagonal: what multiplies the coordinates of a symmetric
// matrix.
template <class T>
LIG_INLINE Sym3<T> both_sides(const Mat3<T>& a) {
    return {a.x.x, a.y.y, a.z.z, a.y.x + a.x.y, a.z.x + a.x.z, a.z.y + a.y.z};
}

// g rᵀ likewise: the force g at r, both in the axes of the body, on the stretches.
template <class T>
LIG_INLINE Sym3<T> pull_on_stretches(const Vec3<T>& g, const Vec3<T>& r) {
    return {g.x * r.x, g.y * r.y, g.z * r.z, g.x * r.y + g.y * r.x, g.x * r.z + g.z * r.x,
            g.y * r.z + g.z * r.y};
}

template <class T>
LIG_INLINE Mat3<T> turned_by(const Vec3<T>& w, const Mat3<T>& a) {
    return {cross(w, a.x), cross(w, a.y), cross(w, a.z)};
}

// w with [w]× S + S [w]× = [a]×: how the rotation of a polar decomposition answers to what is not symmetric.
inline Vec3d turn_of_polar(const Sym3d& S, const Vec3d& a) {
    const double trace = S.xx + S.yy + S.zz;
    return solve(factor(Sym3d{trace - S.xx, trace - S.yy, trace - S.zz, -S.xy, -S.xz, -S.yz}), a);
}

inline Sym3d symmetric_part(const Mat3d& a) {
    return {a.x.x, a.y.y, a.z.z, 0.5 * (a.x.y + a.y.x), 0.5 * (a.x.z + a.z.x), 0.5 * (a.y.z + a.z.y)};
}

// Rᵀ a.
inline Mat3d seen_in(const Mat3d& R, const Mat3d& a) {
    return {transpose_mul(R, a.x), transpose_mul(R, a.y), transpose_mul(R, a.z)};
}

// The rotation Q of a = Q S near a first guess, and S, by Newton's method.
inline Quatd polar_rotation(const Mat3d& a, Quatd Q, Sym3d& S) {
    constexpr int most = 30;
    for (int k = 0; k < most; ++k) {
        const Mat3d B = seen_in(rotation_matrix(Q), a);
        S = symmetric_part(B);
        const Vec3d turn = turn_of_polar(S, axial(B));
        if (!(dot(turn, turn) > 1e-32)) break;
        Q = normalized(Q * rotation_exp(turn));
    }
    return Q;
}

// Free motion of a body that stretches along its principal axes, by momenta p of its stretches and Π of
// turning, both about these axes: the energy is Σ p²/2J + Σ Π²/2I, with moments I that depend on the
// stretches. The first sum moves the stretches; of the second each term by itself turns the body about its
// axis at a constant rate and pushes the stretches. One after the other, there and back, these are a
// symplectic map of second order that keeps the angular momentum exactly.
//   moment(k)        about an axis, as the body is stretched now
//   stretch(time)    moves the stretches at their present rates
//   push(k, amount)  adds to these rates what a turn about the axis gives them, for time × (Π/I)²
template <class Moment, class Stretch, class Push>
void drift_by_axes(double h, Quatd& quat, Vec3d& velocity, Moment&& moment, Stretch&& stretch, Push&& push) {
    const Vec3d w = transpose_mul(rotation_matrix(quat), velocity);
    Vec3d P{moment(0) * w.x, moment(1) * w.y, moment(2) * w.z};
    const auto turn = [&](int k, double time) {
        const double speed = P[k] / moment(k);
        push(k, time * speed * speed);
        Vec3d about{0, 0, 0};
        about[k] = time * speed;
        const Quatd q = rotation_exp(about);
        P = transpose_mul(rotation_matrix(q), P);
        quat = quat * q;
    };
    stretch(0.5 * h);
    turn(0, 0.5 * h);
    turn(1, 0.5 * h);
    turn(2, h);
    turn(1, 0.5 * h);
    turn(0, 0.5 * h);
    stretch(0.5 * h);
    quat = normalized(quat);
    velocity = rotation_matrix(quat) * Vec3d{P.x / moment(0), P.y / moment(1), P.z / moment(2)};
}

// The parts that are the same for all kinds that deform. Own: spread, gather, read (s of S), stretches,
// drift.
template <class Own, int count>
struct Deforming {
    static constexpr int stretches = count, dim = 6 + count;
    // What may differ from body to body of a kind: program.h.
    static constexpr int shapes() { return count; }
    static constexpr int freedoms() { return dim; }

    // Of a point at r at rest, in the axes of the body: where it is, how fast it moves there, what a force g
    // at it does to the stretches; and which r is at p.
    template <class T>
    LIG_INLINE static Vec3<T> place(const Sym3<T>& S, const Vec3<T>& r) {
        return S * r;
    }
    template <class T>
    LIG_INLINE static Vec3<T> slip(const Sym3<T>& rate, const Vec3<T>& r) {
        return rate * r;
    }
    template <class T>
    LIG_INLINE static void pull(const Vec3<T>& g, const Vec3<T>& r, T* out) {
        Own::gather(pull_on_stretches(g, r), out);
    }
    template <class T>
    static Vec3<T> rest(const Sym3<T>& symmetric, const Vec3<T>& p) {
        const Mat3<T> S = symmetric.full();
        const Vec3<T> yz = cross(S.y, S.z);
        const T inverse = T(1) / dot(S.x, yz);
        return inverse * Vec3<T>{dot(p, yz), dot(p, cross(S.z, S.x)), dot(p, cross(S.x, S.y))};
    }

    // The motion of the frame; what the stretches add is not in it.
    template <class T>
    LIG_INLINE static Motion<T> expand(const T* v) {
        return Rigid::expand(v);
    }
    template <class T>
    LIG_INLINE static void project(const Force<T>& f, T* out) {
        Rigid::project(f, out);
        for (int k = 6; k < dim; ++k) out[k] = T(0);
    }

    // M v for a velocity of the body, without building M.
    static void momenta(const Substance& own, const Mat3d& R, const Sym3d& S, const double* v, double* out) {
        const Mat3d D = rate_of(R, S, v);
        const Mat3d P = D * own.moment.full();
        write(R, axial(P * S.full()), P, out);
        for (int k = 3; k < 6; ++k) out[k] = own.mass * v[k];
    }
    // ∂T/∂s at the velocity v: what drives the momenta of s while nothing acts.
    static void push_by_motion(const Substance& own, const Mat3d& R, const Sym3d& S, const double* v,
                               double* out) {
        const Mat3d P = rate_of(R, S, v) * own.moment.full();
        Own::gather(both_sides(turned_by(transpose_mul(R, Vec3d{-v[0], -v[1], -v[2]}), P)), out);
    }
    static void mass_block(const Substance& own, const Mat3d& R, const Sym3d& S, double* M) {
        double unit[dim] = {}, column[dim];
        for (int c = 0; c < dim; ++c) {
            unit[c] = 1;
            momenta(own, R, S, unit, column);
            unit[c] = 0;
            for (int r = 0; r < dim; ++r) M[r * dim + c] = column[r];
        }
        // To the last bit.
        for (int r = 0; r < dim; ++r)
            for (int c = 0; c < r; ++c) M[c * dim + r] = M[r * dim + c];
    }
    static void bias(const Substance& own, const Mat3d& R, const Sym3d& S, const double* v, double* out) {
        const Vec3d w = transpose_mul(R, Vec3d{v[0], v[1], v[2]});
        const Mat3d left =
            turned_by(w, turned_by(w, S.full())) + 2.0 * turned_by(w, Own::spread(v + 6).full());
        const Mat3d P = left * own.moment.full();
        write(R, axial(P * S.full()), P, out);
        for (int k = 0; k < dim; ++k) out[k] = -out[k];
        out[3] = out[4] = out[5] = 0;
    }

private:
    static Mat3d rate_of(const Mat3d& R, const Sym3d& S, const double* v) {
        const Vec3d w = transpose_mul(R, Vec3d{v[0], v[1], v[2]});
        return turned_by(w, S.full()) + Own::spread(v + 6).full();
    }
    static void write(const Mat3d& R, const Vec3d& turning, const Mat3d& P, double* out) {
        const Vec3d world = R * turning;
        for (int k = 0; k < 3; ++k) {
            out[k] = world[k];
            out[3 + k] = 0;
        }
        Own::gather(both_sides(P), out + 6);
    }
};

}  // namespace lig::bodies
