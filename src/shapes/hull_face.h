#pragma once

// The face, edge or vertex of a convex polyhedron that looks along a direction of unit length: see
// supporting_face in shape_geometry.h.

#include "geometry/hull_geometry.h"
#include "shapes/supporting_face.h"

namespace lig {

void hull_supporting_face(const HullGeometry& hull, const Vec3d& d, double slope, SupportingFace& face);

}  // namespace lig
