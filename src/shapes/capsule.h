#pragma once

// All points within r = size.x of the segment from (0, 0, -h) to (0, 0, h), h = size.y: a cylinder with a
// hemisphere on each end. Both parts are summed as integrals of 1, x² and z².
//
// Solid. Cylinder: V = 2 π r² h, ∫x² = V r²/4, ∫z² = V h²/3. The two hemispheres together make a ball,
// V = 4/3 π r³ and ∫x² = V r²/5; along z, with t the height above the base and π (r² - t²) the cross section,
//   ∫z² = 2 ∫₀ʳ π (r² - t²)(h + t)² dt = V (h² + 3/4 h r + r²/5).
//
// Surface. Side: A = 4 π r h, ∫x² = A r²/2, ∫z² = A h²/3. Ends: A = 4 π r², ∫x² = A r²/3, and since equal
// heights of a sphere have equal areas,
//   ∫z² = A ∫₀¹ (h + r u)² du = A (h² + h r + r²/3).

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

#include <cmath>
#include <numbers>

namespace lig {

struct CapsuleShape {
    static constexpr std::string_view name = "capsule";
    static constexpr int size_count = 2;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        constexpr double pi = std::numbers::pi;
        const double r = size.x, h = size.y;

        const double middle = 2 * pi * r * r * h, ball = 4.0 / 3.0 * pi * r * r * r;
        const double volume = middle + ball;
        const double solid_x = (middle * r * r / 4 + ball * r * r / 5) / volume;
        const double solid_z = (middle * h * h / 3 + ball * (h * h + 0.75 * h * r + r * r / 5)) / volume;

        const double side = 4 * pi * r * h, ends = 4 * pi * r * r;
        const double area = side + ends;
        const double shell_x = (side * r * r / 2 + ends * r * r / 3) / area;
        const double shell_z = (side * h * h / 3 + ends * (h * h + h * r + r * r / 3)) / area;

        return ShapeMass{.volume = volume,
                         .area = area,
                         .unit_inertia_solid = inertia_of_mean_squares({solid_x, solid_x, solid_z}),
                         .unit_inertia_shell = inertia_of_mean_squares({shell_x, shell_x, shell_z})};
    }

    static constexpr bool convex = true;

    // The core is the segment.
    static double core_radius(const CollisionShape& shape) { return shape.size.x; }
    static Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
        return {0, 0, d.z >= 0 ? shape.size.y : -shape.size.y};
    }
    static Vec3d interior_point(const CollisionShape&) { return {0, 0, 0}; }

    static void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope,
                                SupportingFace& face) {
        const double h = shape.size.y;
        const bool both = std::fabs(d.z) <= slope;
        if (both || d.z >= 0) face.add({0, 0, h}, 0);
        if (both || d.z < 0) face.add({0, 0, -h}, 1);
    }

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        const double r = shape.size.x, h = shape.size.y;
        const Vec3d& z = X_WG.R.z;
        const Vec3d reach{h * std::fabs(z.x) + r, h * std::fabs(z.y) + r, h * std::fabs(z.z) + r};
        return {X_WG.p - reach, X_WG.p + reach};
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const double r = shape.size.x, h = shape.size.y;
        for (const double side : {1.0, -1.0}) {
            const Vec3d end{0, 0, side * h}, up{0, 0, side * r};
            outline_arc(end, {r, 0, 0}, {0, r, 0}, 1, segments);
            outline_arc(end, {r, 0, 0}, up, 0.5, segments);
            outline_arc(end, {0, r, 0}, up, 0.5, segments);
            outline_line({side * r, 0, -h}, {side * r, 0, h}, segments);
            outline_line({0, side * r, -h}, {0, side * r, h}, segments);
        }
    }
};

}  // namespace lig
