// The table of pairs. Every pair of shapes is computed in the order of ShapeType, so that A–B and B–A give the
// same bits, exchanged.

#include "collide/narrow_phase.h"

#include "collide/convex.h"
#include "collide/pairs.h"
#include "shapes/shape_list.h"

#include <array>
#include <limits>

namespace lig::collide {

namespace {

using Table = std::array<std::array<ConvexPair*, shape_count>, shape_count>;

constexpr Table make_table() {
    using enum ShapeType;
    Table table{};
    const auto set = [&table](ShapeType a, ShapeType b, ConvexPair* pair) {
        table[std::size_t(a)][std::size_t(b)] = pair;
    };
    for (const ShapeType a : {sphere, capsule, cylinder, ellipsoid, box, mesh})
        for (const ShapeType b : {sphere, capsule, cylinder, ellipsoid, box, mesh})
            if (a <= b) set(a, b, collide_convex);

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
    set(capsule, capsule, capsule_capsule);
    set(capsule, box, capsule_box);
    set(box, box, box_box);
    return table;
}
constexpr Table convex_pairs = make_table();

ConvexPair* find_pair(ShapeType a, ShapeType b) { return convex_pairs[std::size_t(a)][std::size_t(b)]; }

bool is_surface(ShapeType type) { return type == ShapeType::trimesh || type == ShapeType::heightfield; }

}  // namespace

bool can_collide(ShapeType a, ShapeType b) {
    if (a > b) std::swap(a, b);
    return find_pair(a, b) || (is_surface(b) && a != ShapeType::plane && !is_surface(a));
}

void collide_shapes(const PlacedShape& a, const PlacedShape& b, double margin, NarrowOutput& out) {
    const bool in_order = a.shape->type <= b.shape->type;
    const PlacedShape& first = in_order ? a : b;
    const PlacedShape& second = in_order ? b : a;
    if (ConvexPair* const pair = find_pair(first.shape->type, second.shape->type)) {
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
    ConvexPair* const pair = find_pair(a.shape->type, b.shape->type);
    if (pair == collide_convex) return convex_distance(a, b);
    PairManifold manifold;
    pair(a, b, std::numeric_limits<double>::infinity(), manifold);
    const ManifoldPoint* deepest = manifold.points.data();
    for (int i = 1; i < manifold.count; ++i)
        if (manifold.points[std::size_t(i)].distance < deepest->distance) deepest = &manifold.points[std::size_t(i)];
    return {deepest->distance, deepest->on_a, deepest->on_b, manifold.normal};
}

}  // namespace lig::collide
