#pragma once

// The narrow phase: two shapes where they are, and how they touch. Everything within `margin` of touching is
// reported.

#include "collide/manifold.h"
#include "shapes/collision_shape.h"

#include <vector>

namespace lig::collide {

struct PlacedShape {
    const CollisionShape* shape;
    Transformd X_WG;
};

// Where the narrow phase puts what it finds; cleared by whoever owns it. Grows to what a scene needs and
// stays.
struct NarrowOutput {
    std::vector<PairManifold> manifolds;
};

// Appends the manifolds of A and B, none when they are farther apart than `margin`. Any two shapes; two that
// cannot collide (plane, trimesh and heightfield among themselves) give nothing.
void collide_shapes(const PlacedShape& a, const PlacedShape& b, double margin, NarrowOutput& out);
// Whether there is a method for the two.
bool can_collide(ShapeType a, ShapeType b);

// A function of the table in narrow_phase.cpp: A and B in the order of ShapeType. False: farther apart than
// the margin.
using ConvexPair = bool(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out);

// The nearest points of two shapes, of which at most one is not convex. Overlapping: the deepest points
// along the shortest way out, and a negative distance. The normal points from A to B.
struct ClosestPoints {
    double distance;
    Vec3d on_a, on_b, normal;
};
ClosestPoints closest_points(const PlacedShape& a, const PlacedShape& b);

}  // namespace lig::collide
