#pragma once

// The cylinder of radius r = size.x about z, from -h to h = size.y, closed by flat ends.
//
// Solid: V = 2 π r² h, <x²> = <ρ²>/2 = r²/4, <z²> = h²/3.
// Surface: side A = 4 π r h with <x²> = r²/2, <z²> = h²/3; ends A = 2 π r² with <x²> = r²/4, <z²> = h².

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"
#include "shapes/supporting_face.h"

#include <cmath>
#include <numbers>

namespace lig {

struct CylinderShape {
    static constexpr std::string_view name = "cylinder";
    static constexpr int size_count = 2;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        constexpr double pi = std::numbers::pi;
        const double r = size.x, h = size.y;
        const double side = 4 * pi * r * h, ends = 2 * pi * r * r;
        const double area = side + ends;
        const double shell_x = (side * r * r / 2 + ends * r * r / 4) / area;
        const double shell_z = (side * h * h / 3 + ends * h * h) / area;
        return ShapeMass{.volume = 2 * pi * r * r * h,
                         .area = area,
                         .unit_inertia_solid = inertia_of_mean_squares({r * r / 4, r * r / 4, h * h / 3}),
                         .unit_inertia_shell = inertia_of_mean_squares({shell_x, shell_x, shell_z})};
    }

    static constexpr bool convex = true;

    static double core_radius(const CollisionShape&) { return 0; }
    static Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
        const double r = shape.size.x, z = d.z >= 0 ? shape.size.y : -shape.size.y;
        const double across = std::sqrt(d.x * d.x + d.y * d.y);
        // Directions along the axis, or so nearly that their squares vanish: any point of the end will do.
        if (!(across > 0)) return {r, 0, z};
        return {r * (d.x / across), r * (d.y / across), z};
    }
    static Vec3d interior_point(const CollisionShape&) { return {0, 0, 0}; }

    // An end is a polygon of points that are fixed to the body, so that it does not turn with the direction;
    // when the direction leans, the point of the rim that is farthest along it joins them. The side is its
    // line farthest along the direction.
    static constexpr int rim_points = 16;
    static void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope,
                                SupportingFace& face) {
        const double r = shape.size.x, h = shape.size.y;
        const double across = std::sqrt(d.x * d.x + d.y * d.y), along = std::fabs(d.z);
        const double side = d.z >= 0 ? 1 : -1;
        const int id = d.z >= 0 ? 0 : rim_points + 1;
        constexpr int line_id = 2 * (rim_points + 1);
        if (across <= slope && across <= along) {
            face.normal = {0, 0, side};
            // Counter-clockwise about the outward normal: the other way round at the lower end.
            const double turn = std::atan2(side * d.y, d.x) / (2 * std::numbers::pi);
            const double place = rim_points * (turn < 0 ? turn + 1 : turn);
            // Less of a lean is left to rounding: the polygon misses 2 % of the radius times it. At a point
            // of the polygon there is nothing to add.
            const bool leans = across > 1e-6 && std::fabs(place - std::round(place)) > 1e-6;
            const int after = leans ? static_cast<int>(place) : -1;  // the fixed point that it follows
            for (int i = 0; i < rim_points; ++i) {
                const double y = side * r * rim_cosine((i + 3 * rim_points / 4) % rim_points);
                face.add({r * rim_cosine(i), y, side * h}, id + i);
                if (i == after) add_deepest(r, h, d, across, side, id, face);
            }
        } else if (along <= slope) {
            const double x = r * (d.x / across), y = r * (d.y / across);
            face.add({x, y, h}, line_id);
            face.add({x, y, -h}, line_id + 1);
        } else {
            add_deepest(r, h, d, across, side, id, face);
        }
    }

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        const Mat3d& R = X_WG.R;
        Vec3d reach;
        for (int i = 0; i < 3; ++i)
            reach[i] = shape.size.x * std::sqrt(R.x[i] * R.x[i] + R.y[i] * R.y[i]) +
                       shape.size.y * std::fabs(R.z[i]);
        return {X_WG.p - reach, X_WG.p + reach};
    }

    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const double r = shape.size.x, h = shape.size.y;
        outline_arc({0, 0, h}, {r, 0, 0}, {0, r, 0}, 1, segments);
        outline_arc({0, 0, -h}, {r, 0, 0}, {0, r, 0}, 1, segments);
        for (const double side : {1.0, -1.0}) {
            outline_line({side * r, 0, -h}, {side * r, 0, h}, segments);
            outline_line({0, side * r, -h}, {0, side * r, h}, segments);
        }
    }

private:
    // cos(2 π i / rim_points)
    static double rim_cosine(int i) {
        static_assert(rim_points == 16);
        constexpr double quarter[5] = {1, 0.92387953251128676, 0.70710678118654752, 0.38268343236508977, 0};
        const int k = i <= 8 ? i : 16 - i;
        return k <= 4 ? quarter[k] : -quarter[8 - k];
    }
    static void add_deepest(double r, double h, const Vec3d& d, double across, double side, int id,
                            SupportingFace& face) {
        face.add({r * (d.x / across), r * (d.y / across), side * h}, id + rim_points);
    }
};

}  // namespace lig
