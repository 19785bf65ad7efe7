#pragma once

// How frame M on body B moves as seen from frame F on body A, in the axes of F: what joints state their rows
// of, whether they are of the tree or close a loop. The equations are in loop_rows.h.

#include "constraints/carrier.h"

namespace lig {

// V_FM; p_M: the origin of M in the world.
inline Motion<double> relative_velocity(const Carrier& A, const Carrier& B, const Mat3d& R_WF,
                                        const Vec3d& p_M) {
    return {transpose_mul(R_WF, B.V.ang - A.V.ang),
            transpose_mul(R_WF, B.velocity_at(p_M) - A.velocity_at(p_M))};
}

// A_FM while v̇ = 0, or on body coordinates while the bodies' own accelerations are 0. Gravity, which the
// workspace takes off all of them, cancels.
inline Motion<double> relative_acceleration(const Workspace<double>& ws, const Carrier& A, const Carrier& B,
                                            const Mat3d& R_WF, const Vec3d& p_M) {
    const Motion<double> a = free_acceleration(ws, A.link), b = free_acceleration(ws, B.link);
    const Vec3d& w_A = A.V.ang;
    const Vec3d& w_B = B.V.ang;
    const Vec3d arm_A = p_M - A.X.p, arm_B = p_M - B.X.p;
    const Vec3d u = B.velocity_at(p_M) - A.velocity_at(p_M);
    const Vec3d angular = b.ang - a.ang - cross(w_A, w_B);
    Vec3d at_B = b.lin + cross(b.ang, arm_B) + cross(w_B, cross(w_B, arm_B));
    Vec3d at_A = a.lin + cross(a.ang, arm_A) + cross(w_A, cross(w_A, arm_A));
    if (B.slips) at_B += 2 * cross(w_B, B.slip);
    if (A.slips) at_A += 2 * cross(w_A, A.slip);
    const Vec3d linear = at_B - at_A - 2 * cross(w_A, u);
    return {transpose_mul(R_WF, angular), transpose_mul(R_WF, linear)};
}

}  // namespace lig
