// Rays, nearest points, overlaps and times of impact of the geoms in a workspace.

#include <ligament/collision_queries.h>

#include "collide/ray.h"
#include "collide/time_of_impact.h"
#include "collide/workspace.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_mass.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace lig {

using namespace collide;

namespace {

const CollisionWorkspace::Inside& placed_geoms(const CollisionWorkspace& ws, const char* who) {
    if (!ws.inside().started)
        throw std::logic_error(std::string(who) + ": find_contacts has not told yet where the geoms are");
    return ws.inside();
}

// The index in the collision model of a geom of the model.
int colliding(const CollisionModel& model, int geom, const char* who) {
    if (geom < 0 || geom >= static_cast<int>(model.index_of.size()))
        throw std::out_of_range(std::string(who) + ": there is no geom " + std::to_string(geom));
    const int index = model.index_of[geom];
    if (index < 0)
        throw std::invalid_argument(std::string(who) + ": geom " + std::to_string(geom) +
                                    " takes no part in collisions");
    return index;
}

bool sees(const QueryFilter& filter, const CollisionModel::Geom& geom, const Model& model) {
    if (geom.body == filter.exclude_body) return false;
    const int group = model.geoms[geom.geom].spec.group;
    return group < 0 || group > 31 || (filter.groups >> group & 1u) != 0;
}

// Whether a ray meets a box between 0 and `max_t`. Slabs: a direction of 0 gives infinities of the right
// signs, and 0 · ∞ gives NaN, which the order of min and max lets pass.
bool ray_meets(const FloatBox& box, const Vec3d& origin, const Vec3d& inverse, double max_t) {
    double from = 0, to = max_t;
    for (int k = 0; k < 3; ++k) {
        const double one = (box.lower[k] - origin[k]) * inverse[k];
        const double two = (box.upper[k] - origin[k]) * inverse[k];
        from = std::max(from, std::min(one, two));
        to = std::min(to, std::max(one, two));
    }
    // Boxes are rounded outwards by more than these products are off.
    return !(from > to);
}

}  // namespace

std::optional<RayHit> cast_ray(const CollisionWorkspace& ws, const Vec3d& origin, const Vec3d& direction,
                               double max_t, const QueryFilter& filter) {
    const CollisionWorkspace::Inside& in = placed_geoms(ws, "lig::cast_ray");
    const Vec3d inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
    std::optional<RayHit> first;
    double nearest = max_t;
    in.broad.find_if([&](const FloatBox& box) { return ray_meets(box, origin, inverse, nearest); },
                     [&](int k) {
                         const CollisionModel::Geom& geom = in.model.geoms[k];
                         if (!sees(filter, geom, ws.model())) return;
                         const auto hit = ray_shape(in.placed[k], {origin, direction, nearest});
                      // Of equals the first geom counts, whatever the tree's order.
                         if (!hit || (first && hit->t == nearest && first->geom < geom.geom)) return;
                         nearest = hit->t;
                         first = RayHit{geom.geom, hit->t, origin + hit->t * direction, hit->normal};
                     });
    return first;
}

std::optional<GeomDistance> geom_distance(const CollisionWorkspace& ws, int geom_a, int geom_b) {
    constexpr const char* who = "lig::geom_distance";
    const CollisionWorkspace::Inside& in = placed_geoms(ws, who);
    const PlacedShape& a = in.placed[colliding(in.model, geom_a, who)];
    const PlacedShape& b = in.placed[colliding(in.model, geom_b, who)];
    if (!can_collide(a.shape->type, b.shape->type)) return std::nullopt;
    const ClosestPoints points = closest_points(a, b);
    return GeomDistance{points.distance, points.on_a, points.on_b, points.normal};
}

void find_overlaps(const CollisionWorkspace& ws, ShapeType shape, const Vec3d& size, const Transformd& X_WS,
                   double margin, std::vector<int>& geoms, const QueryFilter& filter) {
    const CollisionWorkspace::Inside& in = placed_geoms(ws, "lig::find_overlaps");
    if (shape != ShapeType::plane && shape_size_count(shape) == 0)
        throw std::invalid_argument("lig::find_overlaps: the sizes of a " + std::string(shape_name(shape)) +
                                    " do not tell its shape");
    if (const auto trouble = shape_size_error(shape, size))
        throw std::invalid_argument("lig::find_overlaps: " + *trouble);
    const CollisionShape asked{.type = shape, .size = size};
    const PlacedShape placed{&asked, X_WS};
    const FloatBox box = FloatBox::around(bounds(asked, X_WS).grown(margin));
    NarrowOutput found;
    geoms.clear();
    in.broad.find_if([&](const FloatBox& node) { return overlap(node, box); },
                     [&](int k) {
                         if (!sees(filter, in.model.geoms[k], ws.model())) return;
                         found.manifolds.clear();
                         collide_shapes(placed, in.placed[k], margin, found);
                         if (!found.manifolds.empty()) geoms.push_back(in.model.geoms[k].geom);
                     });
    std::sort(geoms.begin(), geoms.end());
}

std::optional<double> time_of_impact(const CollisionWorkspace& ws, int geom_a, const GeomMotion& motion_a,
                                     int geom_b, const GeomMotion& motion_b, double duration,
                                     double tolerance) {
    constexpr const char* who = "lig::time_of_impact";
    const CollisionModel& model = ws.inside().model;
    const CollisionShape& a = model.geoms[colliding(model, geom_a, who)].shape;
    const CollisionShape& b = model.geoms[colliding(model, geom_b, who)].shape;
    if (!is_convex(a.type) || !is_convex(b.type))
        throw std::invalid_argument(std::string(who) + ": geoms " + std::to_string(geom_a) + " and " +
                                    std::to_string(geom_b) + " are not both convex");
    const auto touch = convex_time_of_impact({&a, motion_a.X_WG, motion_a.velocity},
                                             {&b, motion_b.X_WG, motion_b.velocity}, duration, tolerance);
    return touch ? std::optional(touch->time) : std::nullopt;
}

}  // namespace lig
