// Manifolds of convex shapes at rest: all the points that carry, where they should be, and the same ones
// after a small motion.

#include "collide/convex.h"
#include "collide/face_manifold.h"
#include "support/convex_cases.h"

#include <doctest/doctest.h>

#include <set>

using namespace lig;
using namespace lig::test;
using namespace lig::collide;

namespace {

CollisionShape shape(ShapeType type, const Vec3d& size) { return {.type = type, .size = size}; }
Transformd at(double x, double y, double z) { return {Mat3d::identity(), {x, y, z}}; }

std::set<std::uint32_t> features(const PairManifold& m) {
    std::set<std::uint32_t> found;
    for (int i = 0; i < m.count; ++i) found.insert(m.points[i].feature);
    return found;
}
double lowest(const PairManifold& m) {
    double d = m.points[0].distance;
    for (int i = 1; i < m.count; ++i) d = std::min(d, m.points[i].distance);
    return d;
}
// The area that the points span, as twice that of the triangles from the first.
double spanned(const PairManifold& m) {
    double most = 0;
    for (int i = 0; i < m.count; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < j; ++k)
                most = std::max(most, length(cross(m.points[j].on_a - m.points[i].on_a,
                                                   m.points[k].on_a - m.points[i].on_a)));
    return most;
}

// What holds of every manifold.
void check_manifold(const PairManifold& m, const ClosestPoints& witness, double margin, double size) {
    REQUIRE(m.count >= 1);
    REQUIRE(m.count <= 4);
    REQUIRE(std::abs(length(m.normal) - 1) < 1e-14);
    REQUIRE(static_cast<int>(features(m).size()) == m.count);
    for (int i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        REQUIRE(p.distance <= margin);
        // No point is deeper than the depth.
        REQUIRE(p.distance >= witness.distance - 1e-9 * size);
        REQUIRE(length(p.on_b - p.on_a - p.distance * m.normal) <= 1e-13 * size);
    }
    REQUIRE(std::abs(lowest(m) - witness.distance) <= 1e-8 * size);
}

}  // namespace

TEST_CASE("convex manifold: a can on its end, on its side and on its edge") {
    const CollisionShape can = shape(ShapeType::cylinder, {0.5, 1, 0});
    const CollisionShape table = shape(ShapeType::box, {3, 3, 0.5});
    PairManifold m;
    for (const double gap : {-1e-3, 0.0, 1e-3}) {
        // On its end: four points of the rim, a quarter turn apart: no four span more.
        REQUIRE(collide_convex({&can, at(0.2, 0.1, 1.5 + gap)}, {&table, at(0, 0, 0)}, 0.01, m));
        CHECK(m.count == 4);
        CHECK(length(m.normal - Vec3d{0, 0, -1}) < 1e-12);
        for (int i = 0; i < m.count; ++i) {
            CHECK(m.points[i].distance == doctest::Approx(gap).epsilon(1e-12).scale(1));
            const Vec3d from_axis = m.points[i].on_a - Vec3d{0.2, 0.1, m.points[i].on_a.z};
            CHECK(length(from_axis) == doctest::Approx(0.5));
        }
        CHECK(spanned(m) == doctest::Approx(0.5).epsilon(0.02));

        // On its side: both ends of the line.
        const Transformd lying{rotation_matrix(rotation_exp(Vec3d{0, 1.5707963267948966, 0})),
                               {0, 0, 1 + gap}};
        REQUIRE(collide_convex({&can, lying}, {&table, at(0, 0, 0)}, 0.01, m));
        CHECK(m.count == 2);
        CHECK(std::abs(m.points[0].on_a.x - m.points[1].on_a.x) == doctest::Approx(2));
        for (int i = 0; i < m.count; ++i)
            CHECK(m.points[i].distance == doctest::Approx(gap).epsilon(1e-12).scale(1));
    }
    // Leaning far over: one point.
    const Transformd leaning{rotation_matrix(rotation_exp(Vec3d{0, 0.7, 0})), {0, 0, 1.6}};
    REQUIRE(collide_convex({&can, leaning}, {&table, at(0, 0, 0)}, 0.2, m));
    CHECK(m.count == 1);
}

TEST_CASE("convex manifold: the same points after a small motion") {
    Random random(41);
    const CollisionShape table = shape(ShapeType::box, {3, 2, 0.5});
    std::vector<Vec3d> prism;
    for (int i = 0; i < 6; ++i) {
        const double angle = 1.0471975511965976 * i;
        for (const double z : {-0.4, 0.4}) prism.push_back({0.6 * std::cos(angle), 0.6 * std::sin(angle), z});
    }
    auto built = make_hull_geometry(prism);
    const HullGeometry& hull = std::get<HullGeometry>(built);
    CollisionShape nut = shape(ShapeType::mesh, {0, 0, 0});
    nut.hull = &hull;
    const CollisionShape can = shape(ShapeType::cylinder, {0.5, 0.4, 0});
    const CollisionShape brick = shape(ShapeType::box, {0.5, 0.3, 0.4});

    for (const CollisionShape* top : std::initializer_list<const CollisionShape*>{&nut, &can, &brick}) {
        PairManifold first;
        const Transformd rest{rotation_matrix(rotation_exp(Vec3d{0, 0, 0.3})), {0.1, 0.2, 0.9 - 1e-4}};
        REQUIRE(collide_convex({top, rest}, {&table, at(0, 0, 0)}, 0.01, first));
        REQUIRE(first.count == 4);
        for (int k = 0; k < 200; ++k) {
            Transformd moved = rest;
            // More than four points carry the nut and the can: tilting changes which is the deepest, and
            // that one is always kept. The brick may tilt.
            Vec3d turn = random_vec(random, 1e-7);
            if (top != &brick) turn = {0, 0, turn.z};
            moved.R = rotation_matrix(rotation_exp(turn)) * rest.R;
            moved.p += random_vec(random, 1e-6);
            PairManifold next;
            REQUIRE(collide_convex({top, moved}, {&table, at(0, 0, 0)}, 0.01, next));
            REQUIRE(features(next) == features(first));
            for (int i = 0; i < next.count; ++i)
                for (int j = 0; j < first.count; ++j)
                    if (next.points[i].feature == first.points[j].feature)
                        REQUIRE(length(next.points[i].on_a - first.points[j].on_a) < 1e-5);
        }
    }
}

TEST_CASE("convex manifold: faces that only partly cover each other") {
    // A brick over the corner of a table: its corner inside, two crossings of edges, and the table's corner.
    const CollisionShape brick = shape(ShapeType::box, {1, 1, 0.5}),
                         table = shape(ShapeType::box, {2, 2, 0.5});
    PairManifold m;
    REQUIRE(collide_convex({&brick, at(2.25, 1.5, 1)}, {&table, at(0, 0, 0)}, 0.01, m));
    REQUIRE(m.count == 4);
    std::set<std::pair<double, double>> corners;
    for (int i = 0; i < 4; ++i) {
        CHECK(std::abs(m.points[i].distance) < 1e-14);
        corners.insert(
            {std::round(1e9 * m.points[i].on_a.x) / 1e9, std::round(1e9 * m.points[i].on_a.y) / 1e9});
    }
    CHECK(corners == std::set<std::pair<double, double>>{{1.25, 0.5}, {2, 0.5}, {1.25, 2}, {2, 2}});

    // Boxes of one size on each other: the corners of the upper one, whatever the rounding.
    Random random(42);
    std::set<std::uint32_t> before;
    for (int k = 0; k < 100; ++k) {
        const Vec3d jitter = random_vec(random, 1e-9);
        REQUIRE(
            collide_convex({&brick, at(jitter.x, jitter.y, 1 + jitter.z)}, {&brick, at(0, 0, 0)}, 0.01, m));
        REQUIRE(m.count == 4);
        if (k > 0) REQUIRE(features(m) == before);
        before = features(m);
    }
}

TEST_CASE("convex manifold: edges side by side and crossing") {
    // Two bricks balanced edge on edge (both turned by 45° about x): the overlap of the edges.
    const CollisionShape brick = shape(ShapeType::box, {1, 0.5, 0.5});
    const Mat3d turned = rotation_matrix(rotation_exp(Vec3d{0.78539816339744831, 0, 0}));
    const double half = std::sqrt(0.5);
    PairManifold m;
    REQUIRE(collide_convex({&brick, {turned, {0, 0, 0}}}, {&brick, {turned, {0.5, 0, 2 * half + 1e-3}}}, 0.01,
                           m));
    REQUIRE(m.count == 2);
    CHECK(std::abs(m.points[0].on_a.x - m.points[1].on_a.x) == doctest::Approx(1.5));
    for (int i = 0; i < 2; ++i) CHECK(m.points[i].distance == doctest::Approx(1e-3));
    // One of them across: a single point where they cross.
    const Mat3d across = rotation_matrix(rotation_exp(Vec3d{0, 0, 1.5707963267948966})) * turned;
    REQUIRE(collide_convex({&brick, {turned, {0, 0, 0}}}, {&brick, {across, {0.25, 0, 2 * half + 1e-3}}},
                           0.01, m));
    REQUIRE(m.count == 1);
    CHECK(length(m.points[0].on_a - Vec3d{0.25, 0, half}) < 1e-12);
}

TEST_CASE("convex manifold: what holds of every pair") {
    Random random(43);
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            for (int k = 0; k < 100; ++k) {
                const ConvexCase c = random_case(random, a, b, k % 4 == 0);
                const double margin = 1e-3 * c.size;
                const ClosestPoints witness = convex_distance(c.placed_a(), c.placed_b());
                PairManifold m, mirror;
                const bool touching = collide_convex(c.placed_a(), c.placed_b(), margin, m);
                if (std::abs(witness.distance - margin) > 1e-9 * c.size)
                    REQUIRE(touching == (witness.distance <= margin));
                if (!touching) continue;
                check_manifold(m, witness, margin, c.size);
                REQUIRE(collide_convex(c.placed_b(), c.placed_a(), margin, mirror));
                REQUIRE(std::abs(lowest(mirror) - lowest(m)) <= 1e-8 * c.size);
            }
}
