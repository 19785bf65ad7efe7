#pragma once

// Rays against single shapes.

#include "collide/narrow_phase.h"

#include <optional>

namespace lig::collide {

struct Ray {
    Vec3d origin, direction;  // of any length
    double max_t;             // points are origin + t · direction, 0 <= t <= max_t
};

struct ShapeHit {
    double t;
    Vec3d normal;  // unit, against the ray
};

// The first point of the surface, seen from outside of solids (height fields and planes too) and from either
// side of a trimesh. A ray that starts on a surface hits it at t = 0 when it goes in. One without direction
// hits nothing.
std::optional<ShapeHit> ray_shape(const PlacedShape& shape, const Ray& ray);

}  // namespace lig::collide
