#pragma once

// The triangles of the asset named by GeomSpec::mesh as they are, hollow places and all; a mesh collides as
// its convex hull. Like a plane it belongs on bodies that do not move and weighs nothing.

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"

namespace lig {

struct TrimeshShape {
    static constexpr std::string_view name = "trimesh";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return ShapeMass{}; }

    static constexpr bool convex = false;

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        Bounds result = Bounds::nothing();
        for (const TriangleSurface::Triangle& triangle : shape.surface->triangles)
            for (const int v : triangle.vertices) result.add(X_WG * shape.surface->vertices[v]);
        return result;
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const TriangleSurface& surface = *shape.surface;
        for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
            const TriangleSurface::Triangle& triangle = surface.triangles[t];
            for (int k = 0; k < 3; ++k)
                // Once of the two triangles that share the edge.
                if (triangle.neighbors[k] < t)
                    outline_line(surface.vertices[triangle.vertices[k]],
                                 surface.vertices[triangle.vertices[(k + 1) % 3]], segments);
        }
    }
};

}  // namespace lig
