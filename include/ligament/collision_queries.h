#pragma once

// Questions about the geoms of a model where find_contacts last saw them. Geoms that only are to be seen
// (collides = false, or contype and conaffinity 0 and in no pair) are not asked.

#include <ligament/collision.h>

namespace lig {

struct RayHit {
    int geom;
    double distance;  // along the ray, in units of the direction's length
    Vec3d point;
    Vec3d normal;     // of the surface there, against the ray
};
// Which geoms a query sees.
struct QueryFilter {
    int exclude_body = -1;         // −1: none
    unsigned groups = ~0u;         // bit g: geoms of group g; groups above 31 always
};
// The first surface along origin + t · direction, 0 <= t <= max_t. A ray that starts inside a solid leaves it
// unseen until it comes out: surfaces are hit from outside, surfaces of triangles from either side.
std::optional<RayHit> cast_ray(const CollisionWorkspace& ws, const Vec3d& origin, const Vec3d& direction,
                               double max_t, const QueryFilter& filter = {});

struct GeomDistance {
    double distance;      // negative: they overlap
    Vec3d on_a, on_b;     // nearest points, or the deepest along the shortest way out
    Vec3d normal;         // from A to B
};
// Of two geoms of which at most one is a plane, trimesh or heightfield; otherwise nothing.
std::optional<GeomDistance> geom_distance(const CollisionWorkspace& ws, int geom_a, int geom_b);

// The geoms within `margin` of a shape of the given sizes (plane, sphere, capsule, cylinder, ellipsoid, box)
// at a pose, in rising order.
void find_overlaps(const CollisionWorkspace& ws, ShapeType shape, const Vec3d& size, const Transformd& X_WS,
                   double margin, std::vector<int>& geoms, const QueryFilter& filter = {});

// A geom moving with constant velocity: linear of its origin and angular, both in world axes.
struct GeomMotion {
    Transformd X_WG;
    Motion<double> velocity;
};
// When two convex geoms come within `tolerance` of touching, in [0, duration]; nothing when they do not.
// Never later than they touch. Where two pass each other so closely and spin so fast that the search is given
// up, it is the time up to which they certainly do not.
std::optional<double> time_of_impact(const CollisionWorkspace& ws, int geom_a, const GeomMotion& motion_a,
                                     int geom_b, const GeomMotion& motion_b, double duration,
                                     double tolerance);

}  // namespace lig
