#pragma once

// Any two convex shapes (is_convex): distance by GJK, depth by EPA, both on the cores, and a manifold from the
// faces that look at each other.

#include "collide/narrow_phase.h"

namespace lig::collide {

ClosestPoints convex_distance(const PlacedShape& a, const PlacedShape& b);
bool collide_convex(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out);

}  // namespace lig::collide
