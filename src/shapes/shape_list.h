#pragma once

// Every shape, in the order of ShapeType. A new shape is one header with a struct like the others, one line
// here and its name in ShapeType.
//
// A shape offers
//   name               as in ShapeType
//   size_count         how many size numbers it reads
//   sizes_may_be_zero  whether zero is a size (planes: without end)
//   mass(size)         its ShapeMass, or nothing when the sizes do not tell
//   convex             whether GJK may ask it for support points
//   bounds(shape, X)   the smallest box along the world's axes at pose X, in closed form where there is one
//   outline(shape, …)  segments to draw it by, on its surface
// and, where it is convex,
//   core_radius(shape), core_support(shape, d), interior_point(shape)
//                      see shape_geometry.h; core_support runs in the innermost loop: no calls but sqrt, and
//                      the same d always gives the same point, also where several are equally far
//   supporting_face(shape, d, slope, face)
//                      adds points to an empty face whose normal is d, here of unit length; sets the normal
//                      where three points or more are added

#include "shapes/box.h"
#include "shapes/capsule.h"
#include "shapes/cylinder.h"
#include "shapes/ellipsoid.h"
#include "shapes/heightfield.h"
#include "shapes/mesh.h"
#include "shapes/plane.h"
#include "shapes/sphere.h"
#include "shapes/trimesh.h"

#define LIG_FOR_EACH_SHAPE(X)        \
    X(plane, PlaneShape)             \
    X(sphere, SphereShape)           \
    X(capsule, CapsuleShape)         \
    X(cylinder, CylinderShape)       \
    X(ellipsoid, EllipsoidShape)     \
    X(box, BoxShape)                 \
    X(mesh, MeshShape)               \
    X(heightfield, HeightfieldShape) \
    X(trimesh, TrimeshShape)

namespace lig {

inline constexpr ShapeType all_shapes[] = {
#define LIG_SHAPE_TYPE(type, Shape) ShapeType::type,
    LIG_FOR_EACH_SHAPE(LIG_SHAPE_TYPE)
#undef LIG_SHAPE_TYPE
};
inline constexpr int shape_count = sizeof(all_shapes) / sizeof(all_shapes[0]);

namespace detail {
constexpr bool shape_list_is_in_enum_order() {
    for (int i = 0; i < shape_count; ++i)
        if (static_cast<int>(all_shapes[i]) != i) return false;
    return true;
}
}  // namespace detail

static_assert(detail::shape_list_is_in_enum_order(), "the list of shapes follows the order of ShapeType");
static_assert(shape_count == static_cast<int>(ShapeType::trimesh) + 1, "the list names every ShapeType");

#define LIG_CHECK_SHAPE_NAME(type, Shape) static_assert(Shape::name == #type);
LIG_FOR_EACH_SHAPE(LIG_CHECK_SHAPE_NAME)
#undef LIG_CHECK_SHAPE_NAME

}  // namespace lig
