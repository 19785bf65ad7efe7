#pragma once

// A ground given by heights over a rectangular grid, from the asset named by GeomSpec::mesh. Like a plane it
// belongs on bodies that do not move; like a mesh it has no mass properties without its data.

#include "shapes/shape_mass.h"

namespace lig {

struct HeightfieldShape {
    static constexpr std::string_view name = "heightfield";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return std::nullopt; }
};

}  // namespace lig
