// Two boxes, in the frame of A: half sizes a and b, B's axes the columns of R, its centre p.
//
// The differences of their points fill a solid whose faces are square to the three axes of A, the three of B
// and the nine products of one of each. Along a unit vector g the boxes are
//   s(g) = |g·p| − Σ a_i |g_i| − Σ b_j |g·R_j|
// apart. When all fifteen are negative, the boxes overlap and the largest is the shortest way out. When one
// is positive, they are apart by at least that much; by exactly that much when a vertex of one lies over the
// face of the other, or two edges cross, seen along g. Otherwise the nearest points are on an edge or vertex
// of each, and g is none of the fifteen; then the nearest points are searched for (nearest_features below).
//
// Edges so nearly parallel that their product is lost in rounding are left out: what they would say of
// distances, the faces beside them say up to rounding. For the others the product e_i × R_j is square to both
// edges as they are stored, however small it is, and s is computed from it alone, without using that R is
// orthogonal. Where an edge product and a face agree up to rounding, the face is taken, and A's before B's.
//
// The manifold is what the face of A that looks along the normal and that of B against it have in common. The
// face opposite to a face that decided is taken at any slope: the margin tells which of its corners matter.
// Edges that cross meet in one point, except where both boxes have a face within `face_slope` of the normal:
// stacked boxes tilted by rounding have the same manifold whichever of the fifteen decides.

#include "shapes/box.h"
#include "collide/face_manifold.h"
#include "collide/pairs.h"
#include "collide/segment_box.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lig::collide {

namespace {

// Relative to the sizes of the boxes: what counts as equal, and where a direction between points is lost.
constexpr double rounding = 1e-13, touching = 2e-13;
constexpr double parallel_edges = 1e-14;  // sine
constexpr double nearly_square = 1e-6;
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

// The largest t in [−1, 1] for which x + t y lies over the face of a box across an axis.
std::optional<double> last_over_face(const Vec3d& x, const Vec3d& y, const Vec3d& size, int axis) {
    double lo = -1, hi = 1;
    for (int i = 0; i < 3; ++i) {
        if (i == axis) continue;
        if (y[i] == 0) {
            if (std::abs(x[i]) > size[i]) return std::nullopt;
            continue;
        }
        const double first = (-size[i] - x[i]) / y[i], last = (size[i] - x[i]) / y[i];
        lo = std::max(lo, std::min(first, last));
        hi = std::min(hi, std::max(first, last));
    }
    if (lo > hi) return std::nullopt;
    return hi;
}

// One box looks along d (in its frame) at the face across `axis` of the other. Finds the point of its corner,
// or of the edge or face that is nearly square to d, that lies over the other's face and is farthest along d;
// `loss` is by how much less far than the corner, and infinite where there is none. Two faces are convex: if
// no edge of the one passes over the other, the other's middle lies under the one, or they have nothing in
// common. X takes the looking one's frame to the other's.
struct OverFace {
    Vec3d point{};
    double loss = std::numeric_limits<double>::infinity();

    bool is_met() const { return loss < std::numeric_limits<double>::infinity(); }
};
OverFace point_over_face(const Vec3d& own, const Vec3d& d, const Transformd& X, const Vec3d& other, int axis,
                         double size) {
    const Vec3d corner = farthest_corner(own, d);
    Vec3d middle = corner, free[2];  // towards the corner
    double slopes[2];                // what is lost from the corner to the middle
    int free_count = 0;
    for (int i = 0; i < 3; ++i) {
        const double slope = own[i] * std::abs(d[i]);
        if (free_count == 2 || slope > nearly_square * size) continue;
        middle[i] = 0;
        slopes[free_count] = slope;
        free[free_count++] = corner[i] * (&X.R.x)[i];
    }
    middle = X * middle;
    OverFace best;
    const auto try_segment = [&](const Vec3d& from, const Vec3d& along, double slope, double lost_before) {
        const std::optional<double> t = last_over_face(from, along, other, axis);
        if (!t || !(lost_before + (1 - *t) * slope < best.loss)) return;
        best = {from + *t * along, lost_before + (1 - *t) * slope};
    };
    if (free_count == 0) try_segment(middle, Vec3d::zero(), 0, 0);
    if (free_count == 1) try_segment(middle, free[0], slopes[0], 0);
    if (free_count < 2) return best;
    for (int k = 0; k < 2; ++k) {
        try_segment(middle + free[k], free[1 - k], slopes[1 - k], 0);
        try_segment(middle - free[k], free[1 - k], slopes[1 - k], 2 * slopes[k]);
    }
    if (best.is_met()) return best;
    OverFace inside{middle, 0};
    for (int k = 0; k < 2; ++k) {
        const double t = -(dot(middle, free[k]) - middle[axis] * free[k][axis]) /
                         (dot(free[k], free[k]) - free[k][axis] * free[k][axis]);
        if (!(std::abs(t) <= 1)) return best;
        inside.point += t * free[k];
        inside.loss += (1 - t) * slopes[k];
    }
    return inside;
}

// The points at which the edges that decided come nearest to each other, on their lines.
struct EdgePoints {
    Vec3d on_a;
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

    // start_b + t along_b − start_a − s along_a is along the normal: both unknowns from products with what is
    // square to the normal and to the other edge.
    const Vec3d between = start_b - start_a;
    const Vec3d across_b = cross(along_b, axis.normal), across_a = cross(along_a, axis.normal);
    const double s = dot(between, across_b) / dot(along_a, across_b);
    const double t = -dot(between, across_a) / dot(along_b, across_a);
    const double reach_a = boxes.a[axis.i], reach_b = boxes.b[axis.j];
    const bool within = std::abs(s) <= reach_a && std::abs(t) <= reach_b;
    return {start_a + std::clamp(s, -reach_a, reach_a) * along_a, within};
}

// The points of both surfaces that meet along the axis. False: no two do, and the boxes are farther apart
// than the axis says, or by rounding.
bool points_along(const Boxes& boxes, const Axis& axis, ClosestPoints& found) {
    const Vec3d& n = axis.normal;
    Vec3d on_a;
    double loss = std::numeric_limits<double>::infinity();
    switch (axis.kind) {
        case Axis::Kind::face_a: {
            const Vec3d d = transpose_mul(boxes.R, -n);
            const OverFace over =
                point_over_face(boxes.b, d, {boxes.R, boxes.p}, boxes.a, axis.i, boxes.size);
            const Vec3d on_b = over.is_met() ? over.point : boxes.from_b(farthest_corner(boxes.b, d));
            on_a = on_b - axis.apart * n;
            loss = over.loss;
            break;
        }
        case Axis::Kind::face_b: {
            const Transformd X_BA = Transformd{boxes.R, boxes.p}.inverse();
            const OverFace over = point_over_face(boxes.a, n, X_BA, boxes.b, axis.j, boxes.size);
            on_a = over.is_met() ? boxes.from_b(over.point) : farthest_corner(boxes.a, n);
            loss = over.loss;
            break;
        }
        case Axis::Kind::edges: {
            const EdgePoints points = nearest_of_edges(boxes, axis);
            on_a = points.on_a;
            if (points.within) loss = 0;
            break;
        }
    }
    found = {axis.apart, on_a, on_a + axis.apart * n, n};
    return loss <= rounding * boxes.size;
}

// The nearest points of boxes that are apart. If A's is inside a face, a corner of B lies over that face or
// an edge of the face passes under B; so the corners of B against the box A, and the edges of A against the
// box B, find the nearest points whatever they are.
//
// Several may be equally near up to rounding and differ in direction, such as edges that are parallel up to
// rounding. Of these the one is taken whose direction keeps the boxes farthest apart.
struct NearestFeatures {
    const Boxes& boxes;
    double distance = std::numeric_limits<double>::infinity();
    Vec3d on_a{}, normal{};

    explicit NearestFeatures(const Boxes& b) : boxes(b) {}

    double apart_along(const Vec3d& n) const {
        return dot(n, boxes.p) - dot(n, farthest_corner(boxes.a, n)) -
               dot(transpose_mul(boxes.R, n), farthest_corner(boxes.b, transpose_mul(boxes.R, n)));
    }
    template <class Normal>
    void offer(double found, const Vec3d& point, const Normal& find_normal) {
        const double equal = rounding * boxes.size;
        if (!(found <= distance + equal)) return;
        const Vec3d n = find_normal();
        if (found >= distance - equal && apart_along(n) <= apart_along(normal)) return;
        distance = found;
        on_a = point;
        normal = n;
    }
};
ClosestPoints nearest_features(const Boxes& boxes, const Axis& axis) {
    NearestFeatures nearest(boxes);
    // Beginning with what is nearest along the axis; what is farther than the best so far along it, is
    // farther.
    const Vec3d d = transpose_mul(boxes.R, -axis.normal);
    const Vec3d nearest_corner = farthest_corner(boxes.b, d);
    for (int k = 0; k < 8; ++k) {
        Vec3d corner = nearest_corner;
        double at_least = axis.apart;
        for (int i = 0; i < 3; ++i) {
            if (!(k >> i & 1)) continue;
            corner[i] = -corner[i];
            at_least += 2 * boxes.b[i] * std::abs(d[i]);
        }
        if (at_least > nearest.distance) continue;
        const Vec3d x = boxes.from_b(corner);
        const Vec3d excess = excess_over_box(x, boxes.a);
        const double distance = length_of(excess);
        nearest.offer(distance, x - excess, [&] { return (1 / distance) * excess; });
    }
    const Vec3d farthest = farthest_corner(boxes.a, axis.normal);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            const int u = i == 0 ? 1 : 0, v = i == 2 ? 1 : 2;
            Vec3d middle = farthest;
            double at_least = axis.apart;
            middle[i] = 0;
            if (k & 1) {
                middle[u] = -middle[u];
                at_least += 2 * boxes.a[u] * std::abs(axis.normal[u]);
            }
            if (k & 2) {
                middle[v] = -middle[v];
                at_least += 2 * boxes.a[v] * std::abs(axis.normal[v]);
            }
            if (at_least > nearest.distance) continue;
            const Vec3d along{boxes.R.x[i], boxes.R.y[i], boxes.R.z[i]};
            const SegmentAndBox edge{boxes.to_b(middle), along, boxes.a[i], boxes.b};
            const double t = edge.nearest();
            Vec3d on_edge = middle;
            on_edge[i] = t;
            nearest.offer(length_of(edge.excess(t)), on_edge,
                          [&] { return boxes.R * edge.direction_to_box(t); });
        }
    }
    // A direction that differs from the axis by rounding only is better taken from the axis: near touching,
    // rounding turns it.
    const Vec3d n = nearest.normal;
    const Vec3d aside = nearest.distance * (n - dot(n, axis.normal) * axis.normal);
    if (length_of(aside) <= rounding * boxes.size)
        return {axis.apart, nearest.on_a, nearest.on_a + axis.apart * axis.normal, axis.normal};
    return {nearest.distance, nearest.on_a, nearest.on_a + nearest.distance * n, n};
}

Boxes seen_from_a(const PlacedShape& a, const PlacedShape& b) {
    Boxes boxes{a.shape->size, b.shape->size, transpose_mul(a.X_WG.R, b.X_WG.R),
                transpose_mul(a.X_WG.R, b.X_WG.p - a.X_WG.p), 0};
    boxes.size = boxes.a.x + boxes.a.y + boxes.a.z + boxes.b.x + boxes.b.y + boxes.b.z;
    return boxes;
}

// The nearest points, or the deepest along the shortest way out. `met`: along the axis.
ClosestPoints find_nearest(const Boxes& boxes, const Axis& axis, bool& met) {
    ClosestPoints found;
    met = points_along(boxes, axis, found) || axis.apart <= touching * boxes.size;
    return met ? found : nearest_features(boxes, axis);
}

}  // namespace

bool box_box(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const Boxes boxes = seen_from_a(a, b);
    Axis axis;
    if (!find_axis(boxes, margin, axis)) return false;
    bool met = true;
    const ClosestPoints witness = find_nearest(boxes, axis, met);

    const double slope_a = met && axis.kind == Axis::Kind::face_b ? any_slope : face_slope;
    const double slope_b = met && axis.kind == Axis::Kind::face_a ? any_slope : face_slope;
    SupportingFace face_a, face_b;
    const Vec3d& n = witness.normal;
    face_a.clear(n);
    BoxShape::supporting_face(*a.shape, n, slope_a, face_a);
    const Vec3d against = transpose_mul(boxes.R, -n);
    face_b.clear(against);
    BoxShape::supporting_face(*b.shape, against, slope_b, face_b);
    face_b.normal = boxes.R * face_b.normal;
    for (int i = 0; i < face_b.count; ++i)
        face_b.points[std::size_t(i)] = boxes.from_b(face_b.points[std::size_t(i)]);

    if (!manifold_of_faces({face_a, face_b}, margin, witness, out)) return false;
    place_manifold(a.X_WG, out);
    return true;
}

ClosestPoints box_box_distance(const PlacedShape& a, const PlacedShape& b) {
    const Boxes boxes = seen_from_a(a, b);
    Axis axis;
    find_axis(boxes, std::numeric_limits<double>::infinity(), axis);
    bool met;
    return placed(a.X_WG, find_nearest(boxes, axis, met));
}

}  // namespace lig::collide
