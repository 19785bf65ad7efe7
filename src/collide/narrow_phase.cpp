// The table of pairs. Every pair of shapes is computed in the order of ShapeType, so that A–B and B–A give
// the same bits, exchanged.

#include "collide/narrow_phase.h"

#include "collide/convex.h"
#include "collide/pairs.h"
#include "collide/surface_pairs.h"
#include "shapes/shape_list.h"

#include <array>
#include <limits>

namespace lig::collide {

namespace {

using SurfacePair = void(const PlacedShape& convex, const PlacedShape& surface, double margin,
                         NarrowOutput& out);

// How a pair is computed; all absent: it is not.
struct Methods {
    ConvexPair* manifold = nullptr;    // one at most,
    SurfacePair* manifolds = nullptr;  // or any number
    PairDistance* distance = nullptr;  // absent: the deepest point of the manifold tells
};
using Table = std::array<std::array<Methods, shape_count>, shape_count>;

constexpr bool convex[] = {
#define LIG_CONVEX(type, Shape) Shape::convex,
    LIG_FOR_EACH_SHAPE(LIG_CONVEX)
#undef LIG_CONVEX
};

constexpr Table make_table() {
    using enum ShapeType;
    Table table{};
    const auto set = [&table](ShapeType a, ShapeType b, ConvexPair* manifold,
                              PairDistance* distance = nullptr) {
        table[std::size_t(a)][std::size_t(b)] = {manifold, nullptr, distance};
    };
    for (const ShapeType a : all_shapes) {
        if (!convex[std::size_t(a)]) continue;
        for (const ShapeType b : all_shapes)
            if (convex[std::size_t(b)] && a <= b) set(a, b, collide_convex, convex_distance);
        for (const ShapeType b : {heightfield, trimesh})
            table[std::size_t(a)][std::size_t(b)] = {nullptr, collide_with_surface, surface_distance};
    }

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

constexpr bool convex_shapes_collide_with_all() {
    for (std::size_t a = 0; a < table.size(); ++a)
        for (std::size_t b = a; b < table.size(); ++b)
            if ((convex[a] || convex[b]) && !table[a][b].manifold && !table[a][b].manifolds) return false;
    return true;
}
static_assert(convex_shapes_collide_with_all(),
              "a convex shape stands before heightfield in ShapeType, and has a line against planes above");

const Methods& methods_of(ShapeType a, ShapeType b) { return table[std::size_t(a)][std::size_t(b)]; }

}  // namespace

bool can_collide(ShapeType a, ShapeType b) {
    if (a > b) std::swap(a, b);
    const Methods& methods = methods_of(a, b);
    return methods.manifold || methods.manifolds;
}

void collide_shapes(const PlacedShape& a, const PlacedShape& b, double margin, NarrowOutput& out) {
    const bool in_order = a.shape->type <= b.shape->type;
    const PlacedShape& first = in_order ? a : b;
    const PlacedShape& second = in_order ? b : a;
    const Methods& methods = methods_of(first.shape->type, second.shape->type);
    if (methods.manifold) {
        // In place: most pairs are as short as writing a manifold takes.
        PairManifold& manifold = out.manifolds.emplace_back();
        if (!methods.manifold(first, second, margin, manifold))
            out.manifolds.pop_back();
        else if (!in_order)
            mirror(manifold);
    } else if (methods.manifolds) {
        const std::size_t before = out.manifolds.size();
        methods.manifolds(first, second, margin, out);
        if (in_order) return;
        for (std::size_t i = before; i < out.manifolds.size(); ++i) mirror(out.manifolds[i]);
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
    const ManifoldPoint* deepest = manifold.points.data();
    for (const ManifoldPoint* p = deepest; p < manifold.points.data() + manifold.count; ++p)
        if (p->distance < deepest->distance) deepest = p;
    return {deepest->distance, deepest->on_a, deepest->on_b, manifold.normal};
}

}  // namespace lig::collide
