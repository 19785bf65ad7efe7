#include "sensors/sensed_geoms.h"

#include "collide/ray.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::sensors {

namespace {

using collide::PlacedShape;
using collide::Ray;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether a ray meets a box nearer than `within`. 0 · ∞ gives NaN, which the order of min and max lets pass.
bool meets(const Bounds& box, const Vec3d& origin, const Vec3d& inverse, double within) {
    double from = 0, to = within;
    for (int k = 0; k < 3; ++k) {
        const double one = (box.lower[k] - origin[k]) * inverse[k];
        const double two = (box.upper[k] - origin[k]) * inverse[k];
        from = std::max(from, std::min(one, two));
        to = std::min(to, std::max(one, two));
    }
    return !(from > to);
}

bool contains(const Bounds& box, const Vec3d& p) {
    for (int k = 0; k < 3; ++k)
        if (!(box.lower[k] <= p[k] && p[k] <= box.upper[k])) return false;
    return true;
}

// Where a ray that starts inside of a convex shape leaves it: where one that comes back from beyond enters.
std::optional<SensedHit> leave(const PlacedShape& shape, const Bounds& box, const Vec3d& origin,
                               const Vec3d& direction) {
    if (!is_convex(shape.shape->type) || !contains(box, origin)) return std::nullopt;
    const Vec3d diagonal = box.upper - box.lower;
    const double beyond = 2 * std::sqrt(dot(diagonal, diagonal));
    const auto back = collide::ray_shape(shape, {origin + beyond * direction, -direction, beyond});
    if (!back) return std::nullopt;
    return SensedHit{beyond - back->t, back->normal};
}

// A plane with sizes is seen as a rectangle.
bool is_on_plane(const PlacedShape& plane, const Vec3d& p) {
    const Vec3d local = transpose_mul(plane.X_WG.R, p - plane.X_WG.p), size = plane.shape->size;
    return (size.x == 0 || std::abs(local.x) <= size.x) && (size.y == 0 || std::abs(local.y) <= size.y);
}

bool belongs(const CollisionModel::Sensed& geom, const ObjectRef& object) {
    return (object.kind == ObjectRef::Kind::geom ? geom.geom : geom.body) == object.index;
}

}  // namespace

SensedGeoms::SensedGeoms(const Model& model) {
    for (const CollisionModel::Sensed& geom : model.collision->seen) seen_.push_back({&geom, {}, {}});
    for (const CollisionModel::Sensed& geom : model.collision->measured) measured_.push_back({&geom, {}, {}});
}

void SensedGeoms::place(std::span<const Transformd> X_WB) {
    place(X_WB, seen_);
    place(X_WB, measured_);
}

void SensedGeoms::place(std::span<const Transformd> X_WB, std::vector<Placed>& geoms) {
    for (Placed& placed : geoms) {
        placed.shape = {&placed.geom->shape, X_WB[placed.geom->body] * placed.geom->X_BG};
        placed.bounds = bounds(placed.geom->shape, placed.shape.X_WG);
    }
}

std::optional<SensedHit> SensedGeoms::cast(const Vec3d& origin, const Vec3d& direction, int exclude) const {
    const Vec3d inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
    std::optional<SensedHit> first;
    double nearest = infinity;
    for (const Placed& placed : seen_) {
        if (placed.geom->body == exclude || !meets(placed.bounds, origin, inverse, nearest)) continue;
        std::optional<SensedHit> hit;
        if (const auto outside = collide::ray_shape(placed.shape, {origin, direction, nearest}))
            hit = SensedHit{outside->t, outside->normal};
        else
            hit = leave(placed.shape, placed.bounds, origin, direction);
        if (!hit || !(hit->distance < nearest)) continue;
        if (placed.geom->shape.type == ShapeType::plane &&
            !is_on_plane(placed.shape, origin + hit->distance * direction))
            continue;
        nearest = hit->distance;
        first = hit;
    }
    return first;
}

std::optional<SensedGap> SensedGeoms::gap(const ObjectRef& from, const ObjectRef& to, double within) const {
    std::optional<SensedGap> nearest;
    for (const Placed& a : measured_) {
        if (!belongs(*a.geom, from)) continue;
        for (const Placed& b : measured_) {
            if (!belongs(*b.geom, to)) continue;
            if (!collide::can_collide(a.shape.shape->type, b.shape.shape->type)) continue;
            const collide::ClosestPoints points = collide::closest_points(a.shape, b.shape);
            if (!(points.distance < within)) continue;
            within = points.distance;
            nearest = SensedGap{points.distance, points.on_a, points.on_b};
        }
    }
    return nearest;
}

}  // namespace lig::sensors
