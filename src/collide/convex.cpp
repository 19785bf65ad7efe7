// Shapes are cores with a radius around them. The cores' distance d along n is that of the shapes plus both
// radii; the same holds of the depth, because a ball grows every direction of the set of differences alike.
// So the search for the shortest way out is only needed where cores overlap: not for spheres and capsules
// that overlap less than their radii.

#include "collide/convex.h"

#include "collide/epa.h"
#include "collide/face_manifold.h"
#include "collide/gjk.h"

#include <cmath>

namespace lig::collide {

namespace {

// GJK's bounds meet, relative to the size of the set of differences. Where rounding keeps them apart, the
// direction is followed on from there.
constexpr double accuracy = 1e-14, bounds_meet = 1e-13;
// Cores so near that rounding may have led to a wrong direction altogether.
constexpr double hardly_apart = 1e-9;

// A face or edge is taken for the manifold when it is this near to square to the normal (sine of the angle).
// Points that are not within the margin are dropped later, so this only bounds the work.
constexpr double face_slope = 0.1;

// In the frame of A. Nothing: farther apart than the limit.
std::optional<ClosestPoints> shape_distance(const CorePair& pair, double radius_a, double radius_b,
                                            double limit) {
    const double radii = radius_a + radius_b;
    const GjkResult found = gjk(pair, {.limit = limit + radii, .accuracy = accuracy});
    if (found.kind == GjkResult::Kind::beyond) return std::nullopt;

    ClosestPoints points;
    const bool is_apart = found.kind == GjkResult::Kind::apart;
    if (is_apart) {
        points.normal = found.normal;
        points.distance = found.upper - radii;
        points.on_a = nearest_on_a(found.simplex) + radius_a * points.normal;
    }
    if (!is_apart || found.upper - found.lower > bounds_meet * found.size) {
        const bool close = !is_apart || found.upper <= hardly_apart * found.size;
        const Penetration overlap =
            close ? penetration(pair, found) : local_penetration(pair, found.normal, found.size);
        if (close || -overlap.depth > found.lower) {
            points.normal = overlap.normal;
            points.distance = -overlap.depth - radii;
            points.on_a = overlap.on_a + radius_a * points.normal;
        }
    }
    points.on_b = points.on_a + points.distance * points.normal;
    if (!(points.distance <= limit)) return std::nullopt;
    return points;
}

Transformd seen_from(const Transformd& X_WA, const Transformd& X_WB) {
    return {transpose_mul(X_WA.R, X_WB.R), transpose_mul(X_WA.R, X_WB.p - X_WA.p)};
}

ClosestPoints turned(const Mat3d& R, const ClosestPoints& points) {
    return {points.distance, R * points.on_a, R * points.on_b, R * points.normal};
}
ClosestPoints moved(const Vec3d& by, const ClosestPoints& points) {
    return {points.distance, points.on_a + by, points.on_b + by, points.normal};
}

void place(const Transformd& X, SupportingFace& face) {
    for (int i = 0; i < face.count; ++i) face.points[i] = X * face.points[i];
    face.normal = X.R * face.normal;
}

}  // namespace

std::optional<ClosestPoints> convex_distance_within(const PlacedShape& a, const PlacedShape& b,
                                                    double limit) {
    const CorePair pair(*a.shape, *b.shape, seen_from(a.X_WG, b.X_WG));
    const auto points = shape_distance(pair, core_radius(*a.shape), core_radius(*b.shape), limit);
    if (!points) return std::nullopt;
    return moved(a.X_WG.p, turned(a.X_WG.R, *points));
}

ClosestPoints convex_distance(const PlacedShape& a, const PlacedShape& b) {
    return *convex_distance_within(a, b, std::numeric_limits<double>::infinity());
}

std::optional<ClosestPoints> convex_triangle_distance(const PlacedShape& a,
                                                      const std::array<Vec3d, 3>& triangle, double limit) {
    std::array<Vec3d, 3> seen;
    for (int i = 0; i < 3; ++i) seen[i] = transpose_mul(a.X_WG.R, triangle[i] - a.X_WG.p);
    const auto points = shape_distance(CorePair(*a.shape, seen), core_radius(*a.shape), 0, limit);
    if (!points) return std::nullopt;
    return moved(a.X_WG.p, turned(a.X_WG.R, *points));
}

bool collide_convex(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const double radius_a = core_radius(*a.shape), radius_b = core_radius(*b.shape);
    const CorePair pair(*a.shape, *b.shape, seen_from(a.X_WG, b.X_WG));
    const auto points = shape_distance(pair, radius_a, radius_b, margin);
    if (!points) return false;

    // World axes about the origin of A: the manifold's digits do not depend on where in the world it is.
    const ClosestPoints witness = turned(a.X_WG.R, *points);
    SupportingFace face_a, face_b;
    supporting_face(*a.shape, transpose_mul(a.X_WG.R, witness.normal), face_slope, face_a);
    supporting_face(*b.shape, transpose_mul(b.X_WG.R, -witness.normal), face_slope, face_b);
    place({a.X_WG.R, Vec3d::zero()}, face_a);
    place({b.X_WG.R, b.X_WG.p - a.X_WG.p}, face_b);
    if (!manifold_of_faces({face_a, face_b, radius_a, radius_b}, margin, witness, out)) return false;
    for (int i = 0; i < out.count; ++i) {
        out.points[i].on_a += a.X_WG.p;
        out.points[i].on_b += a.X_WG.p;
    }
    return true;
}

}  // namespace lig::collide
