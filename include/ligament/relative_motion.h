#pragma once

// RelativeMotion: the motion of frame B seen from frame A, in which rows of constraints between two bodies
// are written.
//
// With d = p_B − p_A and everything but p, Ω, ṗ in world axes,
//     p = R_AW d,   ṗ = R_AW u with u = v_B − v_A − ω_A × d,   Ω = R_AW (ω_B − ω_A).
// Once more differentiated, while the accelerations of both frames are 0,
//     p̈ = −R_AW (ω_A × (ω_A × d) + 2 ω_A × u),   Ω̇ = −R_AW (ω_A × ω_B).
// A row g = (g_ang, g_lin) in the axes of A towards (Ω, ṗ) is the force f = R_WA g_lin at B's origin with the
// moment m = R_WA g_ang on B, and the opposite at the same point on A:
//     on_b = (m, f),   on_a = (−m − d × f, −f),
// and the derivative of g · (Ω, ṗ) is g · (Ω̇, p̈) + ġ · (Ω, ṗ).

#include <ligament/pair_constraint.h>

namespace lig {

struct RelativeMotion {
    explicit RelativeMotion(const PairState& state)
        : R_WA(state.X_WA.R),
          d(state.X_WB.p - state.X_WA.p),
          p(transpose_mul(R_WA, d)),
          R_AB(transpose_mul(R_WA, state.X_WB.R)) {
        const Vec3d &w_A = state.V_WA.ang, &w_B = state.V_WB.ang;
        const Vec3d u = state.V_WB.lin - state.V_WA.lin - cross(w_A, d);
        velocity = {transpose_mul(R_WA, w_B - w_A), transpose_mul(R_WA, u)};
        acceleration = {-transpose_mul(R_WA, cross(w_A, w_B)),
                        -transpose_mul(R_WA, cross(w_A, cross(w_A, d)) + 2.0 * cross(w_A, u))};
    }

    // on_a, on_b, and the product without ġ.
    void set(PairRow& row, const Vec3d& g_ang, const Vec3d& g_lin) const {
        const Vec3d m = R_WA * g_ang, f = R_WA * g_lin;
        row.on_b = {m, f};
        row.on_a = {-m - cross(d, f), -f};
        row.product = dot(g_ang, acceleration.ang) + dot(g_lin, acceleration.lin);
    }

    Mat3d R_WA;
    Vec3d d, p;
    Mat3d R_AB;
    Motion<double> velocity, acceleration;  // (Ω, ṗ), and its derivative while the frames do not accelerate
};

}  // namespace lig
