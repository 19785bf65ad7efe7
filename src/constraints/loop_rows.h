#pragma once

// Rows of loops: a joint of any kind that holds frame F on body A and frame M on body B together.
//
// The joint states C(X_FM), G with dC/dt = G V_FM, and (dG/dt) V_FM (joints/joint.h), V_FM = (ω, ṗ) being the
// motion of M seen from F in the axes of F. With d = p_M − p_F and all else in world axes,
//     ω = R_FW (ω_B − ω_A),    ṗ = R_FW (v_M − v_F − ω_A × d):
// the velocity of M less that of the point of A where M is. So a row g = (g_ang, g_lin) of G acts on B as the
// force R_WF g_lin at M with the moment R_WF g_ang, and on A as their opposite at the same point. Once more
// differentiated, with u = v_M − v_F − ω_A × d,
//     dω/dt = R_FW (α_B − α_A − ω_A × ω_B),
//     dṗ/dt = R_FW (a_M − a_F − α_A × d − ω_A × (ω_A × d) − 2 ω_A × u),
// and d²C/dt² = G dV_FM/dt + (dG/dt) V_FM; with the accelerations that the links have while v̇ = 0, that is
// the product of velocities.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <vector>

namespace lig {

// Whether it is active, and something between its bodies moves.
bool loop_acts(const Model& model, int loop);

// The block of one loop with its rows, and their terms behind those that are there. After forward_kinematics;
// with_products: after forward_dynamics, or inverse_dynamics with v̇ = 0, which leave the links'
// accelerations behind (terms.product, else 0). Rows that turn count torque_scale times; with a scale of 0
// there are none.
void add_loop(const Workspace<double>& ws, int loop, bool with_products, Rows& rows,
              std::vector<EqualityTerms>& terms);

}  // namespace lig
