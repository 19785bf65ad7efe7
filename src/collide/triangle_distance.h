#pragma once

// Points, segments and other convex shapes against one triangle.

#include "collide/narrow_phase.h"

#include <array>

namespace lig::collide {

using TriangleCorners = std::array<Vec3d, 3>;

// Where on a triangle a point lies: on its face, on the edge from corner k to k + 1, or on corner k.
enum class TriangleRegion {
    face,
    edge,
    corner
};
struct PointOnTriangle {
    Vec3d point;
    TriangleRegion region;
    int k;  // of the edge or corner
};

// The nearest point. `normal` is the triangle's, of unit length. Needles are no trouble: nothing is divided by
// the area.
PointOnTriangle nearest_on_triangle(const TriangleCorners& corners, const Vec3d& normal, const Vec3d& p);

// A point that lies on the triangle up to rounding: the edge or corner it is on, else the face.
PointOnTriangle locate_on_triangle(const TriangleCorners& corners, const Vec3d& p);

// The nearest points of a segment from `a` to `b` and a triangle; `normal` goes from the segment to the
// triangle, unit. Where the segment pierces the triangle the distance is negative and the way out the shortest:
// the segment swept over the triangle is a prism, whose five faces are the candidates. Where the two only touch,
// the normal is against the triangle's.
ClosestPoints segment_triangle_distance(const Vec3d& a, const Vec3d& b, const TriangleCorners& corners,
                                        const Vec3d& normal);

// The same for any convex shape; its core radius is counted in.
ClosestPoints shape_triangle_distance(const PlacedShape& shape, const TriangleCorners& corners,
                                      const Vec3d& normal);

}  // namespace lig::collide
