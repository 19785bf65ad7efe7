#pragma once

// The sphere of radius r = size.x about the origin.
//
//   V = 4/3 π r³,  A = dV/dr = 4 π r².
// By symmetry <x²> = <y²> = <z²> = <|p|²>/3, and
//   surface: <|p|²> = r²                                <x²> = r²/3   I = 2/3 r²
//   solid:   <|p|²> = ∫ s²·s² ds / ∫ s² ds = 3/5 r²     <x²> = r²/5   I = 2/5 r²

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

#include <numbers>

namespace lig {

struct SphereShape {
    static constexpr std::string_view name = "sphere";
    static constexpr int size_count = 1;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        const double r = size.x;
        const double solid = r * r / 5, shell = r * r / 3;
        return ShapeMass{.volume = 4.0 / 3.0 * std::numbers::pi * r * r * r,
                         .area = 4 * std::numbers::pi * r * r,
                         .unit_inertia_solid = inertia_of_mean_squares({solid, solid, solid}),
                         .unit_inertia_shell = inertia_of_mean_squares({shell, shell, shell})};
    }

    static constexpr bool convex = true;

    static double core_radius(const CollisionShape& shape) { return shape.size.x; }
    static Vec3d core_support(const CollisionShape&, const Vec3d&) { return {0, 0, 0}; }
    static Vec3d interior_point(const CollisionShape&) { return {0, 0, 0}; }

    static void supporting_face(const CollisionShape&, const Vec3d&, double, SupportingFace& face) {
        face.add({0, 0, 0}, 0);
    }

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        return Bounds{X_WG.p, X_WG.p}.grown(shape.size.x);
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const double r = shape.size.x;
        outline_arc({0, 0, 0}, {r, 0, 0}, {0, r, 0}, 1, segments);
        outline_arc({0, 0, 0}, {0, r, 0}, {0, 0, r}, 1, segments);
        outline_arc({0, 0, 0}, {0, 0, r}, {r, 0, 0}, 1, segments);
    }
};

}  // namespace lig
