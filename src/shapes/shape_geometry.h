#pragma once

// What collision asks of shapes, chosen by their type among the shape files (shape_list.h).
//
// A convex shape is all points within `core_radius` of its core: a sphere's core is a point, a capsule's a
// segment, all others are their own core. Distances between cores are exact where distances between round
// surfaces would only be approached.

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lig {

// Planes are not among these: they have no support point sideways.
bool is_convex(ShapeType type);

double core_radius(const CollisionShape& shape);
// The point of the core that is farthest along `d` (any length but zero), in G.
Vec3d core_support(const CollisionShape& shape, const Vec3d& d);
// A point inside, in G.
Vec3d interior_point(const CollisionShape& shape);

// The face, edge or vertex of the core that looks along `d`: a polygon of one (a point), two (an edge) or more
// points, counter-clockwise about d, for a manifold of several points. An edge or face is taken where it lies
// within `slope` (sine of the angle) of being square to d. Ids tell vertices apart, the same ones from step to
// step.
struct SupportingFace {
    static constexpr int capacity = 32;
    int count = 0;
    std::array<Vec3d, capacity> points;
    std::array<std::uint8_t, capacity> ids;
    Vec3d normal;  // of a face (three points or more); otherwise d
};
void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope, SupportingFace& face);

// The smallest box along the world's axes, up to rounding. Planes: everything below, unbounded where they are
// not square to an axis.
Bounds bounds(const CollisionShape& shape, const Transformd& X_WG);

// Line segments to draw it by, two points each, in G. Planes without end are drawn to `reach`.
void outline(const CollisionShape& shape, double reach, std::vector<Vec3d>& segments);

}  // namespace lig
