#pragma once

// What is known about the distance of two convex shapes without computing it, in long double.
//
// Along a unit vector g, B begins s(g) = min over B of g·x − max over A of g·x behind A. The signed distance
// of two convex shapes is the largest s(g): the distance when they are apart, and minus the shortest way out
// when they overlap. So an answer (distance, normal, on_a, on_b) proves itself where the cores are apart:
// s(normal) is a lower bound, and the distance of two points of the cores an upper one. Where cores overlap,
// all faces of the set of differences are tried: it is a sum of segments, the edges of boxes and axes of
// capsules, and its faces are square to the products of two of these.

#include "collide/narrow_phase.h"
#include "support/random_values.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace lig::test {

using Real = long double;
using Vec3l = Vec3<Real>;

inline Vec3l wide(const Vec3d& a) { return {a.x, a.y, a.z}; }
inline Real length(const Vec3l& a) { return std::sqrt(dot(a, a)); }
inline Vec3l unit(const Vec3l& a) { return (1 / length(a)) * a; }

// A shape in the world; rotations are orthonormal to rounding only, so sizes along rotated axes are exact to
// that.
struct WideShape {
    ShapeType type;
    Vec3l size, p, x, y, z;
    const HullGeometry* hull;

    explicit WideShape(const collide::PlacedShape& placed)
        : type(placed.shape->type),
          size(wide(placed.shape->size)),
          p(wide(placed.X_WG.p)),
          x(wide(placed.X_WG.R.x)),
          y(wide(placed.X_WG.R.y)),
          z(wide(placed.X_WG.R.z)),
          hull(placed.shape->hull) {}

    Vec3l local(const Vec3l& w) const { return {dot(x, w - p), dot(y, w - p), dot(z, w - p)}; }
    Vec3l world(const Vec3l& g) const { return p + g.x * x + g.y * y + g.z * z; }

    Real radius() const { return type == ShapeType::sphere || type == ShapeType::capsule ? size.x : 0; }
    // The largest extent, by which errors are measured.
    Real extent() const {
        switch (type) {
            case ShapeType::plane: return 0;
            case ShapeType::sphere: return size.x;
            case ShapeType::capsule:
            case ShapeType::cylinder: return size.x + size.y;
            case ShapeType::mesh: {
                Real most = 0;
                for (const Vec3d& v : hull->vertices) most = std::max(most, length(wide(v)));
                return most;
            }
            default: return length(size);
        }
    }
    // The largest g·x over the core.
    Real core_reach(const Vec3l& g) const {
        const Real gx = dot(g, x), gy = dot(g, y), gz = dot(g, z), base = dot(g, p);
        switch (type) {
            case ShapeType::sphere: return base;
            case ShapeType::capsule: return base + size.y * std::abs(gz);
            case ShapeType::cylinder:
                return base + size.y * std::abs(gz) + size.x * std::sqrt(gx * gx + gy * gy);
            case ShapeType::ellipsoid: return base + length(Vec3l{size.x * gx, size.y * gy, size.z * gz});
            case ShapeType::box:
                return base + size.x * std::abs(gx) + size.y * std::abs(gy) + size.z * std::abs(gz);
            case ShapeType::mesh: {
                Real most = -std::numeric_limits<Real>::infinity();
                for (const Vec3d& v : hull->vertices) most = std::max(most, gx * v.x + gy * v.y + gz * v.z);
                return base + most;
            }
            default: return base;  // planes, along their normal only
        }
    }
    // How far a point is outside the core, at least; zero inside.
    Real outside_core(const Vec3l& w) const {
        const Vec3l q = local(w);
        const auto beyond = [](Real v, Real most) { return std::max(Real(0), std::abs(v) - most); };
        switch (type) {
            case ShapeType::plane: return std::max(Real(0), q.z);
            case ShapeType::sphere: return length(q);
            case ShapeType::capsule: return length(Vec3l{q.x, q.y, beyond(q.z, size.y)});
            case ShapeType::cylinder:
                return std::max(beyond(std::sqrt(q.x * q.x + q.y * q.y), size.x), beyond(q.z, size.y));
            case ShapeType::ellipsoid: {
                const Real level = length(Vec3l{q.x / size.x, q.y / size.y, q.z / size.z});
                return std::max(Real(0), (level - 1) * std::min({size.x, size.y, size.z}));
            }
            case ShapeType::box:
                return length(Vec3l{beyond(q.x, size.x), beyond(q.y, size.y), beyond(q.z, size.z)});
            case ShapeType::mesh: {
                Real most = 0;
                for (int f = 0; f < hull->face_count(); ++f)
                    most = std::max(most, dot(wide(hull->face_normals[std::size_t(f)]), q) -
                                              Real(hull->face_offsets[std::size_t(f)]));
                return most;
            }
            default: return 0;
        }
    }
    // The segments of which the core is the sum; none for round cores.
    std::vector<Vec3l> segments() const {
        if (type == ShapeType::capsule) return {z};
        if (type == ShapeType::box) return {x, y, z};
        return {};
    }
};

// s(g) of the cores.
inline Real core_gap(const WideShape& a, const WideShape& b, const Vec3l& g) {
    if (a.type == ShapeType::plane) return -b.core_reach(-g) - dot(g, a.p);
    return -b.core_reach(-g) - a.core_reach(g);
}

// The largest s(g) over all faces of the differences of two cores that are points, segments or boxes.
inline Real core_gap_of_all_faces(const WideShape& a, const WideShape& b) {
    std::vector<Vec3l> segments = a.segments();
    for (const Vec3l& s : b.segments()) segments.push_back(s);
    Real best = -std::numeric_limits<Real>::infinity();
    for (std::size_t i = 0; i < segments.size(); ++i)
        for (std::size_t j = i + 1; j < segments.size(); ++j) {
            const Vec3l g = cross(segments[i], segments[j]);
            if (length(g) < 1e-15L) continue;
            best = std::max({best, core_gap(a, b, unit(g)), core_gap(a, b, -unit(g))});
        }
    return best;
}

}  // namespace lig::test
