#pragma once

// A height field to collide with. Every cell of the grid is two triangles, split along the diagonal from its
// corner of smallest x and y to that of largest x and y, as MuJoCo splits it; below the surface everything
// down to the base is solid.

#include "geometry/bounds.h"

#include <ligament/mesh.h>

#include <array>
#include <vector>

namespace lig {

struct HeightGrid {
    int rows, columns;           // of samples, along y and along x
    double half_x, half_y;       // the grid spans [−half_x, half_x] × [−half_y, half_y]
    double base;                 // the bottom is at z = −base
    std::vector<double> heights; // rows × columns, from the smallest y on, in metres
    double lowest, highest;

    // The lowest and highest sample of square blocks of cells: level l has blocks of block_cells · 2^l cells
    // a side; the last level is a single block.
    static constexpr int block_cells = 4;
    struct Level {
        int rows, columns;
        std::vector<double> lowest, highest;
    };
    std::vector<Level> levels;

    int cell_rows() const { return rows - 1; }
    int cell_columns() const { return columns - 1; }
    double height(int row, int column) const {
        return heights[static_cast<std::size_t>(row) * columns + column];
    }
    // From the nearer border, so that the borders are exact and the grid is symmetric.
    double x(int column) const { return place(column, columns, half_x); }
    double y(int row) const { return place(row, rows, half_y); }
    Vec3d sample(int row, int column) const { return {x(column), y(row), height(row, column)}; }

private:
    static double place(int i, int n, double half) {
        const int twice = 2 * i - (n - 1);  // from the middle, in half steps
        return twice == n - 1 ? half : half * twice / (n - 1);
    }
};

HeightGrid make_height_grid(const HeightFieldAsset& asset);

// Triangle 2 · cell is the one with the corner of largest x and smallest y, 2 · cell + 1 the other; cells are
// counted along the rows. Both are counter-clockwise seen from above and begin at the corner of smallest x
// and y.
inline std::array<std::array<int, 2>, 3> grid_triangle_corners(const HeightGrid& grid, int triangle) {
    const int cell = triangle / 2, row = cell / grid.cell_columns(), column = cell % grid.cell_columns();
    if (triangle % 2 == 0) return {{{row, column}, {row, column + 1}, {row + 1, column + 1}}};
    return {{{row, column}, {row + 1, column + 1}, {row + 1, column}}};
}

// Goes through the blocks from the coarsest on, without recursion. `enters(bounds)` says whether to look into
// the box of a block or cell, `visit(row, column)` gets the cells that were entered. `last_row_first`,
// `last_column_first`: in which order, for rays.
template <class Enters, class Visit>
void walk_cells(const HeightGrid& grid, bool last_row_first, bool last_column_first, Enters&& enters,
                Visit&& visit) {
    if (grid.levels.empty()) return;
    struct Block {
        int level, row, column;
    };
    // Four children less the one that is looked into at once, for each of at most 31 levels.
    std::array<Block, 3 * 31 + 1> waiting;
    int count = 0;
    waiting[count++] = {static_cast<int>(grid.levels.size()) - 1, 0, 0};
    while (count > 0) {
        const Block block = waiting[--count];
        const HeightGrid::Level& level = grid.levels[block.level];
        const int side = HeightGrid::block_cells << block.level;
        const int row_begin = block.row * side, row_end = std::min(row_begin + side, grid.cell_rows());
        const int column_begin = block.column * side;
        const int column_end = std::min(column_begin + side, grid.cell_columns());
        const std::size_t at = static_cast<std::size_t>(block.row) * level.columns + block.column;
        if (!enters(Bounds{{grid.x(column_begin), grid.y(row_begin), level.lowest[at]},
                           {grid.x(column_end), grid.y(row_end), level.highest[at]}}))
            continue;
        if (block.level > 0) {
            const HeightGrid::Level& finer = grid.levels[block.level - 1];
            for (int k = 3; k >= 0; --k) {  // the first to be taken is put last
                const Block child{block.level - 1, 2 * block.row + ((k >> 1) ^ int{last_row_first}),
                                  2 * block.column + ((k & 1) ^ int{last_column_first})};
                if (child.row < finer.rows && child.column < finer.columns) waiting[count++] = child;
            }
            continue;
        }
        for (int i = 0; i < row_end - row_begin; ++i)
            for (int j = 0; j < column_end - column_begin; ++j) {
                const int row = last_row_first ? row_end - 1 - i : row_begin + i;
                const int column = last_column_first ? column_end - 1 - j : column_begin + j;
                const double a = grid.height(row, column), b = grid.height(row, column + 1);
                const double c = grid.height(row + 1, column), d = grid.height(row + 1, column + 1);
                if (enters(Bounds{{grid.x(column), grid.y(row), std::min({a, b, c, d})},
                                  {grid.x(column + 1), grid.y(row + 1), std::max({a, b, c, d})}}))
                    visit(row, column);
            }
    }
}

// The triangles of cells whose boxes overlap `box`.
template <class Visit>
void visit_triangles(const HeightGrid& grid, const Bounds& box, Visit&& visit) {
    walk_cells(
        grid, false, false, [&](const Bounds& bounds) { return bounds.overlaps(box); },
        [&](int row, int column) {
            const int cell = row * grid.cell_columns() + column;
            visit(2 * cell);
            visit(2 * cell + 1);
        });
}

}  // namespace lig
