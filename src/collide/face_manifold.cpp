// Everything happens in the plane square to the normal n: both faces are convex polygons there, and what they
// have in common is one of them cut by the edges of the other (Sutherland and Hodgman). The cut polygon's
// corners are of three kinds, which name the features:
//   a vertex of A over B,  a vertex of B over A,  an edge of A crossing an edge of B.
// At each corner q the distance is that of the two faces' planes along n. Since the depth along n is the
// largest overlap of any line along n, no corner is deeper than the witness.
//
// Corners of one face that lie a little outside an edge of the other count as on it. Otherwise boxes of one
// size stacked on each other would name their corners differently from step to step. The face's plane reaches
// farther there than the face; so that no corner is deeper than the shapes are, the witness bounds the depth.

#include "collide/face_manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

// How far outside an edge a corner still counts as on it, relative to the size of the smaller face. Where
// other faces follow beyond the edge, as on surfaces, only rounding is forgiven.
constexpr double on_edge = 1e-3, on_inner_edge = 1e-7;
// Two edges are side by side when the sine between them is below this.
constexpr double side_by_side = 1e-2;
// By how much less deep than the witness the deepest corner may be, relative to the faces' size, to be it up
// to rounding; and to stand for a witness that is not a corner.
constexpr double equally_deep = 1e-13, as_deep = 1e-9;

// Features: two bits of kind, then ids. An edge is named by the id of its first vertex, and by that of its
// second as far as there is room: this tells the edges of one face apart, and nearly always those of
// different faces.
constexpr std::uint32_t witness_feature = 0;
std::uint32_t vertex_of_a(std::uint32_t id) { return 1u << 30 | id; }
std::uint32_t vertex_of_b(std::uint32_t id) { return 2u << 30 | id; }
std::uint32_t crossing(const SupportingFace& a, int edge_a, const SupportingFace& b, int edge_b) {
    const std::uint32_t from_a = a.ids[edge_a], to_a = a.ids[(edge_a + 1) % a.count];
    const std::uint32_t from_b = b.ids[edge_b], to_b = b.ids[(edge_b + 1) % b.count];
    return 3u << 30 | from_a << 22 | from_b << 14 | (to_a & 127u) << 7 | (to_b & 127u);
}

// The two faces as the one that cuts and the one that is cut.
struct Roles {
    const SupportingFace *knife, *cut;
    bool cut_is_b;
    Vec3d out;  // where the knife looks
    double tolerance;  // on_edge in metres

    std::uint32_t feature_of_cut_vertex(int v) const {
        return cut_is_b ? vertex_of_b(cut->ids[v]) : vertex_of_a(cut->ids[v]);
    }
    std::uint32_t feature_of_knife_vertex(int v) const {
        return cut_is_b ? vertex_of_a(knife->ids[v]) : vertex_of_b(knife->ids[v]);
    }
    std::uint32_t feature_of_crossing(int cut_edge, int knife_edge) const {
        return cut_is_b ? crossing(*knife, knife_edge, *cut, cut_edge)
                        : crossing(*cut, cut_edge, *knife, knife_edge);
    }
};

double size_of(const SupportingFace& face) {
    double square = 0;
    for (int i = 1; i < face.count; ++i) {
        const Vec3d d = face.points[i] - face.points[0];
        square = std::max(square, dot(d, d));
    }
    return std::sqrt(square);
}

// A line in the plane of the cut, by its unit normal, which looks out of the knife.
struct Side {
    Vec3d out, through;
    double outside(const Vec3d& p) const { return dot(out, p - through); }
};
// Edge e of the knife. An edge so short that it has no direction cuts nothing off.
Side side_of_edge(const Roles& roles, int e) {
    const Vec3d& from = roles.knife->points[e];
    const Vec3d& to = roles.knife->points[(e + 1) % roles.knife->count];
    const Vec3d n = cross(to - from, roles.out);
    const double length = std::sqrt(dot(n, n));
    return {length > roles.tolerance ? (1 / length) * n : Vec3d::zero(), from};
}

struct Corner {
    Vec3d point;
    std::uint32_t feature;
    int next_edge;  // the edge that goes on from here: of the cut face, or −1 − that of the knife
};
constexpr int corner_capacity = face_point_capacity - 1;  // and the witness

// A polygon cut by a polygon; returns the number of corners, which lie in the plane of the cut face.
int cut_polygon(const Roles& roles, Corner* corners) {
    std::array<Corner, corner_capacity> other;
    Corner *from = corners, *to = other.data();
    int count = roles.cut->count;
    for (int v = 0; v < count; ++v) from[v] = {roles.cut->points[v], roles.feature_of_cut_vertex(v), v};

    for (int e = 0; e < roles.knife->count && count > 0; ++e) {
        const Side side = side_of_edge(roles, e);
        int kept = 0;
        const auto keep = [&](const Corner& corner) {
            if (kept < corner_capacity) to[kept++] = corner;
        };
        double outside = side.outside(from[0].point);
        for (int i = 0; i < count; ++i) {
            const Corner& here = from[i];
            const Corner& next = from[i + 1 < count ? i + 1 : 0];
            const double next_outside = side.outside(next.point);
            const bool is_in = outside <= roles.tolerance, next_is_in = next_outside <= roles.tolerance;
            if (is_in) keep(here);
            if (is_in != next_is_in) {
                const int along = here.next_edge;
                if (std::abs(is_in ? outside : next_outside) <= roles.tolerance) {
                    // The inner one is on the line already: no second corner beside it.
                    if (is_in) to[kept - 1].next_edge = -1 - e;
                } else {
                    Corner made;
                    made.point = here.point + outside / (outside - next_outside) * (next.point - here.point);
                    made.next_edge = is_in ? -1 - e : along;
                    if (along >= 0) {
                        made.feature = roles.feature_of_crossing(along, e);
                    } else {
                        // Along an edge of the knife to the next one: their common vertex is the first of the
                        // later, except between the last edge and the first.
                        const bool around = along == -1 && e == roles.knife->count - 1;
                        made.feature = roles.feature_of_knife_vertex(around ? 0 : e);
                    }
                    keep(made);
                }
            }
            outside = next_outside;
        }
        std::swap(from, to);
        count = kept;
    }
    if (from != corners) std::copy_n(from, count, corners);
    return count;
}

// A segment between lines: the part from t[0] to t[1] of the way along the cut edge.
struct SegmentCut {
    const Roles& roles;
    Vec3d start, along;
    std::array<double, 2> t{0, 1};
    std::array<std::uint32_t, 2> features;

    explicit SegmentCut(const Roles& r)
        : roles(r),
          start(r.cut->points[0]),
          along(r.cut->points[1] - r.cut->points[0]),
          features{r.feature_of_cut_vertex(0), r.feature_of_cut_vertex(1)} {}

    void cut(const Side& side, std::uint32_t feature) {
        const double first = side.outside(start), last = side.outside(start + along);
        if (first > roles.tolerance && last > roles.tolerance) {
            t = {1, 0};
        } else if (first > roles.tolerance || last > roles.tolerance) {
            const int end = first > roles.tolerance ? 0 : 1;
            const double at = std::clamp(first / (first - last), 0.0, 1.0);
            if (end == 0 ? at > t[0] : at < t[1]) {
                t[end] = at;
                features[end] = feature;
            }
        }
    }

    int corners(Corner* out) const {
        const double length = std::sqrt(dot(along, along));
        if (!((t[1] - t[0]) * length > roles.tolerance)) return 0;
        for (int end = 0; end < 2; ++end) out[end] = {start + t[end] * along, features[end], 0};
        return 2;
    }
};

int cut_edge_by_face(const Roles& roles, Corner* corners) {
    SegmentCut segment(roles);
    for (int e = 0; e < roles.knife->count; ++e)
        segment.cut(side_of_edge(roles, e), roles.feature_of_crossing(0, e));
    return segment.corners(corners);
}

int cut_edge_by_edge(const Roles& roles, Corner* corners) {
    SegmentCut segment(roles);
    const Vec3d& first = roles.knife->points[0];
    const Vec3d& last = roles.knife->points[1];
    const Vec3d along = last - first;
    const double square = dot(along, along);
    const Vec3d apart = cross(along, segment.along);
    if (!(dot(apart, apart) < side_by_side * side_by_side * square * dot(segment.along, segment.along)))
        return 0;
    const Vec3d unit = (1 / std::sqrt(square)) * along;
    segment.cut({-unit, first}, roles.feature_of_knife_vertex(0));
    segment.cut({unit, last}, roles.feature_of_knife_vertex(1));
    return segment.corners(corners);
}

// How far along n from p the face is. An edge is met at its point nearest to p's line.
double height_above(const Vec3d& p, const SupportingFace& face, const Vec3d& n) {
    const Vec3d to_face = face.points[0] - p;
    if (face.count >= 3) return dot(face.normal, to_face) / dot(face.normal, n);
    const Vec3d along = face.points[1] - face.points[0];
    const Vec3d level = along - dot(along, n) * n;
    const double t = std::clamp(-dot(to_face, level) / dot(level, level), 0.0, 1.0);
    return dot(n, to_face + t * along);
}

ManifoldPoint& nearest_point(ManifoldPoint* points, int count, const Vec3d& on_a) {
    const auto square = [&](const ManifoldPoint& p) { return dot(p.on_a - on_a, p.on_a - on_a); };
    ManifoldPoint* nearest = points;
    for (int i = 1; i < count; ++i)
        if (square(points[i]) < square(*nearest)) nearest = points + i;
    return *nearest;
}

// What the witness alone is called.
std::uint32_t single_feature(const SupportingFace& a, const SupportingFace& b) {
    if (a.count == 1) return vertex_of_a(a.ids[0]);
    if (b.count == 1) return vertex_of_b(b.ids[0]);
    if (a.count == 2 && b.count == 2) return crossing(a, 0, b, 0);
    return witness_feature;
}

using FacePoints = std::array<ManifoldPoint, face_point_capacity>;

int find_points(const FacePair& faces, double margin, const ClosestPoints& witness, double edge_width,
                FacePoints& points) {
    if (!(witness.distance <= margin)) return 0;
    const auto& [a, b, radius_a, radius_b] = faces;
    const Vec3d& n = witness.normal;

    std::array<Corner, corner_capacity> corners;
    int corner_count = 0;
    const double size_a = size_of(a), size_b = size_of(b), size = std::max(size_a, size_b);
    const double tolerance = edge_width * std::min(size_a, size_b);
    // Of two faces the one with fewer edges cuts, of two faces alike and of two edges A.
    const bool b_cuts = b.count >= 3 && (a.count < 3 || b.count < a.count);
    if (a.count >= 2 && b.count >= 2) {
        const Roles roles = b_cuts ? Roles{&b, &a, false, -n, tolerance} : Roles{&a, &b, true, n, tolerance};
        if (roles.cut->count >= 3)
            corner_count = cut_polygon(roles, corners.data());
        else if (roles.knife->count >= 3)
            corner_count = cut_edge_by_face(roles, corners.data());
        else
            corner_count = cut_edge_by_edge(roles, corners.data());
    }

    int count = 0;
    double deepest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < corner_count; ++i) {
        const Corner& corner = corners[i];
        const double gap = b_cuts ? height_above(corner.point, b, n) : -height_above(corner.point, a, n);
        // Faces of hulls, too, are flat only up to what was taken as one plane.
        const double distance = std::max(gap - radius_a - radius_b, witness.distance);
        if (!(distance <= margin)) continue;
        const Vec3d on_a = (b_cuts ? corner.point : corner.point - gap * n) + radius_a * n;
        points[count++] = {on_a, on_a + distance * n, distance, corner.feature};
        deepest = std::min(deepest, distance);
    }
    if (deepest - witness.distance <= equally_deep * size) return count;
    // A corner that counts as on an edge takes the place of a crossing beside it, which may be the witness:
    // this then has the corner's name.
    if (count > 0) {
        ManifoldPoint& nearest = nearest_point(points.data(), count, witness.on_a);
        const Vec3d aside = nearest.on_a - witness.on_a;
        if (dot(aside, aside) <= 4 * tolerance * tolerance) {
            nearest = {witness.on_a, witness.on_b, witness.distance, nearest.feature};
            return count;
        }
    }
    if (deepest - witness.distance > as_deep * size) {
        const std::uint32_t feature = count == 0 ? single_feature(a, b) : witness_feature;
        points[count++] = {witness.on_a, witness.on_b, witness.distance, feature};
        return count;
    }
    for (int i = 0; i < count; ++i) {
        if (points[i].distance != deepest) continue;
        points[i].distance = witness.distance;
        points[i].on_b = points[i].on_a + witness.distance * n;
    }
    return count;
}

}  // namespace

int points_of_faces(const FacePair& faces, double margin, const ClosestPoints& witness, FacePoints& points) {
    return find_points(faces, margin, witness, on_inner_edge, points);
}

bool manifold_of_faces(const FacePair& faces, double margin, const ClosestPoints& witness,
                       PairManifold& out) {
    FacePoints points;
    const int count = find_points(faces, margin, witness, on_edge, points);
    if (count == 0) return false;
    out.normal = witness.normal;
    out.part = 0;
    out.count = 0;
    keep_extreme_points(points.data(), count, out);
    return true;
}

FaceFeature face_feature(std::uint32_t feature) {
    switch (feature >> 30) {
        case 1: return {FaceFeature::Kind::vertex_of_a, feature & 255u, 0, 0, 0};
        case 2: return {FaceFeature::Kind::vertex_of_b, 0, 0, feature & 255u, 0};
        case 3:
            return {FaceFeature::Kind::crossing, feature >> 22 & 255u, feature >> 7 & 127u,
                    feature >> 14 & 255u, feature & 127u};
        default: return {FaceFeature::Kind::witness, 0, 0, 0, 0};
    }
}

}  // namespace lig::collide
