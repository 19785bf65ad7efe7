#pragma once

// The vertex of a hull that is farthest along a direction: over all of them, or from the nearest cell of the
// cube map along edges that lead up.

#include "geometry/hull_geometry.h"

#include <algorithm>
#include <cmath>

namespace lig {

// Of the cell of the cube map that the direction goes through.
inline int hull_start_cell(int resolution, const Vec3d& d) {
    const double x = std::fabs(d.x), y = std::fabs(d.y), z = std::fabs(d.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1
                                                   : 2;
    const double half = 0.5 * resolution, scale = half / std::fabs(d[axis]);
    const auto place = [&](double along) {
        const double cell = half + scale * along;
        // Not a number: the first cell.
        return cell > 0 ? static_cast<int>(std::min(cell, resolution - 1.0)) : 0;
    };
    const int side = 2 * axis + (d[axis] >= 0 ? 0 : 1);
    return (side * resolution + place(d[(axis + 1) % 3])) * resolution + place(d[(axis + 2) % 3]);
}

// From a vertex along edges that lead up, the steepest first. Every step rises, so it ends.
inline int hull_climb(const HullGeometry& hull, const Vec3d& d, int from) {
    double best = dot(hull.vertices[from], d);
    for (;;) {
        int next = from;
        for (int i = hull.neighbor_begin[from]; i < hull.neighbor_begin[from + 1]; ++i) {
            const int other = hull.neighbors[i];
            if (const double value = dot(hull.vertices[other], d); value > best) best = value, next = other;
        }
        if (next == from) return from;
        from = next;
    }
}

// The first of equals among few vertices; up to rounding the same of many.
inline int hull_support(const HullGeometry& hull, const Vec3d& d) {
    if (!hull.starts.empty())
        return hull_climb(hull, d, hull.starts[hull_start_cell(hull.start_resolution, d)]);
    int found = 0;
    double best = dot(hull.vertices[0], d);
    for (int i = 1; i < static_cast<int>(hull.vertices.size()); ++i)
        if (const double value = dot(hull.vertices[i], d); value > best) best = value, found = i;
    return found;
}

}  // namespace lig
