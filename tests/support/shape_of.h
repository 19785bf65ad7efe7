#pragma once

#include "shapes/collision_shape.h"

namespace lig::test {

// A shape that its sizes tell.
inline CollisionShape shape_of(ShapeType type, const Vec3d& size) {
    CollisionShape shape;
    shape.type = type;
    shape.size = size;
    return shape;
}

}  // namespace lig::test
