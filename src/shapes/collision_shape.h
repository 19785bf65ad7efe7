#pragma once

// A geom's shape in its own frame G, as collision sees it: the sizes, or the geometry that the sizes do not
// tell. What can be asked of it is in shape_geometry.h.

#include "geometry/height_grid.h"
#include "geometry/hull_geometry.h"
#include "geometry/triangle_surface.h"

#include <ligament/specs.h>

namespace lig {

struct CollisionShape {
    ShapeType type = ShapeType::sphere;
    Vec3d size{0, 0, 0};                       // as in GeomSpec
    const HullGeometry* hull = nullptr;        // mesh: its convex hull, in G
    const TriangleSurface* surface = nullptr;  // trimesh
    const HeightGrid* grid = nullptr;          // heightfield
};

}  // namespace lig
