// Two boxes, in the frame of A: half sizes a and b, B's axes the columns of R, its centre p.
//
// The differences of their points fill a solid whose faces are square to the three axes of A, the three of B and the
// nine products of one of each. Along a unit vector g the boxes are
//   s(g) = |g·p| − Σ a_i |g_i| − Σ b_j |g·R_j|
// apart. When all fifteen are negative, the boxes overlap and the largest is the shortest way out. When one is
// positive, they are apart by at least that much; by exactly that much when a vertex of one lies over the face of
// the other, or two edges cross, seen along g. Otherwise the nearest points are on an edge or vertex of each, and g is
// none of the fifteen; then the nearest points are searched for (nearest_features below).
//
// Edges so nearly parallel that their product is lost in rounding are left out: what they would say of distances,
// the faces beside them say up to rounding. For the others the product e_i × R_j is square to both edges as they are
// stored, however small it is, and s is computed from it alone, without using that R is orthogonal. Where an edge
// product and a face agree up to rounding, the face is taken, and A's before B's.
//
// The manifold is what the face of A that looks along the normal and that of B against it have in common. The face
// opposite to a face that decided is taken at any slope: the margin tells which of its corners matter. Edges that cross
// meet in one point, except where both boxes have a face within `face_slope` of the normal: stacked boxes tilted by
// rounding have the same manifold whichever of the fifteen decides.

#include "shapes/box.h"
#include "collide/face_manifold.h"
#include "collide/pairs.h"
#include "collide/segment_box.h"

#include <algorithm>
#include <limits>

namespace lig::collide {

namespace {

// Relative to the sizes of the boxes: what counts as equal, and where a direction between points is lost.
constexpr double rounding = 1e-13, touching = 1e-12;
constexpr double parallel_edges = 1e-14;  // sine
constexpr double face_slope = 5e-2, any_slope = 1;

struct Boxes {
    Vec3d a, b;
    Mat3d R;
    Vec3d p;
    double size;  // of both, for tolerances

    Vec3d to_b(const Vec3d& x) const { return transpose_mul(R, x - p); }
    Vec3d from_b(const Vec3d& x) const { return R * x + p; }
};

Vec3d farthest_corner(const Vec3d& size, const Vec3d& d) {
    return {std::copysign(size.x, d.x), std::copysign(size.y, d.y), std::copysign(size.z, d.z)};
}

// The direction along which the boxes are farthest apart, or overlap least, from A to B.
struct Axis {
    enum class Kind {
        face_a,
        face_b,
        edges
    };
    Kind kind = Kind::face_a;
    int i = 0, j = 0;  // of A and of B
    double apart = -std::numeric_limits<double>::infinity();
    Vec3d normal;
};

// False: apart by more than the margin.
bool find_axis(const Boxes& boxes, double margin, Axis& best) {
    const Vec3d &a = boxes.a, &b = boxes.b, &p = boxes.p;
    const Mat3d& R = boxes.R;
    const double equal = rounding * boxes.size;
    for (int i = 0; i < 3; ++i) {
        const double reach = a[i] + b.x * std::abs(R.x[i]) + b.y * std::abs(R.y[i]) + b.z * std::abs(R.z[i]);
        const double apart = std::abs(p[i]) - reach;
        if (apart > margin) return false;
        if (apart > best.apart + equal) best = {Axis::Kind::face_a, i, 0, apart, {}};
    }
    const Vec3d p_B = transpose_mul(R, p);
    for (int j = 0; j < 3; ++j) {
        const Vec3d& axis = (&R.x)[j];
        const double reach = b[j] + a.x * std::abs(axis.x) + a.y * std::abs(axis.y) + a.z * std::abs(axis.z);
        const double apart = std::abs(p_B[j]) - reach;
        if (apart > margin) return false;
        if (apart > best.apart + equal) best = {Axis::Kind::face_b, 0, j, apart, {}};
    }
    for (int i = 0; i < 3; ++i) {
        const int k = i == 2 ? 0 : i + 1, l = i == 0 ? 2 : i - 1;
        for (int j = 0; j < 3; ++j) {
            const Vec3d& axis = (&R.x)[j];
            const Vec3d& next = (&R.x)[j == 2 ? 0 : j + 1];
            const Vec3d& last = (&R.x)[j == 0 ? 2 : j - 1];
            const double b_next = b[j == 2 ? 0 : j + 1], b_last = b[j == 0 ? 2 : j - 1];
            const double g_k = -axis[l], g_l = axis[k];  // of e_i × R_j; its component i is zero
            const double apart_scaled = std::abs(g_k * p[k] + g_l * p[l]) -
                                        (a[k] * std::abs(g_k) + a[l] * std::abs(g_l)) -
                                        (b_next * std::abs(g_k * next[k] + g_l * next[l]) +
                                         b_last * std::abs(g_k * last[k] + g_l * last[l]));
            // The product is at most of unit length: dividing by it makes a negative number only smaller.
            if (apart_scaled <= best.apart && apart_scaled <= 0) continue;
            const double length = std::sqrt(g_k * g_k + g_l * g_l);
            if (length < parallel_edges) continue;
            const double apart = apart_scaled / length;
            if (apart > margin) return false;
            if (apart > best.apart + equal) best = {Axis::Kind::edges, i, j, apart, {}};
        }
    }

    switch (best.kind) {
        case Axis::Kind::face_a:
            best.normal = Vec3d::zero();
            best.normal[best.i] = p[best.i] < 0 ? -1 : 1;
            break;
        case Axis::Kind::face_b:
            best.normal = (p_B[best.j] < 0 ? -1.0 : 1.0) * (&R.x)[best.j];
            break;
        case Axis::Kind::edges: {
            Vec3d along_a = Vec3d::zero();
            along_a[best.i] = 1;
            const Vec3d g = cross(along_a, (&R.x)[best.j]);
            const double length = std::sqrt(dot(g, g));
            best.normal = (dot(g, p) < 0 ? -1 / length : 1 / length) * g;
            break;
        }
    }
    return true;
}

// Whether a corner of the face of `own` that looks along d, one of those farthest along it, lies over the other
// box's face across `axis`. `to_other` takes points there.
template <class ToOther>
bool corner_lies_over(const Vec3d& own, const Vec3d& d, const Vec3d& other, int axis, double equal,
                      const ToOther& to_other) {
    const Vec3d corner = farthest_corner(own, d);
    for (int k = 0; k < 8; ++k) {
        Vec3d other_corner = corner;
        double short_of_farthest = 0;
        for (int i = 0; i < 3; ++i) {
            if (!(k >> i & 1)) continue;
            other_corner[i] = -corner[i];
            short_of_farthest += 2 * own[i] * std::abs(d[i]);
        }
        if (short_of_farthest > equal) continue;
        const Vec3d x = to_other(other_corner);
        const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
        if (std::abs(x[u]) <= other[u] && std::abs(x[v]) <= other[v]) return true;
    }
    return false;
}

// The points at which the edges that decided come nearest to each other, on their lines.
struct EdgePoints {
    Vec3d on_a, on_b;
    bool within;  // both edges
};
EdgePoints nearest_of_edges(const Boxes& boxes, const Axis& axis) {
    Vec3d start_a = farthest_corner(boxes.a, axis.normal), along_a = Vec3d::zero();
    start_a[axis.i] = 0;
    along_a[axis.i] = 1;
    Vec3d start_b = farthest_corner(boxes.b, transpose_mul(boxes.R, -axis.normal));
    start_b[axis.j] = 0;
    start_b = boxes.from_b(start_b);
    const Vec3d& along_b = (&boxes.R.x)[axis.j];

    // start_b + t along_b − start_a − s along_a is along the normal: both unknowns from products with what is square
    // to the normal and to the other edge.
    const Vec3d between = start_b - start_a;
    const Vec3d across_b = cross(along_b, axis.normal), across_a = cross(along_a, axis.normal);
    const double s = dot(between, across_b) / dot(along_a, across_b);
    const double t = -dot(between, across_a) / dot(along_b, across_a);
    const double reach_a = boxes.a[axis.i], reach_b = boxes.b[axis.j];
    return {start_a + std::clamp(s, -reach_a, reach_a) * along_a,
            start_b + std::clamp(t, -reach_b, reach_b) * along_b,
            std::abs(s) <= reach_a && std::abs(t) <= reach_b};
}

// Whether the boxes, apart along the axis, come as near to each other as it says.
bool is_met_along(const Boxes& boxes, const Axis& axis) {
    const double equal = rounding * boxes.size;
    switch (axis.kind) {
        case Axis::Kind::face_a:
            return corner_lies_over(boxes.b, transpose_mul(boxes.R, -axis.normal), boxes.a, axis.i, equal,
                                    [&](const Vec3d& x) { return boxes.from_b(x); });
        case Axis::Kind::face_b:
            return corner_lies_over(boxes.a, axis.normal, boxes.b, axis.j, equal,
                                    [&](const Vec3d& x) { return boxes.to_b(x); });
        case Axis::Kind::edges: return nearest_of_edges(boxes, axis).within;
    }
    return false;
}

// The nearest points of boxes that are apart. If A's is inside a face, a corner of B lies over that face or an edge of
// the face passes under B; so the corners of B against the box A, and the edges of A against the box B, find the
// nearest points whatever they are.
ClosestPoints nearest_features(const Boxes& boxes, const Axis& axis) {
    Vec3d best_a = Vec3d::zero(), best_b = Vec3d::zero();
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 8; ++k) {
        const Vec3d corner{k & 1 ? boxes.b.x : -boxes.b.x, k & 2 ? boxes.b.y : -boxes.b.y,
                           k & 4 ? boxes.b.z : -boxes.b.z};
        const Vec3d x = boxes.from_b(corner);
        const Vec3d excess = excess_over_box(x, boxes.a);
        const double square = dot(excess, excess);
        if (square < best) {
            best = square;
            best_b = x;
            best_a = x - excess;
        }
    }
    const double farthest = dot(farthest_corner(boxes.a, axis.normal), axis.normal);
    for (int i = 0; i < 3; ++i) {
        const int u = i == 0 ? 1 : 0, v = i == 2 ? 1 : 2;
        for (int k = 0; k < 4; ++k) {
            Vec3d middle = Vec3d::zero(), along = Vec3d::zero();
            middle[u] = k & 1 ? boxes.a[u] : -boxes.a[u];
            middle[v] = k & 2 ? boxes.a[v] : -boxes.a[v];
            along[i] = 1;
            // Along the axis, the edge is at least this far from B.
            const double at_least = axis.apart + farthest - dot(middle, axis.normal) -
                                    boxes.a[i] * std::abs(axis.normal[i]);
            if (at_least * at_least > best) continue;
            const SegmentAndBox edge{boxes.to_b(middle), transpose_mul(boxes.R, along), boxes.a[i], boxes.b};
            const double t = edge.nearest();
            const Vec3d excess = edge.excess(t);
            const double square = dot(excess, excess);
            if (square < best) {
                best = square;
                best_a = middle + t * along;
                best_b = best_a - boxes.R * excess;
            }
        }
    }
    const double distance = std::sqrt(best);
    return {distance, best_a, best_b, (1 / distance) * (best_b - best_a)};
}

// The points on both surfaces that the axis belongs to.
ClosestPoints witness_of(const Boxes& boxes, const Axis& axis) {
    const Vec3d& n = axis.normal;
    switch (axis.kind) {
        case Axis::Kind::face_a: {
            const Vec3d on_b = boxes.from_b(farthest_corner(boxes.b, transpose_mul(boxes.R, -n)));
            return {axis.apart, on_b - axis.apart * n, on_b, n};
        }
        case Axis::Kind::face_b: {
            const Vec3d on_a = farthest_corner(boxes.a, n);
            return {axis.apart, on_a, on_a + axis.apart * n, n};
        }
        case Axis::Kind::edges: break;
    }
    const Vec3d on_a = nearest_of_edges(boxes, axis).on_a;
    return {axis.apart, on_a, on_a + axis.apart * n, n};
}

}  // namespace

bool box_box(const PlacedShape& shape_a, const PlacedShape& shape_b, double margin, PairManifold& out) {
    const Transformd &X_WA = shape_a.X_WG, &X_WB = shape_b.X_WG;
    Boxes boxes{shape_a.shape->size, shape_b.shape->size, transpose_mul(X_WA.R, X_WB.R),
                transpose_mul(X_WA.R, X_WB.p - X_WA.p), 0};
    boxes.size = boxes.a.x + boxes.a.y + boxes.a.z + boxes.b.x + boxes.b.y + boxes.b.z;

    Axis axis;
    if (!find_axis(boxes, margin, axis)) return false;
    double slope_a = axis.kind == Axis::Kind::face_b ? any_slope : face_slope;
    double slope_b = axis.kind == Axis::Kind::face_a ? any_slope : face_slope;
    ClosestPoints witness;
    if (axis.apart > touching * boxes.size && !is_met_along(boxes, axis)) {
        witness = nearest_features(boxes, axis);
        slope_a = slope_b = face_slope;
    } else {
        witness = witness_of(boxes, axis);
    }

    SupportingFace face_a, face_b;
    const Vec3d& n = witness.normal;
    face_a.clear(n);
    BoxShape::supporting_face(*shape_a.shape, n, slope_a, face_a);
    const Vec3d against = transpose_mul(boxes.R, -n);
    face_b.clear(against);
    BoxShape::supporting_face(*shape_b.shape, against, slope_b, face_b);
    face_b.normal = boxes.R * face_b.normal;
    for (int i = 0; i < face_b.count; ++i)
        face_b.points[std::size_t(i)] = boxes.from_b(face_b.points[std::size_t(i)]);

    if (!manifold_of_faces(face_a, face_b, 0, 0, margin, witness, out)) return false;
    place_manifold(X_WA, out);
    return true;
}

}  // namespace lig::collide
