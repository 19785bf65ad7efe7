#pragma once

// Any two convex shapes (is_convex): distance by GJK, depth by EPA, both on the cores, and a manifold from
// the faces that look at each other.

#include "collide/narrow_phase.h"

#include <limits>
#include <optional>

namespace lig::collide {

ClosestPoints convex_distance(const PlacedShape& a, const PlacedShape& b);
// Nothing when they are farther apart than `limit`, which is found out earlier than how far.
std::optional<ClosestPoints> convex_distance_within(const PlacedShape& a, const PlacedShape& b, double limit);
bool collide_convex(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out);

// The same for a bare triangle in the world as B: a set without thickness, so its distance is never negative
// unless A reaches through it.
std::optional<ClosestPoints> convex_triangle_distance(const PlacedShape& a,
                                                      const std::array<Vec3d, 3>& triangle,
                                                      double limit = std::numeric_limits<double>::infinity());

}  // namespace lig::collide
