#pragma once

// Rays in a shape's own frame, and the method of every shape: ray_<name>(shape, ray) for each in
// shape_list.h.

#include "shapes/shape_list.h"

#include <optional>

namespace lig::collide {

// `direction` is of unit length, so lengths along the ray are metres.
struct LocalRay {
    Vec3d origin, direction;
    double length;
};
struct LocalHit {
    double at;     // along the ray
    Vec3d normal;  // unit, against the ray
};

#define LIG_DECLARE_RAY(type, Shape) \
    std::optional<LocalHit> ray_##type(const CollisionShape& shape, const LocalRay& ray);
LIG_FOR_EACH_SHAPE(LIG_DECLARE_RAY)
#undef LIG_DECLARE_RAY

}  // namespace lig::collide
