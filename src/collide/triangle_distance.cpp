// A segment S and a triangle T are apart by the least of: the distances of S's ends from T, and those of S
// from T's edges. If S pierces T, the set T − S of all differences is a prism around the origin. Its faces
// are T shifted along S (two, square to the triangle's normal) and the parallelograms of S with each edge
// (three); the nearest of them tells the way out.

#include "collide/triangle_distance.h"

#include "collide/convex.h"
#include "core/length.h"
#include "shapes/shape_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::collide {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A direction shorter than this part of the lengths it was made from is rounding.
constexpr double negligible = 1e-12;

// How far along from a to b the point nearest to p is, 0 to 1.
double nearest_along(const Vec3d& a, const Vec3d& b, const Vec3d& p) {
    const Vec3d along = b - a;
    const double square = dot(along, along);
    return square > 0 ? std::clamp(dot(p - a, along) / square, 0.0, 1.0) : 0.0;
}

PointOnTriangle on_edge(const TriangleCorners& c, int k, double t) {
    const int next = (k + 1) % 3;
    if (t <= 0) return {c[k], TriangleRegion::corner, k};
    if (t >= 1) return {c[next], TriangleRegion::corner, next};
    // From the nearer end, so that both ends round alike.
    const Vec3d p = t < 0.5 ? c[k] + t * (c[next] - c[k]) : c[next] + (1 - t) * (c[k] - c[next]);
    return {p, TriangleRegion::edge, k};
}

struct NearestPair {
    double square;
    Vec3d on_segment, on_triangle;
};

// Two segments; the pair is that of the infinite lines pulled back into both, end by end.
void nearer_of_segments(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d, NearestPair& best) {
    const auto consider = [&](double s, double t) {
        const Vec3d p = a + s * (b - a), q = c + t * (d - c);
        const Vec3d gap = q - p;
        if (dot(gap, gap) < best.square) best = {dot(gap, gap), p, q};
    };
    const Vec3d u = b - a, v = d - c, w = a - c;
    const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
    const double det = uu * vv - uv * uv;
    if (det > negligible * uu * vv) {
        const double s = std::clamp((uv * dot(v, w) - vv * dot(u, w)) / det, 0.0, 1.0);
        const double t = nearest_along(c, d, a + s * u);
        consider(nearest_along(a, b, c + t * v), t);
    }
    // Side by side, or nearly so: an end of one is nearest.
    consider(0, nearest_along(c, d, a));
    consider(1, nearest_along(c, d, b));
    consider(nearest_along(a, b, c), 0);
    consider(nearest_along(a, b, d), 1);
}

// The way out of a pierced triangle.
ClosestPoints pierced(const Vec3d& a, const Vec3d& b, const TriangleCorners& c, const Vec3d& normal,
                      const Vec3d& at) {
    ClosestPoints best{-infinity, at, at, -normal};
    // Along ±normal: until the end that is behind comes up.
    for (const double side : {1.0, -1.0}) {
        const Vec3d n = side * normal;
        const double depth_a = dot(n, a - c[0]), depth_b = dot(n, b - c[0]);
        const Vec3d& end = depth_a < depth_b ? a : b;
        const double distance = std::min(depth_a, depth_b);
        if (distance > best.distance) best = {distance, end, end - distance * n, -n};
    }
    // Across an edge: both lines lie in planes square to n.
    const Vec3d along = b - a;
    for (int k = 0; k < 3; ++k) {
        const Vec3d edge = c[(k + 1) % 3] - c[k];
        Vec3d n = cross(edge, along);
        const double size = length(n);
        if (!(size > negligible * length(edge) * length(along))) continue;
        n = (1 / size) * n;
        if (dot(n, c[k] - at) < 0)
            n = -n;  // from the piercing point to the edge: the way the segment moves out
        const double distance = -dot(n, c[k] - at);
        if (distance > best.distance) {
            NearestPair pair{infinity, at, at};
            const Vec3d shift = -distance * n;
            nearer_of_segments(a + shift, b + shift, c[k], c[(k + 1) % 3], pair);
            best = {distance, pair.on_triangle - shift, pair.on_triangle, -n};
        }
    }
    return best;
}

// The part of a triangle within `reach` of the origin, and some more, as a smaller triangle of the same shape
// with a point q in common: the nearest to the origin, or the corner or a point of the edge that is near to
// that. A part too small would end within reach at a line that is no edge; then it is taken larger.
TriangleCorners piece_within(const TriangleCorners& c, const Vec3d& normal, double reach) {
    double longest = 0;
    for (int k = 0; k < 3; ++k) longest = std::max(longest, length(c[(k + 1) % 3] - c[k]));
    constexpr double worthwhile = 64;
    if (!(longest > worthwhile * reach)) return c;

    Vec3d q = nearest_on_triangle(c, normal, Vec3d::zero()).point;
    std::array<bool, 3> on_q{};  // edges through q
    int corner = -1;
    for (int k = 0; k < 3; ++k)
        if (length(c[k] - q) <= 2 * reach) corner = k;
    if (corner >= 0) {
        q = c[corner];
        on_q[corner] = on_q[(corner + 2) % 3] = true;
    } else {
        for (int k = 0; k < 3 && !on_q[(k + 2) % 3]; ++k) {
            const Vec3d foot = c[k] + nearest_along(c[k], c[(k + 1) % 3], q) * (c[(k + 1) % 3] - c[k]);
            if (length(foot - q) > 2 * reach) continue;
            q = foot;
            on_q[k] = true;
            break;
        }
    }
    for (double scale = worthwhile / 4 * reach / longest; scale < 0.25; scale *= 4) {
        TriangleCorners piece;
        for (int k = 0; k < 3; ++k) piece[k] = q + scale * (c[k] - q);
        bool covers = true;
        for (int k = 0; k < 3; ++k) {
            if (on_q[k]) continue;
            const Vec3d& from = piece[k];
            const Vec3d along = piece[(k + 1) % 3] - from;
            const Vec3d foot = from + nearest_along(from, from + along, Vec3d::zero()) * along;
            covers = covers && length(foot) > reach;
        }
        if (covers) return piece;
    }
    return c;
}

}  // namespace

bool is_over_triangle(const TriangleCorners& c, const Vec3d& normal, const Vec3d& p, double tolerance) {
    for (int k = 0; k < 3; ++k) {
        const Vec3d inwards = cross(normal, c[(k + 1) % 3] - c[k]);
        const double least = tolerance == 0 ? 0 : -tolerance * length(inwards);
        if (!(dot(inwards, p - c[k]) >= least)) return false;
    }
    return true;
}

PointOnTriangle nearest_on_triangle(const TriangleCorners& c, const Vec3d& normal, const Vec3d& p) {
    if (is_over_triangle(c, normal, p, 0))
        return {p - dot(normal, p - c[0]) * normal, TriangleRegion::face, 0};
    PointOnTriangle best{};
    double least = infinity;
    for (int k = 0; k < 3; ++k) {
        const PointOnTriangle here = on_edge(c, k, nearest_along(c[k], c[(k + 1) % 3], p));
        const Vec3d gap = p - here.point;
        if (dot(gap, gap) < least) {
            least = dot(gap, gap);
            best = here;
        }
    }
    return best;
}

PointOnTriangle locate_on_triangle(const TriangleCorners& c, const Vec3d& p) {
    constexpr double same_place = 1e-6;  // relative to the edge
    PointOnTriangle best{p, TriangleRegion::face, 0};
    double least = infinity;
    for (int k = 0; k < 3; ++k) {
        const Vec3d &from = c[k], &to = c[(k + 1) % 3];
        const double t = nearest_along(from, to, p), size = length(to - from);
        const Vec3d q = from + t * (to - from);
        const double off = length(p - q);
        if (!(off <= same_place * size && off < least)) continue;
        least = off;
        if (t <= same_place || t >= 1 - same_place)
            best = {p, TriangleRegion::corner, t < 0.5 ? k : (k + 1) % 3};
        else
            best = {p, TriangleRegion::edge, k};
    }
    return best;
}

ClosestPoints segment_triangle_distance(const Vec3d& a, const Vec3d& b, const TriangleCorners& c,
                                        const Vec3d& normal) {
    const double height_a = dot(normal, a - c[0]), height_b = dot(normal, b - c[0]);
    if ((height_a > 0) != (height_b > 0) && height_a != height_b) {
        const Vec3d at = a + height_a / (height_a - height_b) * (b - a);
        if (is_over_triangle(c, normal, at, 0)) return pierced(a, b, c, normal, at);
    }
    NearestPair best{infinity, a, a};
    for (const Vec3d& end : {a, b}) {
        const Vec3d q = nearest_on_triangle(c, normal, end).point, gap = q - end;
        if (dot(gap, gap) < best.square) best = {dot(gap, gap), end, q};
    }
    for (int k = 0; k < 3; ++k) nearer_of_segments(a, b, c[k], c[(k + 1) % 3], best);
    const double distance = std::sqrt(best.square);
    const Vec3d gap = best.on_triangle - best.on_segment;
    const double size = std::max(length(b - a), length(c[1] - c[0]));
    if (!(distance > negligible * size)) return {0, best.on_segment, best.on_triangle, -normal};
    // Square to the triangle the normal is known better than from the two points.
    const double height = dot(normal, gap);
    if (std::abs(height) > 0.5 * distance) {
        const Vec3d aside = gap - height * normal;
        if (length(aside) <= negligible * size)
            return {std::abs(height), best.on_segment, best.on_triangle, height > 0 ? normal : -normal};
    }
    return {distance, best.on_segment, best.on_triangle, (1 / distance) * gap};
}

namespace {

// A sphere: the core is the origin.
ClosestPoints point_triangle_distance(const TriangleCorners& corners, const Vec3d& normal, double size) {
    const PointOnTriangle at = nearest_on_triangle(corners, normal, Vec3d::zero());
    if (at.region == TriangleRegion::face) {
        const double height = -dot(normal, corners[0]);
        return {std::abs(height), Vec3d::zero(), at.point, height >= 0 ? -normal : normal};
    }
    const double distance = length(at.point);
    if (!(distance > negligible * size)) return {0, Vec3d::zero(), at.point, -normal};
    return {distance, Vec3d::zero(), at.point, (1 / distance) * at.point};
}

// Face to face there is nothing to search: the lowest part of the core over the triangle's plane (a point, an
// edge or a face) lies at least in part over the triangle, and what of that is lowest is nearest.
//
// Where it dips in by D, the way out along the normal is the shortest if either of the two, the triangle or
// the core's lowest face, goes on for D all around some point q that they have in common, and so does the
// core's highest face, or the triangle, above it. For let u be a direction at an angle θ from the normal:
// along u the two reach into each other by at least D cos θ at q, and by D sin θ more because of the disc
// around it; the sum is not below D.
class FaceToFace {
public:
    FaceToFace(const CollisionShape& shape, const Mat3d& R, const TriangleCorners& c, const Vec3d& normal)
        : c_(c), normal_(normal) {
        look(shape, R, -normal, low_);
    }

    // A bound: how far above the triangle's plane the core is.
    double above() const {
        double least = infinity;
        for (int i = 0; i < low_.count; ++i) least = std::min(least, dot(normal_, low_.points[i] - c_[0]));
        return least;
    }

    std::optional<ClosestPoints> distance(const CollisionShape& shape, const Mat3d& R) {
        if (!find_lowest()) return std::nullopt;
        if (height_ < 0) {
            SupportingFace high;
            look(shape, R, normal_, high);
            double top = infinity;
            for (int i = 0; i < high.count; ++i) top = std::min(top, dot(normal_, high.points[i] - c_[0]));
            if (!(top >= -height_)) return std::nullopt;
            const bool triangle_goes_on = is_over_triangle(c_, normal_, middle_, height_) &&
                                          is_over_triangle(c_, normal_, high.points[0], height_);
            if (!triangle_goes_on && !(goes_on(low_, -normal_) && goes_on(high, normal_)))
                return std::nullopt;
        }
        return ClosestPoints{height_, lowest_, lowest_ - height_ * normal_, -normal_};
    }

private:
    // A face counts as level when what it tilts is second order.
    static constexpr double level = 1e-7;

    static void look(const CollisionShape& shape, const Mat3d& R, const Vec3d& d, SupportingFace& face) {
        supporting_face(shape, transpose_mul(R, d), level, face);
        for (int i = 0; i < face.count; ++i) face.points[i] = R * face.points[i];
        face.normal = R * face.normal;
    }

    // Cuts the lowest face with the triangle's sides: the lowest corner of what is left, and its middle.
    bool find_lowest() {
        constexpr int capacity = SupportingFace::capacity + 3;
        std::array<Vec3d, capacity> points, kept;
        int count = low_.count;
        std::copy_n(low_.points.begin(), count, points.begin());
        for (int k = 0; k < 3; ++k) {
            const Vec3d inwards = cross(normal_, c_[(k + 1) % 3] - c_[k]);
            int n = 0;
            for (int i = 0; i < count; ++i) {
                const Vec3d &here = points[i], &next = points[i + 1 < count ? i + 1 : 0];
                const double inside = dot(inwards, here - c_[k]), next_inside = dot(inwards, next - c_[k]);
                if (inside >= 0) kept[n++] = here;
                if ((inside >= 0) != (next_inside >= 0) && n < capacity)
                    kept[n++] = here + inside / (inside - next_inside) * (next - here);
            }
            count = n;
            std::copy_n(kept.begin(), count, points.begin());
        }
        if (count == 0) return false;
        height_ = infinity;
        middle_ = Vec3d::zero();
        for (int i = 0; i < count; ++i) {
            middle_ += (1.0 / count) * points[i];
            const double height = dot(normal_, points[i] - c_[0]);
            if (height < height_) {
                height_ = height;
                lowest_ = points[i];
            }
        }
        return true;
    }

    // Whether the face has a disc of the depth around the middle of the common part, seen along d.
    bool goes_on(const SupportingFace& face, const Vec3d& d) const {
        if (face.count < 3) return false;
        for (int i = 0; i < face.count; ++i) {
            const Vec3d& from = face.points[i];
            const Vec3d inwards = cross(d, face.points[i + 1 < face.count ? i + 1 : 0] - from);
            if (!(dot(inwards, middle_ - from) >= -height_ * length(inwards))) return false;
        }
        return true;
    }

    const TriangleCorners& c_;
    Vec3d normal_;
    SupportingFace low_;
    double height_ = 0;
    Vec3d lowest_{}, middle_{};
};

}  // namespace

std::optional<ClosestPoints> shape_triangle_distance(const CollisionShape& shape, const Mat3d& R,
                                                     double reach, const TriangleCorners& corners,
                                                     const Vec3d& normal, double limit) {
    const double radius = core_radius(shape);
    std::optional<ClosestPoints> found;
    if (shape.type == ShapeType::sphere) {
        found = point_triangle_distance(corners, normal, reach);
    } else if (shape.type == ShapeType::capsule) {
        const Vec3d end = shape.size.y * R.z;
        found = segment_triangle_distance(-end, end, corners, normal);
    } else {
        FaceToFace faces(shape, R, corners, normal);
        if (faces.above() - radius > limit) return std::nullopt;
        found = faces.distance(shape, R);
        if (!found) {
            // Four times the shape: the way out across an edge that the piece adds is longer than any other.
            const TriangleCorners piece = piece_within(corners, normal, 4 * reach + limit);
            return convex_triangle_distance({&shape, {R, Vec3d::zero()}}, piece, limit);
        }
    }
    found->distance -= radius;
    found->on_a += radius * found->normal;
    if (!(found->distance <= limit)) return std::nullopt;
    return found;
}

}  // namespace lig::collide
