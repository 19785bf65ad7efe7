#pragma once

// A ground given by heights over a rectangular grid, from the asset named by GeomSpec::mesh. Like a plane it
// belongs on bodies that do not move. Its size, where given, is that of the box that stands for its mass, as
// in MJCF; its geometry is in the asset.

#include "shapes/box.h"

namespace lig {

struct HeightfieldShape {
    static constexpr std::string_view name = "heightfield";
    static constexpr int size_count = 0;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        if (!(size.x > 0 && size.y > 0 && size.z > 0)) return std::nullopt;
        return BoxShape::mass(size);
    }
};

}  // namespace lig
