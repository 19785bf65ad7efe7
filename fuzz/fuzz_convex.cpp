// Bytes → two convex shapes where they are → distance, manifold and time of impact; points → hull.
//
// The bytes, of which missing ones count as zero: for each shape its type, three sizes of two bytes (1e-3 …
// 1e3 m), for a hull the number of its points and three bytes for each, then four bytes of a quaternion
// (all zero: not turned) and six of a position; last two for the margin and six for a velocity. Small
// numbers of bits make degenerate positions likely: parallel, touching, concentric.

#include "collide/convex.h"
#include "collide/time_of_impact.h"
#include "shapes/shape_geometry.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace {

using namespace lig;
using namespace lig::collide;

// Relative to the size of the larger shape. Shapes here may be a million times as long as thick; 1e-7 is
// promised up to a thousand.
constexpr double distance_error = 1e-6, point_error = 1e-5;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    int byte() { return at_ < size_ ? data_[at_++] : 0; }
    int signed_byte() { return static_cast<std::int8_t>(byte()); }
    int two() {
        const int high = byte();
        return 256 * high + byte();
    }
    int signed_two() { return static_cast<std::int16_t>(two()); }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

double length(const Vec3d& a) { return std::sqrt(dot(a, a)); }
bool finite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

struct Placed {
    CollisionShape shape;
    std::unique_ptr<HullGeometry> hull;
    Transformd X;
    double reach = 0;  // from its origin

    PlacedShape placed() const { return {&shape, X}; }
};

// The triangles are a closed surface without rounding; the faces made of them contain the points as far as
// triangles were taken as lying in one plane.
void check_hull(const std::vector<Vec3d>& points, const HullGeometry& faces, double size) {
    const auto made = geometry::convex_hull(points);
    const auto* hull = std::get_if<geometry::ConvexHull>(&made);
    require(hull != nullptr, "points with faces have a hull");
    std::map<std::pair<int, int>, int> edges;
    for (const std::array<int, 3>& face : hull->faces)
        for (int i = 0; i < 3; ++i) ++edges[{face[i], face[(i + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        require(count == 1, "an edge belongs to one face on either side");
        require(edges.count({edge.second, edge.first}) == 1, "the hull is closed");
    }
    require(hull->vertices.size() + hull->faces.size() == edges.size() / 2 + 2, "the hull is a sphere");
    for (const Vec3d& p : points)
        for (int f = 0; f < faces.face_count(); ++f)
            require(dot(faces.face_normals[f], p) - faces.face_offsets[f] <=
                        4 * HullGeometry::coplanarity_tolerance * size,
                    "the hull contains its points");
}

// False: points that have no hull.
bool read_shape(Bytes& bytes, Placed& out) {
    constexpr ShapeType types[] = {ShapeType::sphere, ShapeType::capsule, ShapeType::cylinder,
                                   ShapeType::ellipsoid, ShapeType::box, ShapeType::mesh};
    out.shape.type = types[bytes.byte() % 6];
    Vec3d size;
    for (int i = 0; i < 3; ++i) size[i] = std::pow(10, -3 + 6 * bytes.two() / 65535.0);
    out.shape.size = size;
    if (out.shape.type == ShapeType::mesh) {
        std::vector<Vec3d> points(4 + bytes.byte() % 40);
        for (Vec3d& p : points)
            for (int i = 0; i < 3; ++i) p[i] = size[i] * bytes.signed_byte() / 64.0;
        auto made = make_hull_geometry(points);
        auto* hull = std::get_if<HullGeometry>(&made);
        if (!hull) return false;
        out.hull = std::make_unique<HullGeometry>(std::move(*hull));
        out.shape.hull = out.hull.get();
        for (const Vec3d& p : points) out.reach = std::max(out.reach, length(p));
        check_hull(points, *out.hull, out.reach);
    } else {
        const Bounds box = bounds(out.shape, Transformd::identity());
        out.reach = length(box.upper);
    }
    const double w = bytes.signed_byte(), x = bytes.signed_byte(), y = bytes.signed_byte(),
                 z = bytes.signed_byte();
    const Quatd q{w, x, y, z};
    out.X.R = dot(q, q) > 0 ? rotation_matrix(q) : Mat3d::identity();
    return true;
}

// How far the shapes are apart along n.
double apart_along(const Placed& a, const Placed& b, const Vec3d& n) {
    const Vec3d n_A = transpose_mul(a.X.R, n), n_B = transpose_mul(b.X.R, -n);
    return dot(n, b.X.p - a.X.p) - dot(n_A, core_support(a.shape, n_A)) -
           dot(n_B, core_support(b.shape, n_B)) - core_radius(a.shape) - core_radius(b.shape);
}

void check_distance(const Placed& a, const Placed& b, const ClosestPoints& found, double size) {
    require(std::isfinite(found.distance) && finite(found.on_a) && finite(found.on_b) && finite(found.normal),
            "numbers are finite");
    require(std::abs(length(found.normal) - 1) < 1e-14, "the normal is a unit vector");
    require(length(found.on_b - found.on_a - found.distance * found.normal) <= 1e-12 * size,
            "the witness points are apart by the distance");
    require(std::abs(apart_along(a, b, found.normal) - found.distance) <= distance_error * size,
            "the normal separates by the distance");
    // Both points are in their shapes: no direction says otherwise.
    const double r_a = core_radius(a.shape), r_b = core_radius(b.shape);
    for (int i = 0; i < 27; ++i) {
        const Vec3d d{i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
        if (i == 13) continue;
        const Vec3d n = (1 / length(d)) * d;
        const Vec3d n_A = transpose_mul(a.X.R, n), n_B = transpose_mul(b.X.R, n);
        require(dot(n, found.on_a - a.X.p) - dot(n_A, core_support(a.shape, n_A)) - r_a <= point_error * size,
                "A's point is in A");
        require(dot(n, found.on_b - b.X.p) - dot(n_B, core_support(b.shape, n_B)) - r_b <= point_error * size,
                "B's point is in B");
        require(apart_along(a, b, n) <= found.distance + distance_error * size,
                "no direction keeps them farther apart");
    }
}

void check_manifold(const PairManifold& m, const ClosestPoints& found, double margin, double size) {
    require(m.count >= 1 && m.count <= 4, "a manifold has one to four points");
    double deepest = m.points[0].distance;
    for (int i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        require(finite(p.on_a) && finite(p.on_b), "points are finite");
        require(length(p.on_b - p.on_a - p.distance * m.normal) <= 1e-12 * size,
                "points are apart by the distance");
        require(p.distance <= margin, "points are within the margin");
        deepest = std::min(deepest, p.distance);
        for (int j = 0; j < i; ++j) require(m.points[j].feature != p.feature, "features are unique");
    }
    require(std::abs(deepest - found.distance) <= distance_error * size,
            "the deepest point has the distance");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t data_size) {
    Bytes bytes(data, data_size);
    Placed a, b;
    if (!read_shape(bytes, a) || !read_shape(bytes, b)) return 0;
    const double size = std::max(a.reach, b.reach);
    a.X.p = Vec3d::zero();
    for (int i = 0; i < 3; ++i) b.X.p[i] = 1.5 * (a.reach + b.reach) * bytes.signed_two() / 32768.0;
    const double margin = size * bytes.two() / 65535.0;

    const ClosestPoints found = convex_distance(a.placed(), b.placed());
    check_distance(a, b, found, size);
    const ClosestPoints mirror = convex_distance(b.placed(), a.placed());
    check_distance(b, a, mirror, size);
    require(std::abs(found.distance - mirror.distance) <= distance_error * size, "A and B may be exchanged");

    PairManifold manifold;
    const bool near = collide_convex(a.placed(), b.placed(), margin, manifold);
    require(near == (found.distance <= margin), "a manifold within the margin, none beyond");
    if (near) check_manifold(manifold, found, margin, size);

    MovingShape moving{&b.shape, b.X, {Vec3d::zero(), Vec3d::zero()}};
    for (int i = 0; i < 3; ++i) moving.velocity.lin[i] = size * bytes.signed_byte() / 8.0;
    for (int i = 0; i < 3; ++i) moving.velocity.ang[i] = bytes.signed_byte() / 8.0;
    const MovingShape still{&a.shape, a.X, {Vec3d::zero(), Vec3d::zero()}};
    if (const auto hit = convex_time_of_impact(still, moving, 1, 1e-4 * size)) {
        require(hit->time >= 0 && hit->time <= 1, "the time is within the duration");
        if (found.distance > 2e-4 * size) {
            const double then =
                convex_distance(a.placed(), {&b.shape, pose_after(moving, hit->time)}).distance;
            require(then > -distance_error * size, "they do not overlap at the time of impact");
            require(hit->exhausted || then <= 1.1e-4 * size, "they are near at the time of impact");
        }
    } else {
        require(found.distance > 0, "overlapping shapes have a time of impact");
    }
    return 0;
}
