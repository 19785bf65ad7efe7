#include "collide/manifold.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

ManifoldPoint point(double x, double y, double distance, std::uint32_t feature) {
    return {{x, y, -distance}, {x, y, 0}, distance, feature};
}

PairManifold kept(std::vector<ManifoldPoint> points) {
    PairManifold m;
    m.normal = {0, 0, 1};
    keep_extreme_points(points.data(), int(points.size()), m);
    return m;
}

std::set<std::uint32_t> features_of(const PairManifold& m) {
    std::set<std::uint32_t> out;
    for (int i = 0; i < m.count; ++i) out.insert(m.points[std::size_t(i)].feature);
    return out;
}

TEST_CASE("up to four points are all kept, in the order of their features") {
    const PairManifold m = kept({point(0, 0, 0, 9), point(1, 0, 0, 3), point(1, 1, 0, 5)});
    REQUIRE(m.count == 3);
    CHECK(m.points[0].feature == 3);
    CHECK(m.points[1].feature == 5);
    CHECK(m.points[2].feature == 9);
    CHECK(m.points[1].on_a.y == 1);
}

TEST_CASE("the corners are kept, not what lies between them") {
    std::vector<ManifoldPoint> points;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) points.push_back(point(i, j, 0, std::uint32_t(5 * i + j)));
    CHECK(features_of(kept(points)) == std::set<std::uint32_t>{0, 4, 20, 24});
}

TEST_CASE("the deepest point is kept, whatever the others span") {
    Random random(1);
    for (int run = 0; run < 2000; ++run) {
        std::vector<ManifoldPoint> points;
        const int count = 5 + random_index(random, 12);
        std::uint32_t deepest = 0;
        double depth = 1;
        for (int i = 0; i < count; ++i) {
            const double distance = random.uniform(-1, 0);
            points.push_back(point(random.uniform(-1, 1), random.uniform(-1, 1), distance, std::uint32_t(i)));
            if (distance < depth) {
                depth = distance;
                deepest = std::uint32_t(i);
            }
        }
        const PairManifold m = kept(points);
        CHECK(m.count >= 3);
        CHECK(int(features_of(m).size()) == m.count);
        CHECK(features_of(m).count(deepest) == 1);
    }
}

// Twice the area of the hull of points in the plane, by sorting around their middle (they are its corners).
double twice_area(std::vector<Vec3d> corners) {
    Vec3d middle = Vec3d::zero();
    for (const Vec3d& p : corners) middle += (1.0 / double(corners.size())) * p;
    std::sort(corners.begin(), corners.end(), [&](const Vec3d& p, const Vec3d& q) {
        return std::atan2(p.y - middle.y, p.x - middle.x) < std::atan2(q.y - middle.y, q.x - middle.x);
    });
    double area = 0;
    for (std::size_t i = 0; i < corners.size(); ++i)
        area += cross(corners[i] - middle, corners[(i + 1) % corners.size()] - middle).z;
    return area;
}

TEST_CASE("what is kept spans most of what is there") {
    Random random(4);
    for (int run = 0; run < 500; ++run) {
        // Corners of an arc of an ellipse, all equally deep; the best four of them by trying all.
        std::vector<ManifoldPoint> points;
        const int count = 5 + random_index(random, 8);
        const double width = random.uniform(0.1, 1), arc = random.uniform(2, 6.28);
        for (int i = 0; i < count; ++i) {
            const double angle = arc * (i + random.uniform(0, 0.9)) / count;
            points.push_back(point(std::cos(angle), width * std::sin(angle), 0, std::uint32_t(i)));
        }
        const auto at = [&](int i) { return points[std::size_t(i)].on_a; };
        double best = 0;
        for (int i = 0; i < count; ++i)
            for (int j = i + 1; j < count; ++j)
                for (int k = j + 1; k < count; ++k)
                    for (int l = k + 1; l < count; ++l)
                        best = std::max(best, twice_area({at(i), at(j), at(k), at(l)}));
        const PairManifold m = kept(points);
        REQUIRE(m.count == 4);
        const auto& p = m.points;
        CHECK(twice_area({p[0].on_a, p[1].on_a, p[2].on_a, p[3].on_a}) > 0.6 * best);
    }
}

TEST_CASE("ties are decided by features: neither rounding nor order changes the choice") {
    // A regular octagon, all equally deep.
    Random random(2);
    std::vector<ManifoldPoint> octagon;
    for (int k = 0; k < 8; ++k) {
        const double angle = 0.785398163397448 * k;
        octagon.push_back(point(std::cos(angle), std::sin(angle), 0, std::uint32_t(k)));
    }
    const std::set<std::uint32_t> expected = features_of(kept(octagon));
    CHECK(expected == std::set<std::uint32_t>{0, 2, 4, 6});
    for (int run = 0; run < 500; ++run) {
        std::vector<ManifoldPoint> points = octagon;
        for (ManifoldPoint& p : points) {
            p.on_a.x += random.uniform(-1e-4, 1e-4);
            p.on_a.y += random.uniform(-1e-4, 1e-4);
            std::swap(p, points[std::size_t(random_index(random, 8))]);
        }
        CHECK(features_of(kept(points)) == expected);
    }
}

TEST_CASE("points on a line: both ends, and the deepest between them") {
    std::vector<ManifoldPoint> points;
    for (int i = 0; i < 7; ++i) points.push_back(point(i, 2 * i, i == 2 ? -0.5 : 0, std::uint32_t(i)));
    CHECK(features_of(kept(points)) == std::set<std::uint32_t>{0, 2, 6});
    // All in one place.
    for (ManifoldPoint& p : points) p.on_a.x = p.on_a.y = p.on_b.x = p.on_b.y = 1;
    const PairManifold m = kept(points);
    CHECK(features_of(m).count(2) == 1);
    CHECK(m.count <= 4);
}

TEST_CASE("mirrored twice is the same") {
    PairManifold m = kept({point(0, 0, -0.5, 9), point(1, 0, 0.25, 3)});
    m.part = 5;
    const PairManifold once = mirrored(m), twice = mirrored(once);
    CHECK(once.normal.z == -1);
    CHECK(once.part == 5);
    CHECK(once.count == 2);
    CHECK(once.points[0].on_a.z == m.points[0].on_b.z);
    CHECK(once.points[0].on_b.z == m.points[0].on_a.z);
    CHECK(once.points[1].distance == m.points[1].distance);
    CHECK(twice.normal.z == 1);
    CHECK(twice.points[1].on_a.x == m.points[1].on_a.x);
}

}  // namespace
