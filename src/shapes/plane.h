#pragma once

// The plane z = 0 with everything below it taken as solid. size = {half x, half y, spacing of the drawn
// grid}; 0 in the first two means without end. The extent is only drawn: collisions see the whole plane.
//
// A half space has no finite mass, so a plane weighs nothing, as in MJCF; it belongs on bodies that do not
// move.

#include "geometry/bounds.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>

namespace lig {

struct PlaneShape {
    static constexpr std::string_view name = "plane";
    static constexpr int size_count = 3;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return ShapeMass{}; }

    static constexpr bool convex = false;

    static Bounds bounds(const CollisionShape&, const Transformd& X_WG) {
        // Nearer than this to square is square: at the largest coordinates it is not more than their
        // rounding.
        constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
        const Vec3d& normal = X_WG.R.z;
        Bounds result = Bounds::everything();
        for (int i = 0; i < 3; ++i) {
            const double tilt = std::max(std::fabs(normal[(i + 1) % 3]), std::fabs(normal[(i + 2) % 3]));
            if (tilt > rounding) continue;
            (normal[i] > 0 ? result.upper : result.lower)[i] = X_WG.p[i];
        }
        return result;
    }

    static void outline(const CollisionShape& shape, double reach, std::vector<Vec3d>& segments) {
        const double half_x = shape.size.x > 0 ? shape.size.x : reach;
        const double half_y = shape.size.y > 0 ? shape.size.y : reach;
        // Lines of the grid from the middle outwards, and the border.
        const auto lines = [&](double half, auto&& draw) {
            const double spacing = shape.size.z > 0 ? shape.size.z : half / 10;
            const int count = static_cast<int>(std::min(half / spacing, 50.0));
            for (int i = -count; i <= count; ++i)
                if (std::fabs(i * spacing) < half) draw(i * spacing);
            draw(-half);
            draw(half);
        };
        lines(half_x, [&](double x) { outline_line({x, -half_y, 0}, {x, half_y, 0}, segments); });
        lines(half_y, [&](double y) { outline_line({-half_x, y, 0}, {half_x, y, 0}, segments); });
    }
};

}  // namespace lig
