#pragma once

// What collision asks of shapes, chosen by their type among the shape files (shape_list.h).
//
// A convex shape is all points within `core_radius` of its core: a sphere's core is a point, a capsule's a
// segment, all others are their own core. Distances between cores are exact where distances between round
// surfaces would only be approached.

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/core_support.h"
#include "shapes/supporting_face.h"

#include <vector>

namespace lig {

// Planes are not among these: they have no support point sideways.
bool is_convex(ShapeType type);

// Of convex shapes only, as are the next three. core_support is in core_support.h.
double core_radius(const CollisionShape& shape);
// A point inside, in G.
Vec3d interior_point(const CollisionShape& shape);

// The face, edge or vertex of the core that looks along `d` (any length but zero), for a manifold of several
// points. An edge or face is taken where it lies within `slope` (sine of the angle) of being square to d, the
// one that is nearest to it.
void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope, SupportingFace& face);

// The smallest box along the world's axes, up to rounding. Planes: everything below, unbounded where they are
// not square to an axis.
Bounds bounds(const CollisionShape& shape, const Transformd& X_WG);

// Line segments to draw it by, two points each, in G. Planes without end are drawn to `reach`.
void outline(const CollisionShape& shape, double reach, std::vector<Vec3d>& segments);

}  // namespace lig
