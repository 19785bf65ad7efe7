#pragma once

// Convex hulls of points, by quickhull. Which faces a point sees is decided without rounding, so the result
// is a closed surface for any input, coplanar, collinear and repeated points included. The same points in
// the same order give the same hull.

#include <ligament/mesh.h>

#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace lig::geometry {

// Faces are counter-clockwise seen from outside; they index the points that were given. Neighbouring faces
// may lie in one plane.
struct ConvexHull {
    std::vector<int> vertices;  // the points used by the faces, in rising order
    std::vector<std::array<int, 3>> faces;
};

// Why there is no hull.
enum class HullFault {
    too_few_points,   // fewer than four
    not_finite,       // or larger than 1e60
    one_point,
    collinear,
    coplanar
};
std::string_view describe(HullFault fault);

// Points nearer to the hull than a few roundings of the largest coordinate may be left outside it.
// `max_vertices` (at least 4; −1: no limit) bounds the vertices: the farthest points are taken first, and the
// result lies inside the whole hull.
std::variant<ConvexHull, HullFault> convex_hull(std::span<const Vec3d> points, int max_vertices = -1);

}  // namespace lig::geometry
