// Two capsules: the distance of their segments, less both radii.
//
// Segments x = s u, |s| <= h_a, and y = d + t v, |t| <= h_b, with unit u and v and d from centre to centre.
// The squared distance |d + t v − s u|² is convex. Its minimum over t for given s is at t = s b − d·v, b =
// u·v; put in, what remains is |d⊥ − s w|², with d⊥ = d − (d·v) v and w = u − b v, least at
//   s = (d⊥·w) / (w·w).
// Clamped to |s| <= h_a this gives t; if t has to be clamped too, s is once more the best for that t. That is
// exact: the clamped minimum of a convex quadratic over a rectangle lies on the side that t crosses first.
//
// Nearly parallel axes make w small, of length σ = sin ∠(u, v). Written with d⊥ and w (and not with products
// like d·u − b d·v over 1 − b²), the error of s is about ε (L/σ + D/σ²) for segments of length L at distance
// D. In the squared distance it counts with σ², so D is off by no more than about ε L, for any angle.
//
// Side by side, capsules touch along a line, and both ends of what they have in common become points. The
// common normal is still that of the nearest points; the lines part from each other sideways with the rate λ
// = |w − (w·n) n|, and the line of contact ends where they have parted by `parting` of the radii, for there
// the round surfaces are no longer near each other.

#include "collide/pairs.h"
#include "collide/segment_box.h"

#include <algorithm>
#include <limits>

namespace lig::collide {

namespace {

constexpr double side_by_side = 2e-2;  // sine of the angle between the axes
constexpr double parting = 0.1;
constexpr double short_overlap = 1e-6;  // of the radii: a line of contact shorter than that is a point
// Of the axes' lengths: distances between the axes from which their direction is good to 13 digits, and below
// which it means nothing.
constexpr double clear_of_rounding = 1e-3, lost_in_rounding = 1e-13;
constexpr double parallel = 1e-10;  // sine below which two axes have no direction across both

// The nearest points of the axes of A and B.
struct AxisPoints {
    double s, t;
    Vec3d normal;
    double apart;
    double cosine;  // between the axes
    Vec3d w;
};

// The direction between axes so near each other that rounding has a say in the difference `apart` of their
// nearest points. It is square to every axis that is met between its ends. Where the axes meet, across both
// is always a way out, and no other is shorter.
Vec3d normal_of_meeting_axes(const PlacedShape& a, const PlacedShape& b, const AxisPoints& nearest,
                             const Vec3d& apart) {
    const Vec3d &u = a.X_WG.R.z, &v = b.X_WG.R.z;
    const double h_a = a.shape->size.y, h_b = b.shape->size.y;
    const auto across = [](const Vec3d& axis, const Vec3d& d) { return d - dot(axis, d) * axis; };
    const auto length = [](const Vec3d& d) { return std::sqrt(dot(d, d)); };
    const bool within_a = std::abs(nearest.s) < h_a, within_b = std::abs(nearest.t) < h_b;
    if ((within_a && within_b) || nearest.apart <= lost_in_rounding * (h_a + h_b)) {
        const Vec3d n = across(u, cross(u, v));
        const double sine = length(n);
        if (sine > parallel) return (dot(n, apart) < 0 ? -1 / sine : 1 / sine) * n;
        const Vec3d between = across(u, apart);
        const double far = length(between);
        return far > lost_in_rounding * (h_a + h_b) ? (1 / far) * between : a.X_WG.R.x;
    }
    const Vec3d n = within_a ? across(u, apart) : within_b ? across(v, apart)
                                                           : apart;
    return (1 / length(n)) * n;
}

// Both ends of the line of contact of two capsules side by side; the end towards the nearest points is
// exactly there. Features 1 and 2: against and along the axis of A.
void add_line_contact(const PlacedShape& a, const PlacedShape& b, const AxisPoints& nearest, double margin,
                      PairManifold& out) {
    const Vec3d &u = a.X_WG.R.z, &v = b.X_WG.R.z, &n = nearest.normal, &w = nearest.w;
    const double cosine = nearest.cosine;
    const double h_a = a.shape->size.y, h_b = b.shape->size.y;
    const double r_a = a.shape->size.x, radii = r_a + b.shape->size.x;
    const Vec3d d = b.X_WG.p - a.X_WG.p;
    const double middle = dot(d, u), half = h_b * std::abs(cosine);
    double ends[2] = {std::max(-h_a, middle - half), std::min(h_a, middle + half)};

    const double rise = dot(w, n);
    const double side_rate = std::sqrt(dot(w, w) - std::min(dot(w, w), rise * rise));
    if (side_rate * (h_a + h_b) > parting * radii) {
        const double reach = parting * radii / side_rate;
        ends[0] = std::max(ends[0], nearest.s - reach);
        ends[1] = std::min(ends[1], nearest.s + reach);
    }
    if (!(ends[1] - ends[0] > short_overlap * radii)) return;

    // Axes that cross are equally far apart along n everywhere. Otherwise the nearest points are at one end.
    const bool crossing = std::abs(nearest.s) < h_a && std::abs(nearest.t) < h_b;
    const int nearest_end = nearest.s - ends[0] <= ends[1] - nearest.s ? 0 : 1;
    const double closest = nearest.apart - radii;
    out.count = 0;
    for (int end = 0; end < 2; ++end) {
        double s = ends[end], distance = closest;
        if (!crossing && end == nearest_end) {
            s = nearest.s;
        } else if (!crossing) {
            const double t = clamped(s * cosine - dot(d, v), h_b);
            distance = std::max(closest, dot(n, d + t * v - s * u) - radii);
        }
        if (distance <= margin)
            out.points[out.count++] =
                point_from_a(a.X_WG.p + s * u + r_a * n, n, distance, std::uint32_t(1 + end));
    }
}

// False: the axes are farther apart than `reach`.
LIG_INLINE bool find_nearest(const PlacedShape& a, const PlacedShape& b, double reach, AxisPoints& nearest) {
    const Vec3d &u = a.X_WG.R.z, &v = b.X_WG.R.z;
    const double h_a = a.shape->size.y, h_b = b.shape->size.y;
    const Vec3d d = b.X_WG.p - a.X_WG.p;
    const double farthest = reach + h_a + h_b;
    if (!(dot(d, d) <= farthest * farthest)) return false;

    const double cosine = dot(u, v), dv = dot(d, v);
    const Vec3d w = u - cosine * v, d_across = d - dv * v;
    const double sine_square = dot(w, w);
    // Parallel: any s will do when the segments overlap, and clamping t and s finds the ends when they do
    // not.
    const double s_line = sine_square > 0 ? clamped(dot(d_across, w) / sine_square, h_a) : 0;
    const double t_line = s_line * cosine - dv, t = clamped(t_line, h_b);
    // Both are computed, because a branch would be guessed wrong half of the time.
    const double s_for_end = clamped(dot(d, u) + t * cosine, h_a);
    const double s = t == t_line ? s_line : s_for_end;
    const Vec3d apart = d + t * v - s * u;
    const double square = dot(apart, apart);
    if (!(square <= reach * reach)) return false;
    nearest.s = s;
    nearest.t = t;
    nearest.cosine = cosine;
    nearest.w = w;
    nearest.apart = std::sqrt(square);
    if (nearest.apart > clear_of_rounding * (h_a + h_b))
        nearest.normal = (1 / nearest.apart) * apart;
    else
        nearest.normal = normal_of_meeting_axes(a, b, nearest, apart);
    return true;
}

LIG_INLINE ManifoldPoint nearest_point(const PlacedShape& a, const PlacedShape& b,
                                       const AxisPoints& nearest) {
    const double r_a = a.shape->size.x, r_b = b.shape->size.x;
    return point_from_a(a.X_WG.p + nearest.s * a.X_WG.R.z + r_a * nearest.normal, nearest.normal,
                        nearest.apart - r_a - r_b, 0);
}

}  // namespace

bool capsule_capsule(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    AxisPoints nearest;
    if (!find_nearest(a, b, a.shape->size.x + b.shape->size.x + margin, nearest)) return false;
    set_single_point(nearest.normal, nearest_point(a, b, nearest), out);
    if (!(out.points[0].distance <= margin)) return false;
    if (dot(nearest.w, nearest.w) < side_by_side * side_by_side) add_line_contact(a, b, nearest, margin, out);
    return true;
}

ClosestPoints capsule_capsule_distance(const PlacedShape& a, const PlacedShape& b) {
    AxisPoints nearest;
    find_nearest(a, b, std::numeric_limits<double>::infinity(), nearest);
    const ManifoldPoint point = nearest_point(a, b, nearest);
    return {point.distance, point.on_a, point.on_b, nearest.normal};
}

}  // namespace lig::collide
