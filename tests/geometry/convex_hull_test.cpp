#include "geometry/convex_hull.h"
#include "geometry/orientation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

using namespace lig;
using namespace lig::geometry;

namespace {

double volume(const std::vector<Vec3d>& points, const ConvexHull& hull) {
    double sum = 0;
    for (const auto& [a, b, c] : hull.faces) sum += dot(points[a], cross(points[b], points[c])) / 6;
    return sum;
}

double extent(const std::vector<Vec3d>& points) {
    double largest = 0;
    for (const Vec3d& p : points)
        largest = std::max({largest, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    return largest;
}

// How far the farthest point is in front of a face. Faces with tiny area have no reliable plane; the heights
// over them are covered by their neighbours.
double farthest_outside(const std::vector<Vec3d>& points, const ConvexHull& hull) {
    double most = -1e300;
    const double size = extent(points);
    for (const auto& [a, b, c] : hull.faces) {
        const Vec3d n = cross(points[b] - points[a], points[c] - points[a]);
        const double length = std::sqrt(dot(n, n));
        if (length < 1e-9 * size * size) continue;
        for (const Vec3d& p : points) most = std::max(most, dot(n, p - points[a]) / length);
    }
    return most;
}

// Closed, oriented, one piece without handles, all points inside.
ConvexHull check_hull(const std::vector<Vec3d>& points, double tolerance = 1e-13) {
    const auto result = convex_hull(points);
    REQUIRE(std::holds_alternative<ConvexHull>(result));
    const ConvexHull& hull = std::get<ConvexHull>(result);
    std::map<std::pair<int, int>, int> edges;
    std::vector<int> used;
    for (const auto& face : hull.faces)
        for (int k = 0; k < 3; ++k) {
            ++edges[{face[k], face[(k + 1) % 3]}];
            used.push_back(face[k]);
        }
    for (const auto& [edge, count] : edges) {
        CHECK(count == 1);
        CHECK(edges.contains({edge.second, edge.first}));
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    CHECK(used == hull.vertices);
    const auto v = static_cast<int>(used.size()), f = static_cast<int>(hull.faces.size());
    CHECK(v - static_cast<int>(edges.size()) / 2 + f == 2);
    CHECK(volume(points, hull) > 0);
    CHECK(farthest_outside(points, hull) <= tolerance * extent(points));
    return hull;
}

std::vector<Vec3d> grid_cube(int n) {
    std::vector<Vec3d> points;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j)
            for (int k = 0; k <= n; ++k) points.push_back({double(i) / n, double(j) / n, double(k) / n});
    return points;
}

std::vector<Vec3d> turned(std::vector<Vec3d> points) {
    const Mat3d R = rotation_matrix(Quatd{0.3, -0.8, 0.5, 0.1});
    for (Vec3d& p : points) p = R * p + Vec3d{0.3, 100, -7};
    return points;
}

HullFault fault_of(const std::vector<Vec3d>& points) {
    const auto result = convex_hull(points);
    REQUIRE(std::holds_alternative<HullFault>(result));
    return std::get<HullFault>(result);
}

}  // namespace

TEST_CASE("orientation is exact where rounding would decide") {
    const Vec3d a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
    CHECK(orientation(a, b, c, {0, 0, 1}) > 0);
    CHECK(orientation(a, b, c, {0, 0, -1}) < 0);
    CHECK(orientation(a, b, c, {5, 7, 0}) == 0);
    // The plane through p, q, r has the normal (−138, 420, −138); d differs from r by units of the last
    // place.
    const double unit = std::ldexp(1.0, -52);
    const Vec3d p{12, 12, 24}, q{24, 12, 12}, r{0.5, 0.5, 0.5};
    for (int i = -40; i <= 40; ++i) {
        for (int j = -40; j <= 40; ++j) {
            const int exact = 420 * j - 276 * i;
            const double computed = orientation(p, q, r, {0.5 + i * unit, 0.5 + j * unit, 0.5 + i * unit});
            CHECK((computed > 0) == (exact > 0));
            CHECK((computed < 0) == (exact < 0));
        }
    }
}

TEST_CASE("hull of a cube, and of points that lie in its faces") {
    const std::vector<Vec3d> corners = grid_cube(1);
    const ConvexHull hull = check_hull(corners);
    CHECK(hull.vertices.size() == 8);
    CHECK(hull.faces.size() == 12);
    CHECK(volume(corners, hull) == doctest::Approx(1).epsilon(1e-14));
    for (const int n : {2, 5, 9}) {
        const std::vector<Vec3d> points = grid_cube(n);
        CHECK(volume(points, check_hull(points)) == doctest::Approx(1).epsilon(1e-14));
        const std::vector<Vec3d> elsewhere = turned(points);
        // Far from the origin the volume of the difference has the rounding of the coordinates.
        CHECK(volume(elsewhere, check_hull(elsewhere)) == doctest::Approx(1).epsilon(1e-10));
    }
}

TEST_CASE("hulls of known volume") {
    // An octahedron of radius 1: 4/3.
    const std::vector<Vec3d> octahedron{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    CHECK(volume(octahedron, check_hull(octahedron)) == doctest::Approx(4.0 / 3).epsilon(1e-14));
    // A prism over a regular n-gon of radius 1 and height 2: n sin(2π/n).
    for (const int n : {3, 7, 60, 500}) {
        std::vector<Vec3d> prism;
        for (int i = 0; i < n; ++i)
            for (const double z : {-1.0, 1.0}) {
                const double angle = 2 * std::numbers::pi * i / n;
                prism.push_back({std::cos(angle), std::sin(angle), z});
            }
        const ConvexHull hull = check_hull(prism);
        CHECK(hull.vertices.size() == prism.size());
        CHECK(volume(prism, hull) == doctest::Approx(n * std::sin(2 * std::numbers::pi / n)).epsilon(1e-12));
    }
}

TEST_CASE("hulls of random clouds: closed, oriented, complete") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> normal;
    SUBCASE("in a box, on a sphere, in a thin disc, in a needle") {
        for (const int n : {4, 5, 10, 100, 2000}) {
            std::vector<Vec3d> box, sphere, disc, needle;
            for (int i = 0; i < n; ++i) {
                const Vec3d p{uniform(random), uniform(random), uniform(random)};
                box.push_back(p);
                const Vec3d g{normal(random), normal(random), normal(random)};
                sphere.push_back((1 / std::sqrt(dot(g, g))) * g);
                disc.push_back({p.x, p.y, 1e-9 * p.z});
                needle.push_back({p.x, 1e-6 * p.y, 1e-7 * p.z});
            }
            check_hull(box);
            CHECK(check_hull(sphere).vertices.size() == sphere.size());
            check_hull(disc);
            check_hull(needle);
        }
    }
    SUBCASE("many: the volume of a ball") {
        std::vector<Vec3d> points;
        for (int i = 0; i < 100000; ++i) points.push_back({normal(random), normal(random), normal(random)});
        for (int i = 0; i < 20000; ++i) {
            Vec3d& p = points[i];
            p = (10 / std::sqrt(dot(p, p))) * p;
        }
        const auto result = convex_hull(points);
        const ConvexHull& hull = std::get<ConvexHull>(result);
        CHECK(hull.vertices.size() == 20000);
        CHECK(hull.faces.size() == 2 * 20000 - 4);
        // The hull of n points of a sphere misses a share of about 10/n of the ball.
        CHECK(volume(points, hull) == doctest::Approx(4000 * std::numbers::pi / 3).epsilon(1e-3));
    }
    SUBCASE("single precision, rounded to a coarse grid: coplanar, collinear and repeated points abound") {
        for (int round = 0; round < 30; ++round) {
            std::vector<Vec3d> points;
            for (int i = 0; i < 300; ++i) {
                const auto coarse = [&] { return double(float(std::round(4 * uniform(random)) / 3)); };
                points.push_back({coarse(), coarse(), coarse()});
            }
            check_hull(points);
            check_hull(turned(points), 1e-12);
        }
    }
}

TEST_CASE("the same points give the same hull; repeated ones do not matter") {
    std::vector<Vec3d> points = turned(grid_cube(3));
    const ConvexHull once = check_hull(points);
    CHECK(std::get<ConvexHull>(convex_hull(points)).faces == once.faces);
    const std::vector<Vec3d> copy = points;
    points.insert(points.end(), copy.begin(), copy.end());
    CHECK(check_hull(points).faces == once.faces);
}

TEST_CASE("a bounded number of vertices: inside the whole hull, the farthest points first") {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<Vec3d> points;
    for (int i = 0; i < 500; ++i) points.push_back({normal(random), normal(random), normal(random)});
    const ConvexHull whole = check_hull(points);
    double before = 0;
    for (const int most : {4, 8, 20, 40}) {
        const ConvexHull part = std::get<ConvexHull>(convex_hull(points, most));
        CHECK(static_cast<int>(part.vertices.size()) <= most);
        CHECK(part.faces.size() == 2 * part.vertices.size() - 4);
        CHECK(volume(points, part) > before);
        CHECK(std::includes(whole.vertices.begin(), whole.vertices.end(), part.vertices.begin(),
                            part.vertices.end()));
        before = volume(points, part);
    }
    CHECK(before > 0.8 * volume(points, whole));
    CHECK(std::get<ConvexHull>(convex_hull(points, 100000)).vertices == whole.vertices);
}

TEST_CASE("points without a hull") {
    const double nan = std::nan("");
    CHECK(fault_of({}) == HullFault::too_few_points);
    CHECK(fault_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == HullFault::too_few_points);
    CHECK(fault_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, nan, 1}}) == HullFault::not_finite);
    CHECK(fault_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1e300, 1}}) == HullFault::not_finite);
    CHECK(fault_of(std::vector<Vec3d>(9, {1, 2, 3})) == HullFault::one_point);
    CHECK(fault_of({{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {-1, -2, -3}}) == HullFault::collinear);
    CHECK(fault_of({{0, 0, 0}, {1, 2, 3}, {2, -4, 6}, {3, -2, 9}, {-1, -2, -3}}) == HullFault::coplanar);
    std::vector<Vec3d> flat;
    for (const Vec3d& p : grid_cube(4)) flat.push_back({p.x, p.y, 0});
    CHECK(fault_of(turned(flat)) == HullFault::coplanar);
}
