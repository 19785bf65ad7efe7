#pragma once

// A convex shape against a surface of triangles or a height field. docs/collision-surfaces.md tells the
// rules.

#include "collide/narrow_phase.h"

namespace lig::collide {

// Appends the manifolds, A the convex shape and B the surface: at most SurfaceGroups::capacity.
void collide_with_surface(const PlacedShape& convex, const PlacedShape& surface, double margin,
                          NarrowOutput& out);

// The nearest points of a convex shape (A) and a plane, trimesh or heightfield (B). Overlapping: the deepest
// point of their contact.
ClosestPoints surface_distance(const PlacedShape& convex, const PlacedShape& surface);

}  // namespace lig::collide
