#pragma once

// The analytic pairs, in the order of ShapeType, and what they share. Each is a ConvexPair of the table in
// narrow_phase.cpp. With an infinite margin its deepest point is one of the nearest, except along edges side
// by side, whose manifold has the ends of what they have in common: for these the nearest points are
// functions of their own.

#include "collide/narrow_phase.h"

#include <cmath>

namespace lig::collide {

// plane_pairs.cpp
ConvexPair plane_sphere, plane_capsule, plane_cylinder, plane_ellipsoid, plane_box, plane_hull;
// sphere_pairs.cpp
ConvexPair sphere_sphere, sphere_capsule, sphere_cylinder, sphere_ellipsoid, sphere_box;
// capsule_pairs.cpp, capsule_box.cpp, box_box.cpp
ConvexPair capsule_capsule, capsule_box, box_box;
using PairDistance = ClosestPoints(const PlacedShape& a, const PlacedShape& b);
PairDistance capsule_capsule_distance, capsule_box_distance, box_box_distance;

// The point at which A meets B from its surface point `on_a` on.
LIG_INLINE ManifoldPoint point_from_a(const Vec3d& on_a, const Vec3d& normal, double distance,
                                      std::uint32_t feature) {
    return {on_a, on_a + distance * normal, distance, feature};
}
LIG_INLINE ManifoldPoint point_from_b(const Vec3d& on_b, const Vec3d& normal, double distance,
                                      std::uint32_t feature) {
    return {on_b - distance * normal, on_b, distance, feature};
}

// What was found in the frame F, in the world.
inline ClosestPoints placed(const Transformd& X_WF, const ClosestPoints& points) {
    const Vec3d on_a = X_WF * points.on_a, n = X_WF.R * points.normal;
    return {points.distance, on_a, on_a + points.distance * n, n};
}
inline void place_manifold(const Transformd& X_WF, PairManifold& manifold) {
    manifold.normal = X_WF.R * manifold.normal;
    for (int i = 0; i < manifold.count; ++i) {
        ManifoldPoint& point = manifold.points[std::size_t(i)];
        point.on_a = X_WF * point.on_a;
        point.on_b = point.on_a + point.distance * manifold.normal;
    }
}

// A manifold of the one point at which round shapes meet.
LIG_INLINE void set_single_point(const Vec3d& normal, const ManifoldPoint& point, PairManifold& out) {
    out.normal = normal;
    out.count = 1;
    out.points[0] = point;
}

}  // namespace lig::collide
