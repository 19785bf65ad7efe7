#pragma once

// The sphere of radius r = size.x about the origin.
//
//   V = 4/3 π r³,  A = dV/dr = 4 π r².
// By symmetry <x²> = <y²> = <z²> = <|p|²>/3, and
//   surface: <|p|²> = r²                                <x²> = r²/3   I = 2/3 r²
//   solid:   <|p|²> = ∫ s²·s² ds / ∫ s² ds = 3/5 r²     <x²> = r²/5   I = 2/5 r²

#include "shapes/shape_mass.h"

#include <numbers>

namespace lig {

struct SphereShape {
    static constexpr std::string_view name = "sphere";
    static constexpr int size_count = 1;
    static constexpr bool sizes_may_be_zero = false;

    static std::optional<ShapeMass> mass(const Vec3d& size) {
        const double r = size.x;
        const double solid = r * r / 5, shell = r * r / 3;
        return ShapeMass{.volume = 4.0 / 3.0 * std::numbers::pi * r * r * r,
                         .area = 4 * std::numbers::pi * r * r,
                         .unit_inertia_solid = inertia_of_mean_squares({solid, solid, solid}),
                         .unit_inertia_shell = inertia_of_mean_squares({shell, shell, shell})};
    }
};

}  // namespace lig
