#pragma once

// Rows of the constraints between two bodies (pair_constraint.h) on the links that carry them.
//
// A constraint states its rows towards the velocities of its frames A and B, about their origins. About the
// origins of the links they are the same forces at another point. While v̇ = 0 the frames accelerate by what
// their links do, with ω × (ω × r) at the arm r; that is added to the product of velocities.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/pair_constraint.h>
#include <ligament/workspace.h>

#include <vector>

namespace lig {

// Whether it is active, and something between its bodies moves: as an equality, or with bounds to its forces
// (bounded_constraints.h).
bool pair_acts(const Model& model, int pair);
bool bounded_pair_acts(const Model& model, int pair);

// A constraint of the model from the state of its two frames alone. Sizes that it leaves to the bodies are
// filled in. (rows)
void evaluate_pair(const Model& model, int pair, const PairState& state, PairRow* out);

// The block of one constraint with its rows, and their terms behind those that are there, as add_loop.
void add_pair(const Workspace<double>& ws, int pair, double time, bool with_products, Rows& rows,
              std::vector<EqualityTerms>& terms);

}  // namespace lig
