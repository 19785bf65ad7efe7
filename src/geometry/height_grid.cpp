#include "geometry/height_grid.h"

namespace lig {

namespace {

HeightGrid::Level make_finest_level(const HeightGrid& grid) {
    constexpr int side = HeightGrid::block_cells;
    HeightGrid::Level level{.rows = (grid.cell_rows() + side - 1) / side,
                            .columns = (grid.cell_columns() + side - 1) / side,
                            .lowest = {},
                            .highest = {}};
    for (int r = 0; r < level.rows; ++r)
        for (int c = 0; c < level.columns; ++c) {
            double low = grid.highest, high = grid.lowest;
            // A block has the samples of both its borders.
            for (int i = r * side; i <= std::min((r + 1) * side, grid.cell_rows()); ++i)
                for (int j = c * side; j <= std::min((c + 1) * side, grid.cell_columns()); ++j) {
                    low = std::min(low, grid.height(i, j));
                    high = std::max(high, grid.height(i, j));
                }
            level.lowest.push_back(low);
            level.highest.push_back(high);
        }
    return level;
}

HeightGrid::Level make_coarser_level(const HeightGrid::Level& fine) {
    HeightGrid::Level level{
        .rows = (fine.rows + 1) / 2, .columns = (fine.columns + 1) / 2, .lowest = {}, .highest = {}};
    for (int r = 0; r < level.rows; ++r)
        for (int c = 0; c < level.columns; ++c) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (int i = 2 * r; i < std::min(2 * r + 2, fine.rows); ++i)
                for (int j = 2 * c; j < std::min(2 * c + 2, fine.columns); ++j) {
                    const std::size_t at = static_cast<std::size_t>(i) * fine.columns + j;
                    low = std::min(low, fine.lowest[at]);
                    high = std::max(high, fine.highest[at]);
                }
            level.lowest.push_back(low);
            level.highest.push_back(high);
        }
    return level;
}

}  // namespace

HeightGrid make_height_grid(const HeightFieldAsset& asset) {
    HeightGrid grid{.rows = asset.rows,
                    .columns = asset.columns,
                    .half_x = asset.size[0],
                    .half_y = asset.size[1],
                    .base = asset.size[3],
                    .heights = {},
                    .lowest = 0,
                    .highest = 0,
                    .levels = {}};
    if (!asset.elevation || grid.rows < 2 || grid.columns < 2) return grid;
    grid.heights.reserve(asset.elevation->size());
    for (const double e : *asset.elevation) grid.heights.push_back(e * asset.size[2]);
    const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
    grid.lowest = *low;
    grid.highest = *high;

    grid.levels.push_back(make_finest_level(grid));
    while (grid.levels.back().rows > 1 || grid.levels.back().columns > 1)
        grid.levels.push_back(make_coarser_level(grid.levels.back()));
    return grid;
}

}  // namespace lig
