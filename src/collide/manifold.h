#pragma once

// What the narrow phase says about two shapes.

#include <ligament/vec.h>

#include <array>
#include <cstdint>
#include <utility>

namespace lig::collide {

struct ManifoldPoint {
    Vec3d on_a, on_b;       // witness points in the world; on_b = on_a + distance · normal
    double distance;        // negative: how deep they overlap along the normal
    std::uint32_t feature;  // which corner, edge or face meets which: the same from step to step
};

// Up to four points that share a normal. Two convex shapes have at most one manifold; a surface of triangles
// may have several.
struct PairManifold {
    static constexpr int capacity = 4;
    Vec3d normal;           // unit, in the world, from A to B
    std::uint32_t part;     // tells the manifolds of one pair apart
    int count;
    std::array<ManifoldPoint, capacity> points;

    // Leaves the points as they are: a vector of manifolds grows by one without writing all of it.
    PairManifold() : part(0), count(0) {}
};

// Chooses at most four points: the deepest, and those that span most. Of equals the smaller feature is
// taken, so that rounding does not make a resting manifold change its points. `points` are reordered.
void keep_extreme_points(ManifoldPoint* points, int count, PairManifold& manifold);

// The same manifold with A and B exchanged.
PairManifold mirrored(const PairManifold& manifold);
inline void mirror(PairManifold& manifold) {
    manifold.normal = -manifold.normal;
    for (int i = 0; i < manifold.count; ++i) std::swap(manifold.points[i].on_a, manifold.points[i].on_b);
}

}  // namespace lig::collide
