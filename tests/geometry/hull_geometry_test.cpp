// Hulls with whole faces: flat, convex and closed; climbing finds what looking at all vertices finds.

#include "geometry/hull_geometry.h"

#include "geometry/hull_support.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

constexpr double pi = std::numbers::pi;

HullGeometry hull_of(const std::vector<Vec3d>& points, int max_vertices = -1) {
    auto made = make_hull_geometry(points, max_vertices);
    REQUIRE(std::holds_alternative<HullGeometry>(made));
    return std::get<HullGeometry>(std::move(made));
}

double size_of(const HullGeometry& hull) { return length(hull.bounds.upper - hull.bounds.lower); }

// Faces flat and convex, seen from outside counter-clockwise, everything behind them, `center` well behind.
void check_faces(const HullGeometry& hull) {
    const double tolerance = 2 * HullGeometry::coplanarity_tolerance * size_of(hull);
    for (int f = 0; f < hull.face_count(); ++f) {
        const auto face = hull.face(f);
        const Vec3d& normal = hull.face_normals[f];
        REQUIRE(face.size() >= 3);
        CHECK(length(normal) == doctest::Approx(1).epsilon(1e-14));
        for (std::size_t i = 0; i < face.size(); ++i) {
            const Vec3d &a = hull.vertices[face[i]], &b = hull.vertices[face[(i + 1) % face.size()]],
                        &c = hull.vertices[face[(i + 2) % face.size()]];
            CHECK(std::fabs(dot(normal, a) - hull.face_offsets[f]) <= tolerance);
            CHECK(dot(cross(b - a, c - b), normal) > 0);
        }
        for (const Vec3d& p : hull.vertices) CHECK(dot(normal, p) <= hull.face_offsets[f] + tolerance);
        CHECK(dot(normal, hull.center) < hull.face_offsets[f]);
    }
}

// Every edge is in two faces, in opposite directions; V − E + F = 2; neighbours and faces around vertices
// agree with the faces. For hulls without vertices inside faces.
void check_closed(const HullGeometry& hull) {
    std::map<std::pair<int, int>, int> edges;
    std::map<int, std::vector<int>> faces_at;
    for (int f = 0; f < hull.face_count(); ++f) {
        const auto face = hull.face(f);
        for (std::size_t i = 0; i < face.size(); ++i) {
            ++edges[{face[i], face[(i + 1) % face.size()]}];
            faces_at[face[i]].push_back(f);
        }
    }
    for (const auto& [edge, count] : edges) {
        CHECK(count == 1);
        CHECK(edges.contains({edge.second, edge.first}));
        const auto begin = hull.neighbors.begin() + hull.neighbor_begin[edge.first],
                   end = hull.neighbors.begin() + hull.neighbor_begin[edge.first + 1];
        CHECK(std::binary_search(begin, end, edge.second));
    }
    const int v = static_cast<int>(hull.vertices.size());
    CHECK(v - static_cast<int>(edges.size()) / 2 + hull.face_count() == 2);
    CHECK(hull.neighbors.size() >= edges.size());
    REQUIRE(static_cast<int>(hull.vertex_face_begin.size()) == v + 1);
    for (int i = 0; i < v; ++i) {
        const std::vector<int> around(hull.vertex_faces.begin() + hull.vertex_face_begin[i],
                                      hull.vertex_faces.begin() + hull.vertex_face_begin[i + 1]);
        CHECK(around == faces_at[i]);
    }
}

std::vector<Vec3d> random_ball(Random& random, int count, const Vec3d& size) {
    std::vector<Vec3d> points;
    for (int i = 0; i < count; ++i) {
        const Vec3d d = random_direction(random);
        points.push_back({size.x * d.x, size.y * d.y, size.z * d.z});
    }
    return points;
}

// Of all vertices.
double farthest(const HullGeometry& hull, const Vec3d& d) {
    double best = dot(hull.vertices[0], d);
    for (const Vec3d& p : hull.vertices) best = std::max(best, dot(p, d));
    return best;
}

}  // namespace

TEST_CASE("a box of many points has six faces of four vertices") {
    Random random(3);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        std::vector<Vec3d> points;
        for (int i = 0; i <= 4; ++i)
            for (int j = 0; j <= 4; ++j)
                for (int k = 0; k <= 4; ++k)
                    points.push_back(scale * Vec3d{0.5 * i - 1, 0.25 * j - 0.5, 0.1 * k - 0.2});
        for (const bool turned : {false, true}) {
            const Mat3d R = turned ? rotation_matrix(random_rotation(random)) : Mat3d::identity();
            for (Vec3d& p : points) p = R * p + (turned ? scale * Vec3d{1, 2, 3} : Vec3d{0, 0, 0});
            const HullGeometry hull = hull_of(points);
            CHECK(hull.face_count() == 6);
            for (int f = 0; f < hull.face_count(); ++f) CHECK(hull.face(f).size() == 4);
            check_faces(hull);
            const Vec3d center = turned ? scale * Vec3d{1, 2, 3} : Vec3d{0, 0, 0};
            CHECK(length(hull.center - center) < 1e-13 * scale);
        }
    }
}

TEST_CASE("coordinates in single precision still make whole faces") {
    Random random(5);
    for (int trial = 0; trial < 20; ++trial) {
        const Mat3d R = rotation_matrix(random_rotation(random));
        std::vector<Vec3d> points;
        for (int i = 0; i < 48; ++i)
            for (const double z : {-0.3, 0.3}) {
                const Vec3d p = R * Vec3d{std::cos(2 * pi * i / 48), std::sin(2 * pi * i / 48), z};
                points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
            }
        const HullGeometry hull = hull_of(points);
        check_faces(hull);
        CHECK(hull.vertices.size() == 96);
        CHECK(hull.face_count() == 50);  // 48 sides, two ends
        CHECK(std::count_if(hull.face_normals.begin(), hull.face_normals.end(), [&](const Vec3d& n) {
                  return std::fabs(dot(n, R.z)) > 0.999;
              }) == 2);
    }
}

TEST_CASE("a round surface is not merged into one face, however finely it is divided") {
    // Neighbouring faces differ by 2.5e-5 rad; each vertex is 3e-10 of the size off the plane of the next
    // face.
    constexpr int count = 2000;
    std::vector<Vec3d> points;
    for (int i = 0; i < count; ++i)
        for (const double z : {-1.0, 1.0}) {
            const double a = 0.05 * (i / (count - 1.0) - 0.5);
            points.push_back({std::sin(a), std::cos(a), z});
        }
    points.push_back({0, 0, -1});
    points.push_back({0, 0, 1});
    const HullGeometry hull = hull_of(points);
    check_faces(hull);  // all faces within the tolerance of flat
    // An arc of height h over its chord c = √(8 h) may be one face: 0.05 / √(8 · 2 · 1e-6 · size) of them at
    // least.
    CHECK(hull.face_count() >= 8);
    CHECK(hull.face_count() < 200);
}

TEST_CASE("hulls of random points are closed, whatever their shape and size") {
    Random random(17);
    const Vec3d sizes[] = {{1, 1, 1}, {1e-3, 2e-3, 1e-3}, {1e3, 5e2, 2e3}, {1, 1, 0.01}};
    for (const Vec3d& size : sizes)
        for (const int count : {4, 5, 12, 40, 300}) {
            CAPTURE(count);
            CAPTURE(size.x);
            const HullGeometry hull = hull_of(random_ball(random, count, size));
            check_faces(hull);
            check_closed(hull);
        }
    // A prism and a pyramid: faces of several sizes.
    std::vector<Vec3d> prism, pyramid{{0, 0, 2}};
    for (int i = 0; i < 7; ++i) {
        const Vec3d p{std::cos(2 * pi * i / 7), std::sin(2 * pi * i / 7), 0};
        prism.push_back(p);
        prism.push_back(p + Vec3d{0.2, 0, 1});
        pyramid.push_back(p);
    }
    for (const auto& points : {prism, pyramid}) {
        const HullGeometry hull = hull_of(points);
        check_faces(hull);
        check_closed(hull);
    }
    CHECK(hull_of(prism).face_count() == 9);
    CHECK(hull_of(pyramid).face_count() == 8);
}

TEST_CASE("the farthest vertex: climbing and looking at all agree") {
    Random random(23);
    const Vec3d sizes[] = {{1, 1, 1}, {1, 0.3, 0.05}, {1e-3, 1e-3, 2e-3}, {3, 3, 1e-3}};
    for (const Vec3d& size : sizes)
        for (const int count : {33, 100, 1000, 5000}) {
            const HullGeometry hull = hull_of(random_ball(random, count, size));
            CAPTURE(count);
            CAPTURE(size.z);
            std::vector<Vec3d> directions = hull.face_normals;
            for (int i = 0; i < 500; ++i) directions.push_back(random_direction(random));
            for (int axis = 0; axis < 3; ++axis)
                for (const double side : {-1.0, 1.0}) {
                    Vec3d d{0, 0, 0};
                    d[axis] = side;
                    directions.push_back(d);
                }
            const double largest_size = size_of(hull);
            for (const Vec3d& d : directions) {
                const double found = dot(hull.vertices[hull_support(hull, d)], d);
                CHECK(found >= farthest(hull, d) - 1e-15 * largest_size);
            }
        }
    // The map is used, and not where vertices nearly coincide.
    std::vector<Vec3d> points = random_ball(random, 200, {1, 1, 1});
    CHECK_FALSE(hull_of(points).starts.empty());
    const Vec3d aside = cross(points[0], {0, 0, 1e-9});
    points.push_back(points[0] + aside);
    points.push_back(points[0] - aside);
    const HullGeometry doubled = hull_of(points);
    CHECK(doubled.starts.empty());
    for (int i = 0; i < 1000; ++i) {
        const Vec3d d = random_direction(random);
        CHECK(dot(doubled.vertices[hull_support(doubled, d)], d) == farthest(doubled, d));
    }
}

TEST_CASE("the vertices of a flat-sided hull with many vertices are all reached") {
    // A gear-like prism: large flat ends, on which all vertices are equally far.
    std::vector<Vec3d> points;
    for (int i = 0; i < 400; ++i)
        for (const double z : {-0.5, 0.5})
            points.push_back({std::cos(2 * pi * i / 400), std::sin(2 * pi * i / 400), z});
    const HullGeometry hull = hull_of(points);
    REQUIRE_FALSE(hull.starts.empty());
    Random random(29);
    for (int i = 0; i < 2000; ++i) {
        Vec3d d = random_direction(random);
        if (i % 2 == 0) d = {1e-3 * d.x, 1e-3 * d.y, d.z > 0 ? 1.0 : -1.0};  // nearly square to an end
        CHECK(dot(hull.vertices[hull_support(hull, d)], d) >= farthest(hull, d) - 1e-15);
    }
}

TEST_CASE("a limit of vertices is kept, and what has no hull is refused") {
    Random random(31);
    const std::vector<Vec3d> ball = random_ball(random, 500, {1, 1, 1});
    const HullGeometry small = hull_of(ball, 20);
    CHECK(small.vertices.size() == 20);
    check_faces(small);
    check_closed(small);

    using geometry::HullFault;
    const auto fault = [](const std::vector<Vec3d>& points) {
        const auto made = make_hull_geometry(points);
        REQUIRE(std::holds_alternative<HullFault>(made));
        return std::get<HullFault>(made);
    };
    CHECK(fault({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == HullFault::too_few_points);
    CHECK(fault({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}) == HullFault::coplanar);
    CHECK(fault({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}) == HullFault::collinear);
    CHECK(fault({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}) == HullFault::one_point);
    CHECK(fault({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}}) == HullFault::not_finite);
}

TEST_CASE("needles and plates") {
    Random random(37);
    for (const Vec3d& size : {Vec3d{1, 1e-5, 1e-5}, Vec3d{1, 1, 1e-5}, Vec3d{1e3, 1e-2, 1}}) {
        std::vector<Vec3d> points;
        for (int i = 0; i < 60; ++i) {
            const Vec3d p = random_vec(random, 1);
            points.push_back({size.x * p.x, size.y * p.y, size.z * p.z});
        }
        const HullGeometry hull = hull_of(points);
        CHECK(hull.face_count() >= 2);
        for (const Vec3d& p : hull.vertices)
            for (int f = 0; f < hull.face_count(); ++f)
                CHECK(dot(hull.face_normals[f], p) <=
                      hull.face_offsets[f] + 2 * HullGeometry::coplanarity_tolerance * size_of(hull));
        for (int i = 0; i < 200; ++i) {
            const Vec3d d = random_direction(random);
            CHECK(dot(hull.vertices[hull_support(hull, d)], d) >= farthest(hull, d) - 1e-14 * size_of(hull));
        }
    }
}
