#pragma once

// Rows of the constraints between any number of bodies (group_constraint.h), as pulls on the links that carry
// them, or as entries on the freedoms of joints.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <vector>

namespace lig {

// Whether it is active, and something of it moves: an equality, or a row with bounds
// (bounded_constraints.h).
bool group_acts(const Model& model, int group);
bool bounded_group_acts(const Model& model, int group);

struct GroupRowsWanted {
    double time;
    bool on_bodies;  // by pulls instead of entries
    bool with_products;
};
// The block of one constraint with its rows, and their terms behind those that are there. After
// forward_kinematics; with products: after forward_dynamics, or inverse_dynamics with v̇ = 0.
void add_group(const Workspace<double>& ws, int group, const GroupRowsWanted& wanted, Rows& rows,
               std::vector<EqualityTerms>& terms);

}  // namespace lig
