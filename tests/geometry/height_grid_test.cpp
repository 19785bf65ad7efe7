// Height grids: places, blocks and the cells that a box meets, against looking at all cells.

#include "geometry/height_grid.h"

#include "support/random_values.h"
#include "support/surface_meshes.h"

#include <doctest/doctest.h>

#include <set>

using namespace lig;
using namespace lig::test;

namespace {

HeightGrid waves(int rows, int columns) {
    return make_height_grid(height_field(rows, columns, 3, 2, 0.5, 0.25, [](double x, double y) {
        return 0.5 + 0.5 * std::sin(3 * x) * std::cos(2 * y);
    }));
}

}  // namespace

TEST_CASE("samples lie where the size says, borders exactly") {
    const HeightGrid grid = waves(5, 7);
    CHECK(grid.x(0) == -3);
    CHECK(grid.x(6) == 3);
    CHECK(grid.x(3) == 0);
    CHECK(grid.y(0) == -2);
    CHECK(grid.y(4) == 2);
    CHECK(grid.x(1) == doctest::Approx(-2));
    CHECK(grid.y(3) == doctest::Approx(1));
    CHECK(grid.base == 0.25);
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 7; ++j)
            CHECK(std::abs(grid.height(i, j) -
                           0.5 * (0.5 + 0.5 * std::sin(3 * (-3.0 + j)) * std::cos(2 * (-2.0 + i)))) < 1e-15);
    // Symmetric: the grid is its own mirror image.
    const HeightGrid odd = waves(8, 12);
    for (int j = 0; j < 12; ++j) CHECK(odd.x(j) == -odd.x(11 - j));
}

TEST_CASE("the diagonal goes from the corner of smallest x and y to that of largest x and y") {
    const HeightGrid grid = waves(3, 4);
    for (int cell = 0; cell < 6; ++cell) {
        const int row = cell / 3, column = cell % 3;
        for (const int half : {0, 1}) {
            const auto c = grid_triangle_corners(grid, 2 * cell + half);
            CHECK(c[0] == std::array<int, 2>{row, column});
            CHECK(c[half == 0 ? 2 : 1] == std::array<int, 2>{row + 1, column + 1});
            const auto at = [&](int k) { return grid.sample(c[k][0], c[k][1]); };
            CHECK(cross(at(1) - at(0), at(2) - at(0)).z > 0);
        }
    }
}

TEST_CASE("a box finds the triangles of the cells it meets, over grids of all sizes") {
    Random random(2);
    for (const auto& [rows, columns] : {std::pair{2, 2}, {2, 40}, {37, 3}, {33, 33}, {50, 71}}) {
        const HeightGrid grid = waves(rows, columns);
        CHECK(grid.levels.back().rows == 1);
        CHECK(grid.levels.back().columns == 1);
        CHECK(grid.levels.back().lowest[0] == grid.lowest);
        CHECK(grid.levels.back().highest[0] == grid.highest);
        for (int i = 0; i < 200; ++i) {
            const Vec3d center = random_vec(random, 3.2), half = random_vec(random, 0.6);
            Bounds box = Bounds::nothing();
            box.add(center - half);
            box.add(center + half);
            std::set<int> found, expected;
            visit_triangles(grid, box, [&](int t) { CHECK(found.insert(t).second); });
            for (int row = 0; row + 1 < rows; ++row)
                for (int column = 0; column + 1 < columns; ++column) {
                    Bounds cell = Bounds::nothing();
                    for (const int di : {0, 1})
                        for (const int dj : {0, 1}) cell.add(grid.sample(row + di, column + dj));
                    if (!cell.overlaps(box)) continue;
                    const int number = row * (columns - 1) + column;
                    expected.insert({2 * number, 2 * number + 1});
                }
            CHECK(found == expected);
        }
    }
}

TEST_CASE("an asset without samples has no cells") {
    HeightFieldAsset nothing;
    const HeightGrid grid = make_height_grid(nothing);
    int seen = 0;
    visit_triangles(grid, Bounds::everything(), [&](int) { ++seen; });
    CHECK(seen == 0);
}
