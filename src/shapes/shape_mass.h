#pragma once

// What a shape weighs and which sizes it takes. Everything is in the frame of the shape, with the sizes of
// GeomSpec. The shapes themselves are one header each; the functions here choose among them through
// shape_list.h.

#include <ligament/scene.h>
#include <ligament/vec.h>

#include <optional>
#include <string>
#include <string_view>

namespace lig {

// Rotational inertia is per unit mass and about the centre of mass `com`, once for the solid of uniform
// density, once for the thin closed surface of uniform mass per area.
struct ShapeMass {
    double volume = 0;
    double area = 0;
    Vec3d com{0, 0, 0};
    Sym3d unit_inertia_solid = Sym3d::zero();
    Sym3d unit_inertia_shell = Sym3d::zero();
};

// Rotational inertia from the mean squares of the coordinates, for a body symmetric in all three
// coordinate planes: I_xx = <y²> + <z²>, and so on; no products of inertia.
inline Sym3d inertia_of_mean_squares(const Vec3d& mean) {
    return Sym3d::diagonal(mean.y + mean.z, mean.x + mean.z, mean.x + mean.y);
}

std::string_view shape_name(ShapeType shape);
// The shape of that name, or nothing.
std::optional<ShapeType> shape_by_name(std::string_view name);

// How many of the three size numbers the shape reads; the first so many have to be there.
int shape_size_count(ShapeType shape);

// What is wrong with the sizes, or nothing.
std::optional<std::string> shape_size_error(ShapeType shape, const Vec3d& size);

// Surfaces without an inside: their mass is zero whatever is said of it.
bool weighs_nothing(ShapeType shape);

// Nothing for shapes whose geometry is not told by their sizes (mesh, heightfield). The sizes must be valid.
std::optional<ShapeMass> shape_mass(ShapeType shape, const Vec3d& size);

}  // namespace lig
