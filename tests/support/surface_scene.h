#pragma once

// Shapes, surfaces and their contacts, for tests.

#include "collide/surface_groups.h"
#include "collide/surface_pairs.h"
#include "core/rotation.h"
#include "shapes/shape_geometry.h"
#include "support/random_values.h"
#include "support/shape_of.h"
#include "support/surface_meshes.h"

#include <doctest/doctest.h>

#include <set>

namespace lig::test {

using namespace lig::collide;

struct Surface {
    std::unique_ptr<TriangleSurface> triangles;
    std::unique_ptr<HeightGrid> grid;
    CollisionShape shape;

    explicit Surface(const TriangleMesh& mesh) : triangles(new TriangleSurface(make_triangle_surface(mesh))) {
        shape.type = ShapeType::trimesh;
        shape.surface = triangles.get();
    }
    explicit Surface(const HeightFieldAsset& asset) : grid(new HeightGrid(make_height_grid(asset))) {
        shape.type = ShapeType::heightfield;
        shape.grid = grid.get();
    }
};

inline const HullGeometry& test_hull() {
    static const HullGeometry hull = [] {
        Random random(11);
        std::vector<Vec3d> points;
        for (int i = 0; i < 40; ++i) points.push_back(0.3 * random_direction(random));
        return std::get<HullGeometry>(make_hull_geometry(points));
    }();
    return hull;
}

// Every convex shape, about half a metre in size.
inline std::vector<CollisionShape> movers() {
    std::vector<CollisionShape> list{shape_of(ShapeType::sphere, {0.3, 0, 0}),
                                     shape_of(ShapeType::capsule, {0.1, 0.3, 0}),
                                     shape_of(ShapeType::cylinder, {0.2, 0.25, 0}),
                                     shape_of(ShapeType::ellipsoid, {0.2, 0.3, 0.25}),
                                     shape_of(ShapeType::box, {0.2, 0.3, 0.15})};
    CollisionShape hull;
    hull.type = ShapeType::mesh;
    hull.hull = &test_hull();
    list.push_back(hull);
    return list;
}

inline std::vector<PairManifold> contacts_of(const CollisionShape& convex, const Transformd& X_WC,
                                             const CollisionShape& surface, const Transformd& X_WS,
                                             double margin) {
    NarrowOutput out;
    collide_with_surface({&convex, X_WC}, {&surface, X_WS}, margin, out);
    std::set<std::uint32_t> parts;
    for (const PairManifold& m : out.manifolds) {
        CHECK(parts.insert(m.part).second);
        REQUIRE(m.count >= 1);
        CHECK(std::abs(length(m.normal) - 1) < 1e-12);
        std::set<std::uint32_t> features;
        for (int i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            CHECK(features.insert(p.feature).second);
            CHECK(p.distance <= margin);
            CHECK(length(p.on_b - (p.on_a + p.distance * m.normal)) < 1e-12 * (1 + length(p.on_a)));
        }
    }
    CHECK(out.manifolds.size() <= SurfaceGroups::capacity);
    return out.manifolds;
}
inline std::vector<PairManifold> contacts_of(const CollisionShape& convex, const Transformd& X,
                                             const Surface& surface, double margin) {
    return contacts_of(convex, X, surface.shape, Transformd::identity(), margin);
}

// The height of the lowest point.
inline double lowest(const CollisionShape& shape, const Transformd& X) { return bounds(shape, X).lower.z; }

inline double deepest(const std::vector<PairManifold>& manifolds) {
    double least = 1e300;
    for (const PairManifold& m : manifolds)
        for (int i = 0; i < m.count; ++i) least = std::min(least, m.points[i].distance);
    return least;
}

inline Transformd at(const Vec3d& p, const Quatd& q = {1, 0, 0, 0}) { return {rotation_matrix(q), p}; }

}  // namespace lig::test
