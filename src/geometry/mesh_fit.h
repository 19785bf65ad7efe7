#pragma once

// Primitives that stand for a mesh.

#include "geometry/mesh_mass.h"

#include <ligament/specs.h>

namespace lig::geometry {

enum class FitTo {
    inertia,  // the box with the mesh's moments of inertia
    bounds    // the bounding box along its principal axes
};

struct FittedShape {
    Vec3d size;         // as in GeomSpec
    Transformd X_MF;    // the shape's frame in the mesh's
};

// The sphere, capsule, cylinder, ellipsoid or box that MuJoCo fits. Other shapes give nothing.
std::optional<FittedShape> fit_shape(ShapeType shape, const MeshBody& mesh, FitTo fit);

}  // namespace lig::geometry
