#pragma once

// A height field to collide with. Every cell of the grid is two triangles, split along the diagonal from its
// corner of smallest x and largest y to that of largest x and smallest y; below the surface everything down to
// the base is solid.

#include "geometry/bounds.h"

#include <ligament/mesh.h>

#include <vector>

namespace lig {

struct HeightGrid {
    int rows, columns;           // of samples, along y and along x
    double half_x, half_y;       // the grid spans [−half_x, half_x] × [−half_y, half_y]
    double base;                 // the bottom is at z = −base
    std::vector<double> heights; // rows × columns, from the smallest y on, in metres
    double lowest, highest;

    // The lowest and highest sample of blocks of cells, coarser level by level, to skip what is far.
    struct Level {
        int rows, columns;
        std::vector<double> lowest, highest;
    };
    std::vector<Level> levels;
};

HeightGrid make_height_grid(const HeightFieldAsset& asset);

}  // namespace lig
