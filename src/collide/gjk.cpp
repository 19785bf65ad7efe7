// The set of differences W is convex; v is the point nearest to the origin of a simplex of some of its
// points. The farthest point w of W against v gives two bounds of the distance,
//   v·w / |v|  <=  distance  <=  |v|,
// the first because no point of W is nearer than that along v, the second because v is a point of W. While
// they differ, w joins the simplex and those points leave it that the new nearest point does not need.
//
// Polyhedra end after finitely many steps. For round shapes the bounds approach each other geometrically.
// What ends the loop is never a comparison of v with a length in metres or with zero: near touching, v is
// small and its relative errors are large, but the difference of the bounds is as good as ever.

#include "collide/gjk.h"

#include <algorithm>
#include <cmath>

namespace lig::collide {

namespace {

constexpr int max_iterations = 128;
constexpr int max_idle_steps = 4;
// A few roundings: of the bounds' difference relative to the size of W.
constexpr double rounding = 4e-16;
// Cores nearer than this, relative to the size of W, are taken as touching.
constexpr double touching = 1e-15;

double square(const Vec3d& a) { return dot(a, a); }

// The nearest point of part of a simplex, by the points it needs in rising order.
struct Nearest {
    double distance_square;
    int count;
    std::array<int, 4> indices;
    std::array<double, 4> weights;
    Vec3d point;

    void take(const Nearest& other) {
        if (other.distance_square < distance_square) *this = other;
    }
};

Nearest nearest_of_point(const Simplex& s, int i) {
    const Vec3d& p = s.points[i].difference;
    return {square(p), 1, {i}, {1}, p};
}

// i < j
Nearest nearest_of_edge(const Simplex& s, int i, int j) {
    const Vec3d& p = s.points[i].difference;
    const Vec3d& q = s.points[j].difference;
    const Vec3d along = q - p;
    const double to_p = -dot(p, along), to_q = dot(q, along), length = square(along);
    if (!(to_p > 0)) return nearest_of_point(s, i);
    if (!(to_q > 0)) return nearest_of_point(s, j);
    // From the nearer end: what is added to it is small.
    if (to_p <= to_q) {
        const double t = to_p / length;
        const Vec3d v = p + t * along;
        return {square(v), 2, {i, j}, {1 - t, t}, v};
    }
    const double t = to_q / length;
    const Vec3d v = q - t * along;
    return {square(v), 2, {i, j}, {t, 1 - t}, v};
}

// Which points of a simplex the nearest point may do without: while GJK goes on, not the newest, which is
// the last.
enum class Needed {
    last,
    any
};

// The foot of the origin on the triangle's plane is p + x e + y f with e the longest edge. Taking off f
// what it has along e first keeps the digits of slivers, which normal equations would lose twice. i < j <
// k.
Nearest nearest_of_triangle(const Simplex& s, int i, int j, int k, Needed needed) {
    const std::array<int, 3> corners{i, j, k};
    const Vec3d edges[3] = {s.points[j].difference - s.points[i].difference,
                            s.points[k].difference - s.points[j].difference,
                            s.points[i].difference - s.points[k].difference};
    const double squares[3] = {square(edges[0]), square(edges[1]), square(edges[2])};
    const int first =
        squares[0] >= squares[1] ? (squares[0] >= squares[2] ? 0 : 2) : (squares[1] >= squares[2] ? 1 : 2);
    const int second = (first + 1) % 3, third = (first + 2) % 3;
    const Vec3d& p = s.points[corners[first]].difference;
    const Vec3d &e = edges[first], f = -edges[third];
    const double along = dot(f, e) / squares[first];
    const Vec3d height = f - along * e;
    const double height_square = square(height);
    if (height_square > 0) {
        const double y = -dot(p, height) / height_square;
        const double x = -dot(p, e) / squares[first] - y * along;
        if (x > 0 && y > 0 && x + y < 1) {
            const Vec3d v = p + x * e + y * f;
            Nearest inside{square(v), 3, {i, j, k}, {}, v};
            inside.weights[first] = 1 - x - y;
            inside.weights[second] = x;
            inside.weights[third] = y;
            return inside;
        }
    }
    Nearest best = nearest_of_edge(s, i, k);
    best.take(nearest_of_edge(s, j, k));
    if (needed == Needed::any) best.take(nearest_of_edge(s, i, j));
    return best;
}

// All four points when the origin is between them.
Nearest nearest_of_tetrahedron(const Simplex& s, Needed needed) {
    const Vec3d& d = s.points[3].difference;
    const Vec3d a = s.points[0].difference - d, b = s.points[1].difference - d,
                c = s.points[2].difference - d;
    // The volumes of the tetrahedra that the origin makes with each face.
    const Vec3d bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
    const double volume = dot(a, bc), sign = volume < 0 ? -1 : 1, whole = sign * volume;
    const double x = -sign * dot(d, bc), y = -sign * dot(d, ca), z = -sign * dot(d, ab);
    if (x > 0 && y > 0 && z > 0 && x + y + z < whole)
        return {
            0, 4, {0, 1, 2, 3}, {x / whole, y / whole, z / whole, 1 - (x + y + z) / whole}, Vec3d::zero()};

    // The nearest point is on a face that has the origin on its outer side; where rounding may have decided
    // that, all of them are looked at.
    const bool sure = needed == Needed::last && whole * whole > 1e-20 * square(a) * square(b) * square(c);
    Nearest best;
    best.distance_square = std::numeric_limits<double>::infinity();
    if (!sure || x <= 0) best.take(nearest_of_triangle(s, 1, 2, 3, needed));
    if (!sure || y <= 0) best.take(nearest_of_triangle(s, 0, 2, 3, needed));
    if (!sure || z <= 0) best.take(nearest_of_triangle(s, 0, 1, 3, needed));
    if (needed == Needed::any) best.take(nearest_of_triangle(s, 0, 1, 2, needed));
    return best;
}

Nearest nearest_of(const Simplex& s, int count, Needed needed) {
    switch (count) {
        case 1: return nearest_of_point(s, 0);
        case 2: return nearest_of_edge(s, 0, 1);
        case 3: return nearest_of_triangle(s, 0, 1, 2, needed);
        default: return nearest_of_tetrahedron(s, needed);
    }
}

// Leaves the points that are needed.
void reduce(Simplex& s, const Nearest& nearest) {
    s.count = nearest.count;
    for (int i = 0; i < nearest.count; ++i) {
        if (nearest.indices[i] != i) s.points[i] = s.points[nearest.indices[i]];
        s.weights[i] = nearest.weights[i];
    }
    s.nearest = nearest.point;
}

bool same_point(const Vec3d& a, const Vec3d& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// The direction of the nearest point, as exact as its simplex has it: square to the triangle or edge that
// it is on. The direction of v itself has an error of rounding / |v|, that of the triangle rounding /
// height.
Vec3d normal_of(const Simplex& s) {
    Vec3d n = s.nearest;
    if (s.count == 3) {
        const Vec3d e = s.points[0].difference - s.points[2].difference;
        const Vec3d f = s.points[1].difference - s.points[2].difference, g = e - f;
        const Vec3d m = cross(e, f);
        const double height_square = square(m) / std::max({square(e), square(f), square(g)});
        if (height_square > square(n)) n = dot(m, n) < 0 ? -m : m;
    } else if (s.count == 2) {
        const Vec3d e = s.points[1].difference - s.points[0].difference;
        n -= dot(n, e) / square(e) * e;
    }
    return (1 / std::sqrt(square(n))) * n;
}

}  // namespace

GjkResult gjk(const CorePair& pair, const GjkOptions& options) {
    const auto& [shift, limit, accuracy, start] = options;
    const double meet = std::max(rounding, accuracy);
    const auto support = [&](const Vec3d& d) {
        CorePoint p = pair.support(d);
        p.difference += options.shift;
        return p;
    };

    GjkResult result;
    result.normal = {1, 0, 0};
    Simplex& simplex = result.simplex;
    double size_square = 0;
    if (start && start->count > 0) {
        simplex.count = start->count;
        for (int i = 0; i < start->count; ++i) {
            simplex.points[i] = start->points[i];
            simplex.points[i].difference = start->points[i].b - start->points[i].a + shift;
            size_square = std::max(size_square, square(simplex.points[i].difference));
        }
    } else {
        Vec3d d = pair.centers() + shift;
        if (!(square(d) > 0)) d = {1, 0, 0};
        result.normal = (1 / std::sqrt(square(d))) * d;
        simplex.count = 1;
        simplex.points[0] = support(d);
        size_square = square(simplex.points[0].difference);
    }
    Nearest nearest = nearest_of(simplex, simplex.count, Needed::any);
    reduce(simplex, nearest);
    result.lower = -std::numeric_limits<double>::infinity();
    result.upper = std::sqrt(nearest.distance_square);

    const auto finish = [&](GjkResult::Kind kind) {
        result.kind = kind;
        result.size = std::sqrt(size_square);
        return result;
    };

    int idle_steps = 0;
    for (result.iterations = 1; result.iterations <= max_iterations; ++result.iterations) {
        if (simplex.count == 4 || nearest.distance_square <= touching * touching * size_square)
            return finish(GjkResult::Kind::together);

        const CorePoint next = support(simplex.nearest);
        size_square = std::max(size_square, square(next.difference));
        const double lower = dot(simplex.nearest, next.difference) / result.upper;
        if (lower > result.lower) {
            result.lower = lower;
            result.normal = (1 / result.upper) * simplex.nearest;
            if (lower > limit) return finish(GjkResult::Kind::beyond);
        }
        if (result.upper - result.lower <= meet * std::sqrt(size_square)) break;
        bool again = false;
        for (int i = 0; i < simplex.count; ++i)
            again = again || same_point(next.difference, simplex.points[i].difference);
        if (again) break;

        simplex.points[simplex.count] = next;
        nearest = nearest_of(simplex, simplex.count + 1, Needed::last);
        const double upper = std::sqrt(nearest.distance_square);
        // Where v is square to a face up to little, the face's last corner turns v without making it
        // shorter in any digit: a few such steps are allowed.
        if (!(upper < result.upper) &&
            (!(upper <= result.upper * (1 + 4e-16)) || ++idle_steps > max_idle_steps))
            break;
        reduce(simplex, nearest);
        result.upper = std::min(upper, result.upper);
    }
    // The simplex knows the direction to more digits than v where v is short; but where rounding ended the
    // approach, its last direction need not be its best.
    const Vec3d n = normal_of(simplex);
    const double lower = dot(n, support(n).difference);
    if (lower >= result.lower - rounding * std::sqrt(size_square)) {
        result.normal = n;
        result.lower = std::max(lower, result.lower);
    }
    return finish(GjkResult::Kind::apart);
}

Vec3d nearest_on_a(const Simplex& simplex) {
    Vec3d p = Vec3d::zero();
    for (int i = 0; i < simplex.count; ++i) p += simplex.weights[i] * simplex.points[i].a;
    return p;
}

}  // namespace lig::collide
