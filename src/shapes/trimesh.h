#pragma once

// The triangles of the asset named by GeomSpec::mesh as they are, hollow places and all; a mesh collides as its
// convex hull. Like a plane it belongs on bodies that do not move and weighs nothing.

#include "shapes/shape_mass.h"

namespace lig {

struct TrimeshShape {
    static constexpr std::string_view name = "trimesh";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return ShapeMass{}; }
};

}  // namespace lig
