// The table of pairs. Every pair of shapes is computed in the order of ShapeType, so that A–B and B–A give
// the same bits, exchanged.

#include "collide/narrow_phase.h"

#include "collide/convex.h"
#include "collide/pairs.h"
#include "shapes/shape_list.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lig::collide {

namespace {

struct Methods {
    ConvexPair* manifold = nullptr;
    PairDistance* distance = nullptr;  // absent: the deepest point of the manifold tells
};
using Table = std::array<std::array<Methods, shape_count>, shape_count>;

constexpr Table make_table() {
    using enum ShapeType;
    Table table{};
    const auto set = [&table](ShapeType a, ShapeType b, ConvexPair* manifold,
                              PairDistance* distance = nullptr) {
        table[std::size_t(a)][std::size_t(b)] = {manifold, distance};
    };
    for (const ShapeType a : {sphere, capsule, cylinder, ellipsoid, box, mesh})
        for (const ShapeType b : {sphere, capsule, cylinder, ellipsoid, box, mesh})
            if (a <= b) set(a, b, collide_convex, convex_distance);

    set(plane, sphere, plane_sphere);
    set(plane, capsule, plane_capsule);
    set(plane, cylinder, plane_cylinder);
    set(plane, ellipsoid, plane_ellipsoid);
    set(plane, box, plane_box);
    set(plane, mesh, plane_hull);
    set(sphere, sphere, sphere_sphere);
    set(sphere, capsule, sphere_capsule);
    set(sphere, cylinder, sphere_cylinder);
    set(sphere, ellipsoid, sphere_ellipsoid);
    set(sphere, box, sphere_box);
    set(capsule, capsule, capsule_capsule, capsule_capsule_distance);
    set(capsule, box, capsule_box, capsule_box_distance);
    set(box, box, box_box, box_box_distance);
    return table;
}
constexpr Table table = make_table();

const Methods& methods_of(ShapeType a, ShapeType b) { return table[std::size_t(a)][std::size_t(b)]; }

bool is_surface(ShapeType type) { return type == ShapeType::trimesh || type == ShapeType::heightfield; }

}  // namespace

bool can_collide(ShapeType a, ShapeType b) {
    if (a > b) std::swap(a, b);
    return methods_of(a, b).manifold || (is_surface(b) && a != ShapeType::plane && !is_surface(a));
}

void collide_shapes(const PlacedShape& a, const PlacedShape& b, double margin, NarrowOutput& out) {
    const bool in_order = a.shape->type <= b.shape->type;
    const PlacedShape& first = in_order ? a : b;
    const PlacedShape& second = in_order ? b : a;
    if (ConvexPair* const pair = methods_of(first.shape->type, second.shape->type).manifold) {
        PairManifold& manifold = out.manifolds.emplace_back();
        if (!pair(first, second, margin, manifold))
            out.manifolds.pop_back();
        else if (!in_order)
            mirror(manifold);
    }
}

ClosestPoints closest_points(const PlacedShape& a, const PlacedShape& b) {
    if (a.shape->type > b.shape->type) {
        const ClosestPoints found = closest_points(b, a);
        return {found.distance, found.on_b, found.on_a, -found.normal};
    }
    const Methods& methods = methods_of(a.shape->type, b.shape->type);
    if (methods.distance) return methods.distance(a, b);
    PairManifold manifold;
    methods.manifold(a, b, std::numeric_limits<double>::infinity(), manifold);
    const auto* const deepest =
        std::min_element(manifold.points.begin(), manifold.points.begin() + manifold.count,
                         [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.distance < q.distance; });
    return {deepest->distance, deepest->on_a, deepest->on_b, manifold.normal};
}

}  // namespace lig::collide
