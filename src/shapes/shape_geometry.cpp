#include "shapes/shape_geometry.h"

#include "shapes/shape_list.h"

#include <cmath>

namespace lig {

namespace {

struct ConvexEntry {
    double (*core_radius)(const CollisionShape&);
    Vec3d (*interior_point)(const CollisionShape&);
    void (*supporting_face)(const CollisionShape&, const Vec3d&, double, SupportingFace&);
};
struct ShapeEntry {
    bool convex;
    ConvexEntry as_convex;  // empty for the others
    Bounds (*bounds)(const CollisionShape&, const Transformd&);
    void (*outline)(const CollisionShape&, double, std::vector<Vec3d>&);
};

template <class Shape>
constexpr ShapeEntry entry_of() {
    ShapeEntry entry{Shape::convex, {}, &Shape::bounds, &Shape::outline};
    if constexpr (Shape::convex)
        entry.as_convex = {&Shape::core_radius, &Shape::interior_point, &Shape::supporting_face};
    return entry;
}

constexpr ShapeEntry entries[] = {
#define LIG_SHAPE_ENTRY(type, Shape) entry_of<Shape>(),
    LIG_FOR_EACH_SHAPE(LIG_SHAPE_ENTRY)
#undef LIG_SHAPE_ENTRY
};

const ShapeEntry& entry(ShapeType type) { return entries[static_cast<int>(type)]; }

}  // namespace

bool is_convex(ShapeType type) { return entry(type).convex; }

double core_radius(const CollisionShape& shape) { return entry(shape.type).as_convex.core_radius(shape); }

Vec3d interior_point(const CollisionShape& shape) {
    return entry(shape.type).as_convex.interior_point(shape);
}

void supporting_face(const CollisionShape& shape, const Vec3d& d, double slope, SupportingFace& face) {
    // Components are divided by the largest first: squares of very small or large ones have no place.
    const double largest = std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
    const Vec3d scaled{d.x / largest, d.y / largest, d.z / largest};
    const Vec3d unit = (1 / std::sqrt(dot(scaled, scaled))) * scaled;
    face.clear(unit);
    entry(shape.type).as_convex.supporting_face(shape, unit, slope, face);
}

Bounds bounds(const CollisionShape& shape, const Transformd& X_WG) {
    return entry(shape.type).bounds(shape, X_WG);
}

void outline(const CollisionShape& shape, double reach, std::vector<Vec3d>& segments) {
    entry(shape.type).outline(shape, reach, segments);
}

}  // namespace lig
