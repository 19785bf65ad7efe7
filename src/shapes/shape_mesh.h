#pragma once

// Shapes as triangles, to be drawn: with normals that are smooth where the surface is and apart where it has
// an edge. Points at one place have the same bits, so a closed shape is closed however it is looked at.

#include "shapes/collision_shape.h"

#include <array>
#include <vector>

namespace lig {

struct ShapeMesh {
    std::vector<Vec3d> positions, normals;       // of the same length
    std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

// In G. Planes without end are drawn to `reach`; a trimesh as it is, a mesh as its hull. `sectors`: sides of
// the polygon that stands for a circle, a multiple of 4.
ShapeMesh shape_mesh(const CollisionShape& shape, double reach, int sectors = 24);

}  // namespace lig
