#pragma once

// A surface of triangles, the asset named by GeomSpec::mesh. Its geometry is there, not in the sizes, so
// there are no mass properties to be had from here: see geometry/mesh_mass.h.

#include "shapes/shape_mass.h"

namespace lig {

struct MeshShape {
    static constexpr std::string_view name = "mesh";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return std::nullopt; }
};

}  // namespace lig
