#pragma once

// The cylinder of radius r = size.x about z, from -h to h = size.y, closed by flat ends.
//
// Solid: V = 2 π r² h, <x²> = <ρ²>/2 = r²/4, <z²> = h²/3.
// Surface: side A = 4 π r h with <x²> = r²/2, <z²> = h²/3; ends A = 2 π r² with <x²> = r²/4, <z²> = h².

#include "shapes/shape_mass.h"

#include <numbers>

namespace lig {

struct CylinderShape {
    static constexpr std::string_view name = "cylinder";
    static constexpr int size_count = 2;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        constexpr double pi = std::numbers::pi;
        const double r = size.x, h = size.y;
        const double side = 4 * pi * r * h, ends = 2 * pi * r * r;
        const double area = side + ends;
        const double shell_x = (side * r * r / 2 + ends * r * r / 4) / area;
        const double shell_z = (side * h * h / 3 + ends * h * h) / area;
        return ShapeMass{.volume = 2 * pi * r * r * h,
                         .area = area,
                         .unit_inertia_solid = inertia_of_mean_squares({r * r / 4, r * r / 4, h * h / 3}),
                         .unit_inertia_shell = inertia_of_mean_squares({shell_x, shell_x, shell_z})};
    }
};

}  // namespace lig
