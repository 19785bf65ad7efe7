// A sphere against the shapes whose nearest surface point to its centre c has a closed form, or nearly so.
// With q that point and o the outward normal there, the sphere is dot(o, c − q) − r away and meets the other
// at q. All is computed in the other shape's frame; a centre inside has its shortest way out:
//   sphere, capsule   the nearest point of the core, then by the radius along the line between
//   cylinder, box     outside: c clamped to the shape; inside: the nearest of cap and side, or of the faces
//   ellipsoid         below
// Where the way out is not unique (a centre on an axis), an axis of the other shape is taken.
//
// Ellipsoid Σ (q_i/s_i)² = 1. The nearest point has c − q along the normal, c_i − q_i = t q_i / s_i², hence
//   q_i = s_i² c_i / (s_i² + t),   N(t) = Σ p_i² = 1  with  p_i = s_i c_i / (s_i² + t),
// t the largest root, above −m², m the smallest semiaxis: t < 0 inside. The unknown is τ = t + m² > 0, so
// that s_i² + t = τ + (s_i − m)(s_i + m) loses no digits when τ is small. Every single term shows τ >= s_i
// |c_i| − (s_i² − m²), and from such a lower bound Newton's method on 1/√N, which is nearly a line, rises to
// the root and never beyond:  τ += (√N − 1) N / Σ p_i² / (s_i² + t).  It ends where it rises no more, after a
// handful of steps. When c has nothing along the shortest axes and the rest leaves N < 1 at τ = 0, there is
// no root: q then leaves the plane of symmetry, either way, by what N lacks.

#include "collide/pairs.h"
#include "collide/segment_box.h"

#include <algorithm>

namespace lig::collide {

namespace {

// Of a capsule's length: how far from its axis a point must be for the direction to be good to 13 digits, and
// to mean anything.
constexpr double clear_of_rounding = 1e-3, lost_in_rounding = 1e-14;

// The sphere A meets B, whose surface nearest to A's centre has the outward normal `out_W` and is `away` from
// it.
LIG_INLINE bool meet(const PlacedShape& sphere, double away, const Vec3d& out_W, double margin,
                     PairManifold& out) {
    const double distance = away - sphere.shape->size.x;
    if (!(distance <= margin)) return false;
    set_single_point(-out_W, point_from_b(sphere.X_WG.p - away * out_W, -out_W, distance, 0), out);
    return true;
}

struct SurfacePoint {
    double away;  // of c, negative inside
    Vec3d out;    // the outward normal
};

SurfacePoint nearest_of_cylinder(const Vec3d& c, double r, double h) {
    const double radial = std::sqrt(c.x * c.x + c.y * c.y);
    const Vec3d side = radial > 0 ? Vec3d{c.x / radial, c.y / radial, 0} : Vec3d{1, 0, 0};
    const double beyond_side = radial - r, beyond_cap = std::abs(c.z) - h;
    const double cap = c.z < 0 ? -1 : 1;
    if (beyond_side <= 0 && beyond_cap <= 0) {
        if (beyond_cap >= beyond_side) return {beyond_cap, {0, 0, cap}};
        return {beyond_side, side};
    }
    if (beyond_cap <= 0) return {beyond_side, side};
    if (beyond_side <= 0) return {beyond_cap, {0, 0, cap}};
    const double away = std::sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
    return {away, (beyond_side / away) * side + Vec3d{0, 0, cap * beyond_cap / away}};
}

SurfacePoint nearest_of_ellipsoid(const Vec3d& c, const Vec3d& s) {
    const double shortest = std::min({s.x, s.y, s.z});
    Vec3d gap;  // s_i² − m²
    for (int i = 0; i < 3; ++i) gap[i] = (s[i] - shortest) * (s[i] + shortest);

    double tau = 0, square_at_zero = 0;
    int shortest_axis = -1;
    bool has_root = false;
    for (int i = 0; i < 3; ++i) {
        if (gap[i] == 0 && shortest_axis < 0) shortest_axis = i;
        if (c[i] == 0) continue;
        tau = std::max(tau, s[i] * std::abs(c[i]) - gap[i]);
        if (gap[i] == 0) {
            has_root = true;
        } else {
            const double p = s[i] * c[i] / gap[i];
            square_at_zero += p * p;
        }
    }
    has_root = has_root || square_at_zero > 1;

    Vec3d normal = Vec3d::zero();  // q_i / s_i², not of unit length
    if (has_root) {
        // Rounding ends it after four or five steps. Where N − 1 at τ = 0 is nearly nothing, τ has to grow
        // by orders of magnitude and nearly doubles with every step: some thirty for all digits there are.
        for (int step = 0; step < 100; ++step) {
            double square = 0, weighted = 0;
            for (int i = 0; i < 3; ++i) {
                if (c[i] == 0) continue;
                const double w = 1 / (tau + gap[i]), p = s[i] * c[i] * w;
                square += p * p;
                weighted += p * p * w;
            }
            const double next = tau + (std::sqrt(square) - 1) * square / weighted;
            if (!(next > tau)) break;
            tau = next;
        }
        for (int i = 0; i < 3; ++i)
            if (c[i] != 0) normal[i] = c[i] / (tau + gap[i]);
    } else {
        for (int i = 0; i < 3; ++i)
            if (gap[i] != 0) normal[i] = c[i] / gap[i];
        normal[shortest_axis] = std::sqrt(1 - square_at_zero) / shortest;
    }
    const double length = std::sqrt(dot(normal, normal));
    const double t = tau - shortest * shortest;
    return {t * length, (1 / length) * normal};
}

}  // namespace

bool sphere_sphere(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const double r_a = a.shape->size.x, r_b = b.shape->size.x;
    const Vec3d d = b.X_WG.p - a.X_WG.p;
    const double square = dot(d, d), reach = r_a + r_b + margin;
    if (!(square <= reach * reach)) return false;
    const double length = std::sqrt(square);
    const Vec3d n = length > 0 ? (1 / length) * d : a.X_WG.R.z;
    const double distance = length - r_a - r_b;
    set_single_point(n, point_from_a(a.X_WG.p + r_a * n, n, distance, 0), out);
    return distance <= margin;
}

bool sphere_capsule(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const double r_a = a.shape->size.x, r_b = b.shape->size.x, h = b.shape->size.y;
    const Vec3d& along = b.X_WG.R.z;
    const Vec3d from_center = b.X_WG.p - a.X_WG.p;
    const double t = clamped(-dot(from_center, along), h);
    const Vec3d d = from_center + t * along;
    const double square = dot(d, d), reach = r_a + r_b + margin;
    if (!(square <= reach * reach)) return false;
    const double length = std::sqrt(square);
    Vec3d n;
    if (length > clear_of_rounding * h || std::abs(dot(along, d)) > lost_in_rounding * h) {
        n = (1 / length) * d;
    } else {
        // So near the axis, rounding has a say in d. It is to be square to the axis.
        const Vec3d across = d - dot(along, d) * along;
        const double radial = std::sqrt(dot(across, across));
        n = radial > lost_in_rounding * h ? (1 / radial) * across : b.X_WG.R.x;
    }
    const double distance = length - r_a - r_b;
    set_single_point(n, point_from_a(a.X_WG.p + r_a * n, n, distance, 0), out);
    return distance <= margin;
}

bool sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Vec3d c = transpose_mul(b.X_WG.R, a.X_WG.p - b.X_WG.p);
    const SurfacePoint nearest = nearest_of_cylinder(c, b.shape->size.x, b.shape->size.y);
    return meet(a, nearest.away, b.X_WG.R * nearest.out, margin, out);
}

bool sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Vec3d c = transpose_mul(b.X_WG.R, a.X_WG.p - b.X_WG.p);
    const SurfacePoint nearest = nearest_of_ellipsoid(c, b.shape->size);
    return meet(a, nearest.away, b.X_WG.R * nearest.out, margin, out);
}

bool sphere_box(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Vec3d& e = b.shape->size;
    const Vec3d c = transpose_mul(b.X_WG.R, a.X_WG.p - b.X_WG.p);
    const Vec3d beyond = excess_over_box(c, e);
    const double square = dot(beyond, beyond), reach = a.shape->size.x + margin;
    if (square > reach * reach) return false;
    if (square > 0) {
        const double away = std::sqrt(square);
        return meet(a, away, b.X_WG.R * ((1 / away) * beyond), margin, out);
    }
    int nearest = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(c[i]) - e[i] > std::abs(c[nearest]) - e[nearest]) nearest = i;
    const Vec3d& axis = (&b.X_WG.R.x)[nearest];
    return meet(a, std::abs(c[nearest]) - e[nearest], c[nearest] < 0 ? -axis : axis, margin, out);
}

}  // namespace lig::collide
