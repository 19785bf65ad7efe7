#pragma once

// The support point of a convex shape's core, chosen by type where it is called: GJK asks for it a dozen
// times per pair, so there is no call in between.

#include "shapes/shape_list.h"

namespace lig {

template <class Shape>
inline Vec3d core_support_of(const CollisionShape& shape, const Vec3d& d) {
    if constexpr (Shape::convex) return Shape::core_support(shape, d);
    return Vec3d::zero();
}

// The point of the core that is farthest along `d` (any length but zero), in G. Shapes that are not convex
// have none: the origin.
inline Vec3d core_support(const CollisionShape& shape, const Vec3d& d) {
    switch (shape.type) {
#define LIG_CORE_SUPPORT(type, Shape) \
    case ShapeType::type: return core_support_of<Shape>(shape, d);
        LIG_FOR_EACH_SHAPE(LIG_CORE_SUPPORT)
#undef LIG_CORE_SUPPORT
    }
    return Vec3d::zero();
}

}  // namespace lig
