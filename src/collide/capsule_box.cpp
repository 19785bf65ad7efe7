// A capsule and a box: the distance of the capsule's segment from the box, less the radius. All in the box's
// frame; the segment is c + t u, |t| <= h, the box |x_i| <= e_i.
//
// Apart: segment_box.h.
//
// Overlapping. The differences of the points of box and segment fill the box swept along u, a solid with
// faces across the box's axes and across every axis × u. The shortest way out is square to the face nearest
// to the centre, the smallest of six numbers
//   e_i + h |u_i| − |c_i|                      along axis i
//   e_j |g_j| + e_k |g_k| − |g·c|              along g = axis_i × u / |axis_i × u|
//
// The segment's part that lies along the box's face or edge there gives two points (manifold_of_faces).

#include "collide/face_manifold.h"
#include "collide/pairs.h"
#include "collide/segment_box.h"
#include "shapes/box.h"

#include <algorithm>
#include <limits>

namespace lig::collide {

namespace {

// Of the size of both: nearer than this, the direction between segment and box is lost in rounding and the
// two count as touching.
constexpr double touching = 2e-13;
// Sine between the segment and the face or edge of the box along which it lies. On a face this is wide, and
// the margin decides how much of the segment counts.
constexpr double along_face = 0.5, along_edge = 2e-2;
// Sine between the normal and that of the face of the box.
constexpr double face_slope = 2e-2;

// Where the segment lies over the box's face across an axis, as near to t as can be.
double over_face(const SegmentAndBox& pair, int axis, double t) {
    double lo = -pair.h, hi = pair.h;
    for (int j = 0; j < 3; ++j) {
        if (j == axis || pair.u[j] == 0) continue;
        const double first = (-pair.e[j] - pair.c[j]) / pair.u[j], last = (pair.e[j] - pair.c[j]) / pair.u[j];
        lo = std::max(lo, std::min(first, last));
        hi = std::min(hi, std::max(first, last));
    }
    return lo <= hi ? std::clamp(t, lo, hi) : t;
}

struct WayOut {
    double depth;
    Vec3d out;  // of the box
    double t;   // of the segment's deepest point
};

WayOut shortest_way_out(const SegmentAndBox& pair) {
    const Vec3d &c = pair.c, &u = pair.u, &e = pair.e;
    const double h = pair.h;
    WayOut best{std::numeric_limits<double>::infinity(), Vec3d::zero(), 0};
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        const double depth = e[i] + h * std::abs(u[i]) - std::abs(c[i]);
        if (depth < best.depth) {
            best.depth = depth;
            face = i;
        }
    }
    best.out[face] = c[face] < 0 ? -1 : 1;
    // The end that is deepest; as much of the way to it as lies over the face when the segment is level with
    // it.
    best.t = over_face(pair, face, u[face] * best.out[face] > 0 ? -h : h);

    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double length = std::sqrt(u[j] * u[j] + u[k] * u[k]);
        if (!(length > 0)) continue;
        double g_j = -u[k] / length, g_k = u[j] / length;
        const double center = g_j * c[j] + g_k * c[k];
        const double depth = e[j] * std::abs(g_j) + e[k] * std::abs(g_k) - std::abs(center);
        // Equals up to rounding are left to the face.
        if (!(depth < best.depth - 1e-14 * (e[j] + e[k]))) continue;
        if (center < 0) {
            g_j = -g_j;
            g_k = -g_k;
        }
        best.depth = depth;
        best.out = Vec3d::zero();
        best.out[j] = g_j;
        best.out[k] = g_k;
        const double edge_j = std::copysign(e[j], g_j), edge_k = std::copysign(e[k], g_k);
        best.t = std::clamp((u[j] * (edge_j - c[j]) + u[k] * (edge_k - c[k])) / (length * length), -h, h);
    }
    return best;
}

// The nearest points, or the deepest along the shortest way out, in the frame of the box; false: farther
// apart than the margin.
bool find_nearest(const SegmentAndBox& pair, double r, double margin, ClosestPoints& found) {
    double t = pair.nearest();
    const Vec3d excess = pair.excess(t);
    const double reach = r + margin, square = dot(excess, excess);
    if (square > reach * reach) return false;

    double apart = std::sqrt(square);
    const double size = pair.h + pair.e.x + pair.e.y + pair.e.z;
    if (apart > touching * size) {
        found.normal = pair.direction_to_box(t);
    } else {
        const WayOut way = shortest_way_out(pair);
        apart = -way.depth;
        found.normal = -way.out;
        t = way.t;
    }
    found.distance = apart - r;
    found.on_a = pair.at(t) + r * found.normal;
    found.on_b = found.on_a + found.distance * found.normal;
    return found.distance <= margin;
}

SegmentAndBox seen_from_box(const PlacedShape& capsule, const PlacedShape& box) {
    const Mat3d& R = box.X_WG.R;
    return {transpose_mul(R, capsule.X_WG.p - box.X_WG.p), transpose_mul(R, capsule.X_WG.R.z),
            capsule.shape->size.y, box.shape->size};
}

}  // namespace

bool capsule_box(const PlacedShape& a, const PlacedShape& b, double margin, PairManifold& out) {
    const double r = a.shape->size.x;
    const SegmentAndBox pair = seen_from_box(a, b);
    ClosestPoints witness;
    if (!find_nearest(pair, r, margin, witness)) return false;

    const Vec3d& n = witness.normal;
    const double tilt = std::abs(dot(pair.u, n));
    const double level = std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)});
    const bool on_face = level * level >= 1 - face_slope * face_slope;
    if (tilt > (on_face ? along_face : along_edge)) {
        const Vec3d n_W = b.X_WG.R * n;
        set_single_point(n_W, point_from_a(b.X_WG * witness.on_a, n_W, witness.distance, 0), out);
        return true;
    }
    SupportingFace segment, face;
    segment.clear(n);
    segment.add(pair.at(-pair.h), 0);
    segment.add(pair.at(pair.h), 1);
    face.clear(-n);
    BoxShape::supporting_face(*b.shape, -n, face_slope, face);
    if (!manifold_of_faces({segment, face, r}, margin, witness, out)) return false;
    place_manifold(b.X_WG, out);
    return true;
}

ClosestPoints capsule_box_distance(const PlacedShape& a, const PlacedShape& b) {
    ClosestPoints found;
    find_nearest(seen_from_box(a, b), a.shape->size.x, std::numeric_limits<double>::infinity(), found);
    return placed(b.X_WG, found);
}

}  // namespace lig::collide
