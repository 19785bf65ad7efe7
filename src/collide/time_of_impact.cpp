// Conservative advancement [Mirtich 1996]. At a time t the shapes are d apart along n. The distance of the
// shapes is never less than that of their shadows on n,
//   f(t) = n·p(t) − h_A(n) − h_B(−n)   (p from origin to origin, h the support functions of the turning
//   shapes),
// and f falls no faster than L = −n·(v_B − v_A) + |n × ω_A| ρ_A + |n × ω_B| ρ_B, since a point r of a body
// that turns about its origin moves along n by n·(ω × r) = r·(n × ω), |r| <= ρ. So nothing touches before t
// + f / L. The same n serves for several such steps, which only ask for support points; when most of f is
// used up, the distance and with it n are computed anew. Aiming at half the tolerance lets the steps end:
// they stop as soon as the distance is within the tolerance.
//
// Without spin the first n of two flat faces is exact; with it, steps shrink only where the shapes are near.

#include "collide/time_of_impact.h"

#include "collide/convex.h"
#include "core/length.h"
#include "core/rotation.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>

namespace lig::collide {

namespace {

constexpr int max_distances = 256;
constexpr int max_steps_along_normal = 64;
constexpr double min_tolerance = 1e-12;

// How far the core reaches from the shape's origin, from above: the sphere around it turns in place.
double core_reach(const CollisionShape& shape) {
    const Bounds box = bounds(shape, Transformd::identity());
    const double radius = core_radius(shape);
    Vec3d most;
    for (int i = 0; i < 3; ++i) most[i] = std::max({-box.lower[i] - radius, box.upper[i] - radius, 0.0});
    return std::sqrt(dot(most, most));
}

double shadow(const PlacedShape& a, const Vec3d& n) {
    const Vec3d d = transpose_mul(a.X_WG.R, n);
    return dot(d, core_support(*a.shape, d)) + dot(n, a.X_WG.p) + core_radius(*a.shape);
}

}  // namespace

Transformd pose_after(const MovingShape& moving, double time) {
    return {rotation_matrix(rotation_exp(time * moving.velocity.ang)) * moving.X_WG.R,
            moving.X_WG.p + time * moving.velocity.lin};
}

std::optional<TimeOfImpact> convex_time_of_impact(const MovingShape& a, const MovingShape& b, double duration,
                                                  double tolerance) {
    // Seen from A's origin, which then rests: positions far from the world's origin cost no digits.
    MovingShape turning = a, passing = b;
    turning.X_WG.p = Vec3d::zero();
    turning.velocity.lin = Vec3d::zero();
    passing.X_WG.p = b.X_WG.p - a.X_WG.p;
    passing.velocity.lin = b.velocity.lin - a.velocity.lin;

    const double reach_a = core_reach(*a.shape), reach_b = core_reach(*b.shape);
    const double size = reach_a + reach_b + core_radius(*a.shape) + core_radius(*b.shape);
    tolerance = std::max(tolerance, min_tolerance * size);
    const double aim = 0.5 * tolerance;

    TimeOfImpact result{0, 0, false, 0};
    double& t = result.time;
    PlacedShape placed_a{a.shape, turning.X_WG}, placed_b{b.shape, passing.X_WG};
    const auto place_at = [&](double time) {
        placed_a.X_WG = pose_after(turning, time);
        placed_b.X_WG = pose_after(passing, time);
    };
    for (;;) {
        const ClosestPoints nearest = convex_distance(placed_a, placed_b);
        result.distance = nearest.distance;
        ++result.distances;
        if (nearest.distance <= tolerance) return result;
        if (t >= duration) return std::nullopt;
        if (result.distances == max_distances) {
            result.exhausted = true;
            return result;
        }

        const Vec3d& n = nearest.normal;
        const double approach = -dot(n, passing.velocity.lin) +
                                length(cross(n, turning.velocity.ang)) * reach_a +
                                length(cross(n, passing.velocity.ang)) * reach_b;
        const double used_up = aim + 0.25 * (nearest.distance - aim);
        double apart = nearest.distance;
        for (int step = 0; step < max_steps_along_normal && apart > used_up; ++step) {
            const double next = approach > 0 ? t + (apart - aim) / approach : duration;
            if (!(next < duration)) {
                t = duration;
                place_at(t);
                break;
            }
            // So near to each other that time has no more digits.
            if (next <= t) {
                result.exhausted = true;
                return result;
            }
            t = next;
            place_at(t);
            apart = -shadow(placed_a, n) - shadow(placed_b, -n);
        }
    }
}

}  // namespace lig::collide
