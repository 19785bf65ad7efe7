#pragma once

// A surface of triangles, the asset named by GeomSpec::mesh. Its geometry is there, not in the sizes, so
// there are no mass properties to be had from here: see geometry/mesh_mass.h. It collides as its convex hull.

#include "geometry/bounds.h"
#include "geometry/hull_support.h"
#include "shapes/collision_shape.h"
#include "shapes/hull_face.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

namespace lig {

struct MeshShape {
    static constexpr std::string_view name = "mesh";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return std::nullopt; }

    static constexpr bool convex = true;

    static double core_radius(const CollisionShape&) { return 0; }
    static Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
        return shape.hull->vertices[hull_support(*shape.hull, d)];
    }
    static Vec3d interior_point(const CollisionShape& shape) { return shape.hull->center; }

    static void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope,
                                SupportingFace& face) {
        hull_supporting_face(*shape.hull, d, slope, face);
    }

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        Bounds result;
        for (int i = 0; i < 3; ++i) {
            const Vec3d row{X_WG.R.x[i], X_WG.R.y[i], X_WG.R.z[i]};
            const auto farthest = [&](const Vec3d& d) { return dot(row, core_support(shape, d)); };
            result.lower[i] = X_WG.p[i] + farthest(-row);
            result.upper[i] = X_WG.p[i] + farthest(row);
        }
        return result;
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const HullGeometry& hull = *shape.hull;
        for (int f = 0; f < hull.face_count(); ++f) {
            const auto face = hull.face(f);
            for (std::size_t i = 0; i < face.size(); ++i) {
                const int a = face[i], b = face[(i + 1) % face.size()];
                // The face on the other side has it the other way round.
                if (a < b) outline_line(hull.vertices[a], hull.vertices[b], segments);
            }
        }
    }
};

}  // namespace lig
