// Surfaces without any order: loose triangles, rough balls, rough sheets; shapes of all sizes, thin ones too,
// anywhere. What is apart is reported at its distance, and what overlaps is pushed.

#include "collide/convex.h"
#include "support/surface_scene.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

namespace {

TriangleMesh random_surface(int kind, Random& random) {
    if (kind == 0) {
        TriangleMesh mesh;
        for (int i = 0; i < 40; ++i) mesh.vertices.push_back(random_vec(random, 1));
        for (int i = 0; i < 30; ++i)
            mesh.faces.push_back(
                {random_index(random, 40), random_index(random, 40), random_index(random, 40)});
        return mesh;
    }
    if (kind == 1) {
        TriangleMesh mesh = sphere_mesh(2, 1);
        for (Vec3d& v : mesh.vertices) v = random.uniform(0.7, 1.1) * v;
        return mesh;
    }
    return height_mesh(8, 1, [&](double, double) { return random.uniform(-0.3, 0.3); }, true);
}

}  // namespace

TEST_CASE("whatever overlaps a surface is pushed, whatever is near is reported at its distance") {
    Random random(40);
    constexpr double margin = 0.02;
    int overlapping = 0, near = 0;
    for (int round = 0; round < 6; ++round) {
        const Surface surface(random_surface(round % 3, random));
        const bool closed = surface.triangles->closed;
        CHECK(closed == (round % 3 == 1));
        for (CollisionShape mover : movers()) {
            const Vec3d size = mover.size;
            for (int i = 0; i < 60; ++i) {
                mover.size = std::pow(10.0, random.uniform(-2, 0.5)) * size;
                if (mover.type == ShapeType::box && i % 5 == 0) mover.size.z *= 1e-4;
                const Transformd X = at(random_vec(random, 1.2), random_rotation(random));
                double least = 1e300;
                for (const TriangleSurface::Triangle& t : surface.triangles->triangles) {
                    std::array<Vec3d, 3> corners;
                    for (int k = 0; k < 3; ++k) corners[k] = surface.triangles->vertices[t.vertices[k]];
                    least = std::min(least, convex_triangle_distance({&mover, X}, corners)->distance);
                }
                const auto found = contacts_of(mover, X, surface, margin);
                CAPTURE(round);
                CAPTURE(static_cast<int>(mover.type));
                CAPTURE(least);
                // Inside a solid the distance is that to the outside.
                const bool inside = closed && !found.empty() && deepest(found) < std::min(least, 0.0);
                if (least < 0) {
                    ++overlapping;
                    REQUIRE_FALSE(found.empty());
                    CHECK(deepest(found) < 0);
                } else if (least < margin && !inside) {
                    ++near;
                    CHECK(std::abs(deepest(found) - least) < 1e-7);
                } else if (!inside) {
                    CHECK(found.empty());
                }
            }
        }
    }
    CHECK(overlapping > 400);
    CHECK(near > 20);
}
