// Every triangle near the shape is asked for the pair of nearest points, or the shortest way out, and whether
// the surface around agrees: if from there the shape is seen along n, no direction into the surface may make
// an acute angle with n. Otherwise a neighbour is nearer (or deeper), and it will say so itself. On a flat or
// hollow edge no direction but the faces' own normals passes, on a sharp edge those between the two normals
// pass, on a vertex those in the cone of its faces: the normals that the surface has as a whole. So nothing
// snags on the inner edges of a flat floor.
//
// What does not pass may still be a second point of support, as under a box that stands on several triangles:
// the triangle then speaks for its own face, along its own normal, for what of the shape is over it.
//
// Solids (closed meshes, height fields) are touched from outside only. A shape whose middle is inside takes
// the way out of its middle.

#include "collide/surface_pairs.h"

#include "collide/face_manifold.h"
#include "collide/surface_groups.h"
#include "collide/surface_view.h"
#include "core/length.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

// Directions this near (sine) count as the same.
constexpr double same_direction = 1e-6;
// The search for the nearest points of general shapes finds distances to about nine digits, and directions,
// of which round shapes' distances depend by their squares only, to half as many.
constexpr double searched_direction = 1e-4;
// Faces and edges are taken for manifolds when they are this near to square to the normal; as among convex
// shapes.
constexpr double face_slope = 0.1;
// How far beside a triangle a point still counts as over it, relative to the shape.
constexpr double beside = 1e-6;

// The shape in the frame F: the axes of the surface, the origin of the shape.
struct Mover {
    const CollisionShape& shape;
    Mat3d R;  // from the shape's axes to F
    double radius;
    double reach;  // no point of the core is farther from the origin
    double direction_slack;
    Vec3d middle;
    Bounds box;
    Bounds own_box;  // along the shape's own axes

    Mover(const CollisionShape& shape, const Mat3d& R)
        : shape(shape),
          R(R),
          radius(core_radius(shape)),
          middle(R * interior_point(shape)),
          box(bounds(shape, {R, Vec3d::zero()})),
          own_box(bounds(shape, Transformd::identity())) {
        Vec3d far;
        for (int i = 0; i < 3; ++i)
            far[i] = std::max(std::abs(own_box.lower[i]), std::abs(own_box.upper[i]));
        reach = length(far);
        const bool in_closed_form = shape.type == ShapeType::sphere || shape.type == ShapeType::capsule;
        direction_slack = in_closed_form ? same_direction : searched_direction;
    }

    // False: farther than the margin away, seen along the shape's own axes. Most triangles that a box along
    // the surface's axes meets are, unless the shape is round.
    bool may_touch(const TriangleCorners& corners, double margin) const {
        if (shape.type == ShapeType::sphere) return true;
        Bounds seen = Bounds::nothing();
        for (const Vec3d& c : corners) seen.add(transpose_mul(R, c));
        return seen.overlaps(own_box.grown(margin));
    }

    Vec3d support(const Vec3d& d) const { return R * core_support(shape, transpose_mul(R, d)); }
    void face_along(const Vec3d& d, SupportingFace& face) const {
        supporting_face(shape, transpose_mul(R, d), face_slope, face);
        for (int i = 0; i < face.count; ++i) face.points[i] = R * face.points[i];
        face.normal = R * face.normal;
    }
};

// The frame F in the world, and the mover's origin seen from the surface.
struct Frame {
    Transformd X_WF;
    Mat3d R_FG;
    Vec3d origin;
};
Frame frame_of(const PlacedShape& convex, const PlacedShape& surface) {
    const Mat3d& R = surface.X_WG.R;
    return {{R, convex.X_WG.p},
            transpose_mul(R, convex.X_WG.R),
            transpose_mul(R, convex.X_WG.p - surface.X_WG.p)};
}

// What of a triangle looks along n from the point `at`: its face, an edge or a corner. Ids are the corners'.
void face_of_triangle(const SurfaceTriangle& triangle, const PointOnTriangle& at, const Vec3d& n,
                      SupportingFace& face) {
    const TriangleCorners& c = triangle.corners;
    face.clear(n);
    if (length(cross(n, triangle.normal)) <= face_slope) {
        const bool front = dot(n, triangle.normal) > 0;
        for (int i = 0; i < 3; ++i) {
            const int k = front ? i : 2 - i;
            face.add(c[k], k);
        }
        face.normal = front ? triangle.normal : -triangle.normal;
        return;
    }
    int edge = -1;
    if (at.region == TriangleRegion::edge) {
        edge = at.k;
    } else if (at.region == TriangleRegion::corner) {
        double least = face_slope;
        for (const int k : {at.k, (at.k + 2) % 3}) {
            const Vec3d along = c[(k + 1) % 3] - c[k];
            const double sine = std::abs(dot(along, n)) / length(along);
            if (sine <= least) {
                least = sine;
                edge = k;
            }
        }
    }
    if (edge >= 0) {
        face.add(c[edge], edge);
        face.add(c[(edge + 1) % 3], (edge + 1) % 3);
    } else {
        const int corner = at.region == TriangleRegion::corner ? at.k : 0;
        face.add(c[corner], corner);
    }
}

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint64_t x = (static_cast<std::uint64_t>(a) << 32 | b) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    return static_cast<std::uint32_t>((x * 0xbf58476d1ce4e5b9u) >> 32);
}

// Features by vertices of the surface instead of corners of a triangle: the same from whichever triangle they
// are seen. A vertex of the shape needs no more than itself, over whichever triangle it is.
std::uint32_t feature_on_surface(std::uint32_t feature, const SurfaceTriangle& triangle) {
    constexpr std::uint32_t low = (1u << 30) - 1;
    const FaceFeature f = face_feature(feature);
    switch (f.kind) {
        case FaceFeature::Kind::witness:
        case FaceFeature::Kind::vertex_of_a: return feature;
        case FaceFeature::Kind::vertex_of_b: return (feature & ~low) | (triangle.vertices[f.from_b] & low);
        case FaceFeature::Kind::crossing: break;
    }
    const std::uint32_t p = triangle.vertices[f.from_b], q = triangle.vertices[f.to_b];
    const std::uint32_t a = std::min(f.from_a, f.to_a) << 8 | std::max(f.from_a, f.to_a);
    return (feature & ~low) | (mixed(a, mixed(std::min(p, q), std::max(p, q))) & low);
}

template <class View>
class SurfaceCollider {
public:
    SurfaceCollider(const Mover& mover, const View& view, double margin, SurfaceGroups& groups)
        : mover_(mover), view_(view), margin_(margin), groups_(groups) {}

    void run() {
        groups_.clear();
        view_.visit(mover_.box.grown(margin_), [&](int t) { see(t); });
        if (left_out_ && groups_.empty()) {
            // Many triangles each flat with the next, but not all in one plane: nothing to leave out.
            keep_inner_ = true;
            view_.visit(mover_.box.grown(margin_), [&](int t) { see(t); });
        }
        if (!(groups_.min_distance() < 0)) speak_for_all();
        if (!view_.solid()) return;
        if (!behind_ && !groups_.empty()) return;
        // A height field is solid all the way down, also where none of its triangles is near.
        if (const std::optional<WayOut> way = view_.way_out(mover_.middle, 2 * mover_.reach + margin_))
            push_out(*way);
    }

private:
    void see(int t) {
        const SurfaceTriangle triangle = view_.triangle(t);
        if (!mover_.may_touch(triangle.corners, margin_)) return;
        std::optional<ClosestPoints> found = shape_triangle_distance(
            mover_.shape, mover_.R, mover_.reach, triangle.corners, triangle.normal, margin_);
        if (!found) return;
        Vec3d n = -found->normal;
        PointOnTriangle at{found->on_b, TriangleRegion::face, 0};
        bool nearest = true, front = true;
        if (length(cross(n, triangle.normal)) <= mover_.direction_slack) {
            front = dot(n, triangle.normal) > 0;
            n = front ? triangle.normal : -triangle.normal;
            found->normal = -n;
            found->on_b = found->on_a + found->distance * found->normal;
        } else {
            at = locate_on_triangle(triangle.corners, found->on_b);
            look_around(t, triangle, at, n, nearest, front);
        }
        const bool pierces = found->distance < -mover_.radius;
        if (nearest && (front || !view_.solid())) {
            if (at.region == TriangleRegion::edge) square_up(triangle, at.k, *found);
            add(t, triangle, at, *found);
            return;
        }
        if (pierces)
            remember_way_out(triangle);
        else if (!nearest)
            remember_rejected(t, triangle, *found);
        if (!nearest || pierces)
            see_face(t, triangle);  // for one that is nearest: more is behind than in front, but it may count
        else
            behind_ = true;
    }

    // For shapes that no triangle may speak for: see speak_for_all.
    void remember_rejected(int t, const SurfaceTriangle& triangle, const ClosestPoints& found) {
        if (view_.solid() && dot(found.normal, triangle.normal) >= 0) return;
        if (!(found.distance < rejected_.distance)) return;
        rejected_ = found;
        rejected_triangle_ = t;
    }
    void remember_way_out(const SurfaceTriangle& triangle) {
        const bool front = view_.solid() || dot(triangle.normal, mover_.middle - triangle.corners[0]) >= 0;
        const Vec3d n = front ? triangle.normal : -triangle.normal;
        const Vec3d low = mover_.support(-n) - mover_.radius * n;
        const double distance = dot(n, low - triangle.corners[0]);
        if (distance > last_resort_.distance) last_resort_ = {distance, low, low - distance * n, -n};
    }
    // Every triangle that is touched or pierced has left it to its neighbours. If some are pierced, the
    // shortest of the ways out in front of one whole triangle's plane; otherwise only rounding can have
    // done it, and the nearest triangle decides.
    void speak_for_all() {
        if (last_resort_.distance > -std::numeric_limits<double>::infinity()) {
            const ManifoldPoint point{last_resort_.on_a, last_resort_.on_b, last_resort_.distance, 0};
            groups_.add(last_resort_.normal, &point, 1);
        } else if (rejected_triangle_ >= 0 && (rejected_.distance < 0 || groups_.empty())) {
            const SurfaceTriangle triangle = view_.triangle(rejected_triangle_);
            add(rejected_triangle_, triangle, locate_on_triangle(triangle.corners, rejected_.on_b),
                rejected_);
        }
    }

    // Whether the surface around agrees, and sees the shape in front. All triangles around a vertex ask the
    // same about it, so the last answer is kept.
    void look_around(int t, const SurfaceTriangle& triangle, const PointOnTriangle& at, const Vec3d& n,
                     bool& nearest, bool& front) {
        const bool corner = at.region == TriangleRegion::corner;
        if (corner && asked_.vertex == triangle.vertices[at.k] &&
            length(n - asked_.n) <= same_direction) {
            nearest = asked_.nearest;
            front = asked_.front;
            return;
        }
        nearest = is_nearest_around(view_, t, triangle, at, n, mover_.direction_slack);
        front = !nearest || !view_.solid() || dot(n, outward_at(view_, t, triangle, at)) > 0;
        if (corner) asked_ = {triangle.vertices[at.k], n, nearest, front};
    }

    // What touches an edge does so square to it.
    static void square_up(const SurfaceTriangle& triangle, int k, ClosestPoints& found) {
        const Vec3d edge = triangle.corners[(k + 1) % 3] - triangle.corners[k];
        const Vec3d n = found.normal - dot(found.normal, edge) / dot(edge, edge) * edge;
        found.normal = (1 / length(n)) * n;
        found.on_b = found.on_a + found.distance * found.normal;
    }

    // What of the shape is over the triangle itself, along its own normal.
    void see_face(int t, const SurfaceTriangle& triangle) {
        if (mover_.shape.type == ShapeType::sphere)
            return;  // its lowest point is over no triangle but the nearest
        const double side = dot(triangle.normal, mover_.middle - triangle.corners[0]);
        if (view_.solid() && side <= 0) {
            behind_ = true;
            return;
        }
        const Vec3d n = side >= 0 ? triangle.normal : -triangle.normal;
        const Vec3d low = mover_.support(-n) - mover_.radius * n;
        const double distance = dot(n, low - triangle.corners[0]);
        if (distance > margin_) return;
        add(t, triangle, {low - distance * n, TriangleRegion::face, 0},
            {distance, low, low - distance * n, -n}, true);
    }

    void add(int t, const SurfaceTriangle& triangle, const PointOnTriangle& at, const ClosestPoints& witness,
             bool only_over = false) {
        SupportingFace face, surface_face;
        mover_.face_along(witness.normal, face);
        const double tolerance = beside * mover_.reach;
        if (only_over && face.count == 1 &&
            !is_over_triangle(triangle.corners, triangle.normal, face.points[0], tolerance))
            return;
        face_of_triangle(triangle, at, -witness.normal, surface_face);
        std::array<ManifoldPoint, face_point_capacity> points;
        const int found = points_of_faces({face, surface_face, mover_.radius}, margin_, witness, points);
        int count = 0;
        for (int i = 0; i < found; ++i) {
            ManifoldPoint point = points[i];
            if (only_over && !is_over_triangle(triangle.corners, triangle.normal, point.on_b, tolerance))
                continue;
            if (surface_face.count == 3 && !keep_inner_ &&
                is_inner(t, triangle, face_feature(point.feature))) {
                left_out_ = true;
                continue;
            }
            point.feature = feature_on_surface(point.feature, triangle);
            points[count++] = point;
        }
        groups_.add(witness.normal, points.data(), count);
    }

    // Whether a corner of the common part of two faces lies where the surface goes on flat: an outline of the
    // triangle, not of what the shape stands on.
    bool is_inner(int t, const SurfaceTriangle& triangle, const FaceFeature& feature) const {
        const auto is_flat = [&](const Vec3d& normal) {
            return length(cross(normal, triangle.normal)) <= same_direction &&
                   dot(normal, triangle.normal) > 0;
        };
        if (feature.kind == FaceFeature::Kind::crossing) {
            const int from = static_cast<int>(feature.from_b), to = static_cast<int>(feature.to_b);
            const std::optional<EdgeNeighbor> next = view_.across_edge(t, to == (from + 1) % 3 ? from : to);
            return next && is_flat(next->normal);
        }
        if (feature.kind == FaceFeature::Kind::vertex_of_b) {
            const int k = static_cast<int>(feature.from_b);
            // The edges first: around a corner at a free edge there is no neighbour to be seen.
            for (const int edge : {k, (k + 2) % 3}) {
                const std::optional<EdgeNeighbor> next = view_.across_edge(t, edge);
                if (!next || !is_flat(next->normal)) return false;
            }
            bool flat = true;
            double turn = 0;
            view_.around_corner(t, k, [&](const VertexSector& s) {
                turn += std::atan2(length(cross(s.first, s.second)), dot(s.first, s.second));
                flat = is_flat(s.normal);
                return flat;
            });
            return flat && turn > 6.28;
        }
        return false;
    }

    // The shape's middle is inside: everything that looks down on the plane it has to pass.
    void push_out(const WayOut& way) {
        SupportingFace face;
        mover_.face_along(-way.normal, face);
        std::array<ManifoldPoint, SupportingFace::capacity> points;
        int count = 0;
        for (int i = 0; i < face.count; ++i) {
            const Vec3d p = face.points[i] - mover_.radius * way.normal;
            const double distance = dot(way.normal, p - way.point);
            if (distance > margin_) continue;
            points[count++] = {p, p - distance * way.normal, distance, 1u << 30 | face.ids[i]};
        }
        groups_.clear();
        groups_.add(-way.normal, points.data(), count);
    }

    const Mover& mover_;
    const View& view_;
    double margin_;
    SurfaceGroups& groups_;
    bool behind_ = false;  // something of the surface is seen from inside
    bool left_out_ = false, keep_inner_ = false;  // inner points
    struct Asked {
        std::uint32_t vertex = ~0u;
        Vec3d n{0, 0, 0};
        bool nearest = false, front = false;
    };
    Asked asked_;
    ClosestPoints rejected_{std::numeric_limits<double>::infinity(), {}, {}, {}};
    int rejected_triangle_ = -1;
    ClosestPoints last_resort_{-std::numeric_limits<double>::infinity(), {}, {}, {}};
};

template <class View>
ClosestPoints distance_to(const Mover& mover, const View& view) {
    SurfaceGroups groups;
    SurfaceCollider(mover, view, 0, groups).run();
    if (!groups.empty()) {
        Vec3d normal;
        const ManifoldPoint& point = groups.deepest(normal);
        return {point.distance, point.on_a, point.on_a + point.distance * normal, normal};
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ClosestPoints best{infinity, mover.middle, mover.middle, {0, 0, 1}};
    const std::optional<NearestOnSurface> from_middle = view.nearest(mover.middle, infinity);
    if (!from_middle) return best;
    // No farther from the shape than from its middle.
    double limit = std::sqrt(from_middle->square);
    view.visit(mover.box.grown(limit), [&](int t) {
        const SurfaceTriangle triangle = view.triangle(t);
        const auto found = shape_triangle_distance(mover.shape, mover.R, mover.reach, triangle.corners,
                                                   triangle.normal, limit);
        if (found && found->distance < best.distance) {
            best = *found;
            limit = std::max(best.distance, 0.0);
        }
    });
    return best;
}

template <class Do>
void with_view(const CollisionShape& surface, const Vec3d& origin, Do&& act) {
    if (surface.type == ShapeType::trimesh)
        act(TrimeshView(*surface.surface, origin));
    else if (!surface.grid->levels.empty())
        act(HeightFieldView(*surface.grid, origin));
}

}  // namespace

void collide_with_surface(const PlacedShape& convex, const PlacedShape& surface, double margin,
                          NarrowOutput& out) {
    const Frame frame = frame_of(convex, surface);
    const Mover mover(*convex.shape, frame.R_FG);
    with_view(*surface.shape, frame.origin, [&](const auto& view) {
        SurfaceGroups groups;
        SurfaceCollider(mover, view, margin, groups).run();
        groups.append_to(out.manifolds, frame.X_WF);
    });
}

ClosestPoints surface_distance(const PlacedShape& convex, const PlacedShape& surface) {
    const Frame frame = frame_of(convex, surface);
    const Mover mover(*convex.shape, frame.R_FG);
    // A surface without triangles is nowhere.
    ClosestPoints found{std::numeric_limits<double>::infinity(), mover.middle, mover.middle, {0, 0, 1}};
    if (surface.shape->type == ShapeType::plane) {
        const Vec3d up{0, 0, 1};
        const Vec3d low = mover.support(-up) - mover.radius * up;
        const double distance = low.z + frame.origin.z;
        found = {distance, low, low - distance * up, -up};
    } else {
        with_view(*surface.shape, frame.origin, [&](const auto& view) { found = distance_to(mover, view); });
    }
    return {found.distance, frame.X_WF * found.on_a, frame.X_WF * found.on_b, frame.X_WF.R * found.normal};
}

}  // namespace lig::collide
