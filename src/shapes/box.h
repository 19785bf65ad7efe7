#pragma once

// The box |x| <= a, |y| <= b, |z| <= c, (a, b, c) = size.
//
// Solid: V = 8abc, <x²> = a²/3.
// Surface: the two faces across x have 8bc together and x² = a² on them; on the other four, of areas 8ac and
// 8ab, <x²> = a²/3. Hence A = 8(bc + ac + ab) and <x²> = a² (bc + (ac + ab)/3) / (bc + ac + ab).

#include "shapes/shape_mass.h"

namespace lig {

struct BoxShape {
    static constexpr std::string_view name = "box";
    static constexpr int size_count = 3;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        const Vec3d square{size.x * size.x, size.y * size.y, size.z * size.z};
        const Vec3d faces{8 * size.y * size.z, 8 * size.x * size.z, 8 * size.x * size.y};
        const double area = faces.x + faces.y + faces.z;
        Vec3d shell = Vec3d::zero();
        for (int i = 0; i < 3; ++i) shell[i] = square[i] * (faces[i] + (area - faces[i]) / 3) / area;
        return ShapeMass{.volume = 8 * size.x * size.y * size.z,
                         .area = area,
                         .unit_inertia_solid = inertia_of_mean_squares((1.0 / 3.0) * square),
                         .unit_inertia_shell = inertia_of_mean_squares(shell)};
    }
};

}  // namespace lig
