#pragma once

// Rows that hold the centre of mass or the momentum of a body and all below it, as far as they move. With m,
// x, v, ω and I the mass, centre of mass, its velocity, the angular velocity and the inertia of each body, c
// and M the centre and the mass of all, e an axis of the world and t what is asked for along it,
//     centre of mass     C = e · (c − t),                             J: the force m/M e at x
//     linear momentum    J v − e · t / M = 0                          J: the same
//     angular momentum   J v − e · t / (M r²) = 0                     J: (m e × (x − c) at x, I e) / (M r²)
// The last two restrain velocities alone. r is the radius of the subtree, so that all rows are of the size
// of 1 and multipliers are a force, or a moment, that the bodies share as they do a uniform acceleration.
// Bodies that deform have angular momentum by their stretching, too (deforming.h): entries on ṡ beside I e,
// both of what they are now.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <vector>

namespace lig {

// on_bodies: by pulls on the bodies instead of entries. After forward_kinematics; with_products: after
// forward_dynamics.
void add_subtree(const Workspace<double>& ws, int constraint, bool on_bodies, bool with_products, Rows& rows,
                 std::vector<EqualityTerms>& terms);

}  // namespace lig
