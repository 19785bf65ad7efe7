// The path lies in a plane through the centre of a sphere; over a cylinder its projection along the axis
// does, and its height grows evenly with the length of that projection (a helix is straight once the
// cylinder is unrolled). So both are a problem in the plane: two points a, b and a circle about the origin.
//
// Around the outside: from a along a tangent to the circle, along the circle, along a tangent to b. From a
// point at distance l the tangent touches at the angle α = acos(r/l) to either side of it. Of the two ways
// around, the one on the side of the side site, or else the one with the shorter chord; never one whose
// tangents cross.
//
// Through the inside: the string is held by a ring that it touches in one point w, where it is bent. The
// string slides freely, so both pieces make the same angle γ with the radius. In the triangle of origin, a
// and w the law of sines gives the angle at a, asin(r/l_a sin γ), and the angle at the origin is γ less
// that; the two angles at the origin add up to the angle G between a and b:
//     2γ − asin(r/l_a sin γ) − asin(r/l_b sin γ) = G.
// The left side grows with γ from 0, so there is one solution at most. Where γ would exceed a right angle,
// the middle direction is taken.

#include "dynamics/tendon_wrap.h"

#include "core/scalar_math.h"

#include <initializer_list>

namespace lig {

namespace {

template <class R>
struct Vec2 {
    R x, y;
    friend Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
    friend Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
    friend Vec2 operator*(R s, Vec2 a) { return {s * a.x, s * a.y}; }
};
template <class R>
R dot(Vec2<R> a, Vec2<R> b) { return a.x * b.x + a.y * b.y; }
template <class R>
R cross(Vec2<R> a, Vec2<R> b) { return a.x * b.y - a.y * b.x; }
template <class R>
R length(Vec2<R> a) { return sqrt(dot(a, a)); }
template <class R>
Vec2<R> unit(Vec2<R> a) {
    const R l = length(a);
    return l > 0 ? (1 / l) * a : Vec2<R>{1, 0};
}
template <class R>
Vec2<R> turned(Vec2<R> a, R angle) {
    R s, c;
    sin_cos(angle, s, c);
    return {c * a.x - s * a.y, s * a.x + c * a.y};
}
template <class R>
R asin(R x) { return atan2(x, sqrt((1 - x) * (1 + x))); }

template <class R>
inline constexpr R pi = R(3.14159265358979323846);
// Lengths below this have no direction.
template <class R>
inline constexpr R tiny = R(1e-15);

template <class R>
struct FlatPath {
    bool wraps = false;
    Vec2<R> first{0, 0}, last{0, 0};
    R arc = 0;
};

template <class R>
bool segments_cross(Vec2<R> a0, Vec2<R> a1, Vec2<R> b0, Vec2<R> b1) {
    const Vec2<R> a = a1 - a0, b = b1 - b0, between = b0 - a0;
    const R det = cross(a, b);
    if (abs(det) < tiny<R>) return false;
    const R s = cross(between, b) / det, t = cross(between, a) / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// Where the tangent from p touches, at the side to which `sense` (±1, + counterclockwise) turns.
template <class R>
Vec2<R> tangent_point(Vec2<R> p, R radius, R sense) {
    const R pp = dot(p, p);
    const R other = sense * sqrt(pp - radius * radius);
    return (radius / pp) * Vec2<R>{radius * p.x - other * p.y, radius * p.y + other * p.x};
}

template <class R>
FlatPath<R> around(Vec2<R> a, Vec2<R> b, R radius, const Vec2<R>* side) {
    const R rr = radius * radius;
    const Vec2<R> d = b - a;
    if (dot(a, a) < rr || dot(b, b) < rr || dot(d, d) < tiny<R>) return {};
    const R along = max(R(0), min(R(1), -dot(d, a) / dot(d, d)));
    const Vec2<R> nearest = a + along * d;
    if (dot(nearest, nearest) > rr && (!side || dot(*side, nearest) >= 0)) return {};

    FlatPath<R> best;
    R best_merit = 0;
    for (const R sense : {R(1), R(-1)}) {
        const Vec2<R> first = tangent_point(a, radius, sense), last = tangent_point(b, radius, -sense);
        if (segments_cross(a, first, b, last)) continue;
        const Vec2<R> chord = first - last;
        const R merit = side ? dot(unit(first + last), *side) : -dot(chord, chord);
        if (best.wraps && merit <= best_merit) continue;
        R angle = atan2(sense * cross(first, last), dot(first, last));
        if (angle < 0) angle += 2 * pi<R>;
        best = {true, first, last, radius * angle};
        best_merit = merit;
    }
    return best;
}

template <class R>
FlatPath<R> through(Vec2<R> a, Vec2<R> b, R radius) {
    const R la = length(a), lb = length(b);
    if (la <= radius || lb <= radius) return {};
    const Vec2<R> d = b - a;
    if (dot(d, d) > tiny<R>) {
        const R along = -dot(d, a) / dot(d, d);
        if (along > 0 && along < 1 && length(a + along * d) <= radius) return {};
    }
    const R G = atan2(abs(cross(a, b)), dot(a, b));
    if (pi<R> - G < tiny<R>) return {};
    const auto touching = [](Vec2<R> w) { return FlatPath<R>{true, w, w, 0}; };
    const R ka = radius / la, kb = radius / lb;
    const Vec2<R> middle = radius * unit(a + b);
    if (G == 0 || pi<R> - asin(ka) - asin(kb) <= G) return touching(middle);

    // Newton's method within a bracket. The left side is convex or nearly so; the bracket is for rounding.
    R low = 0, high = pi<R> / 2, gamma = G / 2;
    for (int k = 0; k < 60; ++k) {
        R s, c;
        sin_cos(gamma, s, c);
        const R value = 2 * gamma - asin(ka * s) - asin(kb * s) - G;
        (value < 0 ? low : high) = gamma;
        const auto slope_of = [&](R k) { return k * c / sqrt((1 - k * s) * (1 + k * s)); };
        R next = gamma - value / (2 - slope_of(ka) - slope_of(kb));
        if (!(next > low && next < high)) next = (low + high) / 2;
        const bool done = next == gamma || next == low || next == high;
        gamma = next;
        if (done) break;
    }
    R s, c;
    sin_cos(gamma, s, c);
    const R from_a = gamma - asin(ka * s);
    return touching(turned((radius / la) * a, cross(a, b) > 0 ? from_a : -from_a));
}

template <class R>
Vec3<R> unit(const Vec3<R>& a) { return (1 / sqrt(dot(a, a))) * a; }

// Two unit vectors that span the plane of the problem, in the axes of the obstacle.
template <class R>
struct Plane {
    Vec3<R> e0{1, 0, 0}, e1{0, 1, 0};
    Vec2<R> flat(const Vec3<R>& p) const { return {dot(p, e0), dot(p, e1)}; }
    Vec3<R> lifted(Vec2<R> p) const { return p.x * e0 + p.y * e1; }
};

template <class R>
Plane<R> plane_through(const Vec3<R>& a, const Vec3<R>& b) {
    const Vec3<R> e0 = unit(a);
    Vec3<R> normal = cross(a, b);
    if (dot(normal, normal) < tiny<R> * tiny<R>) {
        // a and b lie on one line through the centre: any plane holds them.
        int largest = 0;
        for (int k = 1; k < 3; ++k)
            if (abs(e0[k]) > abs(e0[largest])) largest = k;
        Vec3<R> other{1, 1, 1};
        other[largest] = 0;
        normal = cross(e0, other);
    }
    return {e0, unit(cross(unit(normal), e0))};
}

}  // namespace

template <class R>
WrapPath<R> wrap_path(const WrapObstacle<R>& obstacle, const Vec3<R>& from, const Vec3<R>& to,
                      const Vec3<R>* side) {
    const Transform<R> X_GW = obstacle.X_WG.inverse();
    const Vec3<R> a = X_GW * from, b = X_GW * to;
    if (dot(a, a) < tiny<R> * tiny<R> || dot(b, b) < tiny<R> * tiny<R>) return {};
    const Plane<R> plane = obstacle.cylinder ? Plane<R>{} : plane_through(a, b);

    FlatPath<R> flat;
    if (side) {
        const Vec3<R> s = X_GW * *side;
        const Vec2<R> direction = unit(plane.flat(s));
        flat = dot(s, s) < obstacle.radius * obstacle.radius
                   ? through(plane.flat(a), plane.flat(b), obstacle.radius)
                   : around(plane.flat(a), plane.flat(b), obstacle.radius, &direction);
    } else {
        flat = around<R>(plane.flat(a), plane.flat(b), obstacle.radius, nullptr);
    }
    if (!flat.wraps) return {};

    Vec3<R> first = plane.lifted(flat.first), last = plane.lifted(flat.last);
    R arc = flat.arc;
    if (obstacle.cylinder) {
        const R before = length(plane.flat(a) - flat.first), after = length(plane.flat(b) - flat.last);
        const R slope = (b.z - a.z) / (before + arc + after);
        first.z = a.z + slope * before;
        last.z = a.z + slope * (before + arc);
        arc = sqrt(arc * arc + (last.z - first.z) * (last.z - first.z));
    }
    return {true, obstacle.X_WG * first, obstacle.X_WG * last, arc};
}

template WrapPath<double> wrap_path(const WrapObstacle<double>&, const Vec3<double>&, const Vec3<double>&,
                                    const Vec3<double>*);
template WrapPath<float> wrap_path(const WrapObstacle<float>&, const Vec3<float>&, const Vec3<float>&,
                                   const Vec3<float>*);

}  // namespace lig
