#pragma once

// A ground given by heights over a rectangular grid, from the asset named by GeomSpec::mesh. Like a plane it
// belongs on bodies that do not move. Its size, where given, is that of the box that stands for its mass, as
// in MJCF; its geometry is in the asset.

#include "geometry/bounds.h"
#include "shapes/box.h"
#include "shapes/collision_shape.h"
#include "shapes/outline.h"

namespace lig {

struct HeightfieldShape {
    static constexpr std::string_view name = "heightfield";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        if (!(size.x > 0 && size.y > 0 && size.z > 0)) return std::nullopt;
        return BoxShape::mass(size);
    }

    static constexpr bool convex = false;

    static Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
        const HeightGrid& grid = *shape.grid;
        Bounds result = Bounds::nothing();
        for (int row = 0; row < grid.rows; ++row)
            for (int column = 0; column < grid.columns; ++column)
                result.add(X_WG * grid.sample(row, column));
        for (const double x : {-grid.half_x, grid.half_x})
            for (const double y : {-grid.half_y, grid.half_y}) result.add(X_WG * Vec3d{x, y, -grid.base});
        return result;
    }

    // The lines of the grid, the borders of the base and the edges between them.
    static void outline(const CollisionShape& shape, double, std::vector<Vec3d>& segments) {
        const HeightGrid& grid = *shape.grid;
        for (int row = 0; row < grid.rows; ++row)
            for (int column = 0; column < grid.columns; ++column) {
                const Vec3d here = grid.sample(row, column);
                if (column + 1 < grid.columns) outline_line(here, grid.sample(row, column + 1), segments);
                if (row + 1 < grid.rows) outline_line(here, grid.sample(row + 1, column), segments);
            }
        const int rows[4] = {0, 0, grid.rows - 1, grid.rows - 1};
        const int columns[4] = {0, grid.columns - 1, grid.columns - 1, 0};
        for (int i = 0; i < 4; ++i) {
            const int next = (i + 1) % 4;
            const Vec3d top = grid.sample(rows[i], columns[i]);
            const Vec3d other = grid.sample(rows[next], columns[next]);
            outline_line(top, {top.x, top.y, -grid.base}, segments);
            outline_line({top.x, top.y, -grid.base}, {other.x, other.y, -grid.base}, segments);
        }
    }
};

}  // namespace lig
