#pragma once

// Points, segments and other convex shapes against one triangle.

#include "collide/narrow_phase.h"

#include <array>
#include <optional>

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

// The nearest point. `normal` is the triangle's, of unit length. Needles are no trouble: nothing is divided
// by the area.
PointOnTriangle nearest_on_triangle(const TriangleCorners& corners, const Vec3d& normal, const Vec3d& p);

// Whether p is over the triangle, seen along its normal, or no more than `tolerance` beside it; a negative
// tolerance asks for that much more triangle around it.
bool is_over_triangle(const TriangleCorners& corners, const Vec3d& normal, const Vec3d& p, double tolerance);

// A point that lies on the triangle up to rounding: the edge or corner it is on, else the face.
PointOnTriangle locate_on_triangle(const TriangleCorners& corners, const Vec3d& p);

// The nearest points of a segment from `a` to `b` and a triangle; `normal` goes from the segment to the
// triangle, unit. Where the segment pierces the triangle the distance is negative and the way out the
// shortest: the segment swept over the triangle is a prism, whose five faces are the candidates. Where the
// two only touch, the normal is against the triangle's.
ClosestPoints segment_triangle_distance(const Vec3d& a, const Vec3d& b, const TriangleCorners& corners,
                                        const Vec3d& normal);

// The same for any convex shape with its core radius counted in, seen from its own frame's origin (the
// corners are relative to it, `R` turns the shape's axes into theirs). Nothing when farther apart than
// `limit`. `reach`: no point of the shape is farther from the origin. A triangle far larger than that is
// replaced by the part of it that matters, so that its size does not cost digits.
std::optional<ClosestPoints> shape_triangle_distance(const CollisionShape& shape, const Mat3d& R,
                                                     double reach, const TriangleCorners& corners,
                                                     const Vec3d& normal, double limit);

}  // namespace lig::collide
