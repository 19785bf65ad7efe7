#pragma once

// The plane z = 0 with everything below it taken as solid. size = {half x, half y, spacing of the drawn
// grid}; 0 in the first two means without end. The extent is only drawn: collisions see the whole plane.
//
// A half space has no finite mass, so a plane weighs nothing, as in MJCF; it belongs on bodies that do not
// move.

#include "shapes/shape_mass.h"

namespace lig {

struct PlaneShape {
    static constexpr std::string_view name = "plane";
    static constexpr int size_count = 3;
    static constexpr bool sizes_may_be_zero = true;

    static std::optional<ShapeMass> mass(const Vec3d&) { return ShapeMass{}; }
};

}  // namespace lig
