// Rays against convex shapes. Each is what is common to a few simpler sets that a ray enters and leaves once
// (half spaces, balls, infinite cylinders): it enters the shape where it enters the last of them, if it has
// not left one before. A capsule is the exception, see there.

#include "collide/ray.h"

#include "collide/ray_local.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A start this near to the surface, relative to the distances that enter, is on it.
constexpr double on_surface = 1e-14;

// The part of a ray's line that is in some convex set.
struct Span {
    double enter = -infinity, leave = infinity;
    Vec3d normal{0, 0, 0};  // where it enters

    void cut(double from, double to, const Vec3d& normal_there) {
        if (from > enter) {
            enter = from;
            normal = normal_there;
        }
        leave = std::min(leave, to);
    }
    void clear() { leave = -infinity; }

    // dot(n, x) <= offset.
    void cut_by_half_space(const LocalRay& ray, const Vec3d& n, double offset) {
        const double speed = dot(n, ray.direction), outside = dot(n, ray.origin) - offset;
        if (speed < 0)
            cut(-outside / speed, infinity, n);
        else if (speed > 0)
            leave = std::min(leave, -outside / speed);
        else if (outside > 0)
            clear();
    }
    // |x[axis]| <= half.
    void cut_by_slab(const LocalRay& ray, int axis, double half) {
        Vec3d n{0, 0, 0};
        n[axis] = 1;
        cut_by_half_space(ray, n, half);
        cut_by_half_space(ray, -n, half);
    }

    // `size`: how large the numbers were that cancelled each other.
    std::optional<LocalHit> hit(const LocalRay& ray, double size) const {
        if (!(enter <= leave) || !(leave > 0)) return std::nullopt;
        if (!(enter >= -on_surface * size) || !(enter <= ray.length)) return std::nullopt;
        return LocalHit{std::max(enter, 0.0), normal};
    }
};

// Where a line is within r of the origin, from its point nearest to it: in three dimensions a ball, in two a
// cylinder (with z = 0 in both vectors). `u` need not be of unit length. Nothing when it stays outside.
struct Chord {
    double enter, leave;
};
std::optional<Chord> chord(const Vec3d& p, const Vec3d& u, double r) {
    const double uu = dot(u, u);
    if (!(uu > 0)) {
        if (dot(p, p) > r * r) return std::nullopt;
        return Chord{-infinity, infinity};
    }
    const double middle = -dot(p, u) / uu;
    const Vec3d nearest = p + middle * u;
    const double distance = std::sqrt(dot(nearest, nearest));
    if (!(distance <= r)) return std::nullopt;
    const double half = std::sqrt((r - distance) * (r + distance) / uu);
    return Chord{middle - half, middle + half};
}

double size_of(const Vec3d& a) { return std::abs(a.x) + std::abs(a.y) + std::abs(a.z); }

std::optional<LocalHit> ray_ball(const LocalRay& ray, const Vec3d& center, double r) {
    const Vec3d p = ray.origin - center;
    const std::optional<Chord> inside = chord(p, ray.direction, r);
    if (!inside) return std::nullopt;
    const Vec3d n = p + inside->enter * ray.direction;
    Span span;
    span.cut(inside->enter, inside->leave, (1 / std::sqrt(dot(n, n))) * n);
    return span.hit(ray, size_of(p) + r);
}

Vec3d level(const Vec3d& a) { return {a.x, a.y, 0}; }

}  // namespace

std::optional<LocalHit> ray_plane(const CollisionShape&, const LocalRay& ray) {
    Span span;
    span.cut_by_half_space(ray, {0, 0, 1}, 0);
    return span.hit(ray, size_of(ray.origin));
}

std::optional<LocalHit> ray_sphere(const CollisionShape& shape, const LocalRay& ray) {
    return ray_ball(ray, {0, 0, 0}, shape.size.x);
}

std::optional<LocalHit> ray_capsule(const CollisionShape& shape, const LocalRay& ray) {
    const double r = shape.size.x, h = shape.size.y;
    const std::optional<Chord> inside = chord(level(ray.origin), level(ray.direction), r);
    if (!inside) return std::nullopt;
    // All of it lies in an infinite cylinder. A line that comes in beside the capsule's axis enters there;
    // one that comes in beyond an end enters through the ball at that end if at all.
    const double z = ray.origin.z + inside->enter * ray.direction.z;
    const bool along_axis = !(inside->enter > -infinity);
    if (!along_axis && std::abs(z) <= h) {
        const Vec3d n = level(ray.origin + inside->enter * ray.direction);
        Span span;
        span.cut(inside->enter, inside->leave, (1 / std::sqrt(dot(n, n))) * n);
        return span.hit(ray, size_of(ray.origin) + r + h);
    }
    const bool from_above = along_axis ? ray.direction.z < 0 : z > 0;
    return ray_ball(ray, {0, 0, from_above ? h : -h}, r);
}

std::optional<LocalHit> ray_cylinder(const CollisionShape& shape, const LocalRay& ray) {
    const double r = shape.size.x, h = shape.size.y;
    const std::optional<Chord> inside = chord(level(ray.origin), level(ray.direction), r);
    if (!inside) return std::nullopt;
    Span span;
    if (inside->enter > -infinity) {
        const Vec3d n = level(ray.origin + inside->enter * ray.direction);
        span.cut(inside->enter, inside->leave, (1 / std::sqrt(dot(n, n))) * n);
    }
    span.cut_by_slab(ray, 2, h);
    return span.hit(ray, size_of(ray.origin) + r + h);
}

// In the axes divided by the sizes it is the unit ball, and lengths along the ray are the same.
std::optional<LocalHit> ray_ellipsoid(const CollisionShape& shape, const LocalRay& ray) {
    const Vec3d& s = shape.size;
    const auto scaled = [&](const Vec3d& a) { return Vec3d{a.x / s.x, a.y / s.y, a.z / s.z}; };
    const Vec3d p = scaled(ray.origin), u = scaled(ray.direction);
    const std::optional<Chord> inside = chord(p, u, 1);
    if (!inside) return std::nullopt;
    const Vec3d n = scaled(p + inside->enter * u);
    Span span;
    span.cut(inside->enter, inside->leave, (1 / std::sqrt(dot(n, n))) * n);
    return span.hit(ray, size_of(ray.origin) + size_of(s));
}

std::optional<LocalHit> ray_box(const CollisionShape& shape, const LocalRay& ray) {
    Span span;
    for (int axis = 0; axis < 3; ++axis) span.cut_by_slab(ray, axis, shape.size[axis]);
    return span.hit(ray, size_of(ray.origin) + size_of(shape.size));
}

std::optional<LocalHit> ray_mesh(const CollisionShape& shape, const LocalRay& ray) {
    const HullGeometry& hull = *shape.hull;
    Span span;
    for (int f = 0; f < hull.face_count() && span.enter <= span.leave; ++f)
        span.cut_by_half_space(ray, hull.face_normals[f], hull.face_offsets[f]);
    return span.hit(ray, size_of(ray.origin) + size_of(hull.bounds.lower) + size_of(hull.bounds.upper));
}

std::optional<ShapeHit> ray_shape(const PlacedShape& shape, const Ray& ray) {
    // Divided by the largest component first: squares of very small or large ones have no place.
    const Vec3d& d = ray.direction;
    const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    if (!(largest > 0) || !(largest < infinity) || !(ray.max_t >= 0)) return std::nullopt;
    const Vec3d part{d.x / largest, d.y / largest, d.z / largest};
    const double part_length = std::sqrt(dot(part, part));
    const Mat3d& R = shape.X_WG.R;
    const double length = ray.max_t * largest * part_length;
    const LocalRay local{transpose_mul(R, ray.origin - shape.X_WG.p),
                         transpose_mul(R, (1 / part_length) * part), length};

    std::optional<LocalHit> hit;
    switch (shape.shape->type) {
#define LIG_RAY_CASE(type, Shape) \
    case ShapeType::type: hit = ray_##type(*shape.shape, local); break;
        LIG_FOR_EACH_SHAPE(LIG_RAY_CASE)
#undef LIG_RAY_CASE
    }
    if (!hit) return std::nullopt;
    const double t = hit->at / part_length / largest;
    return ShapeHit{std::min(t, ray.max_t), R * hit->normal};
}

}  // namespace lig::collide
