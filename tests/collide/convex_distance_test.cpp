// Distance and depth of every pair of convex shapes, each answer proved by closed forms in extended
// precision: the witness points are in the shapes (so the distance is not larger), the shadows on the
// normal are apart by the distance (so it is not smaller), and where the shapes overlap, no direction that
// a search or, for polyhedra, the list of all candidates finds is a shorter way out.

#include "collide/epa.h"
#include "support/convex_cases.h"

#include <doctest/doctest.h>

using namespace lig;
using namespace lig::test;
using namespace lig::collide;

namespace {

constexpr int cases_per_pair = 2000;

// Measured over 10⁵ cases (docs/collision-convex.md), with a factor of ten in hand.
constexpr double max_along = 1e-14, max_separation = 2e-9, max_witness = 1e-6, max_missed = 1e-8;

void check_pair(ShapeType type_a, ShapeType type_b, bool extreme, int cases) {
    Random random(1000 + 10 * static_cast<int>(type_a) + static_cast<int>(type_b));
    for (int k = 0; k < cases; ++k) {
        const ConvexCase c = random_case(random, type_a, type_b, extreme);
        const ClosestPoints found = convex_distance(c.placed_a(), c.placed_b());
        // Searching is slower than finding: every fourth.
        const ConvexErrors e = errors_of(c, found, random, k % 4 == 0 ? 120 : 0, 3);
        CAPTURE(k);
        CAPTURE(found.distance / c.size);
        REQUIRE(e.normal_length <= 1e-15 * 4);
        REQUIRE(e.along <= max_along);
        REQUIRE(e.separation <= max_separation);
        REQUIRE(e.witness <= max_witness);
        REQUIRE(e.missed <= max_missed);
    }
}

const auto is_polyhedron = [](ShapeType type) { return type == ShapeType::box || type == ShapeType::mesh; };

}  // namespace

TEST_CASE("convex distance: every pair, sizes alike") {
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            if (a <= b) check_pair(a, b, false, cases_per_pair / 2);
}

TEST_CASE("convex distance: every pair, tiny against huge, needles and discs") {
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            if (a <= b) check_pair(a, b, true, cases_per_pair / 2);
}

TEST_CASE("convex distance: overlapping polyhedra against all candidate directions") {
    Random random(7);
    double worst = 0;
    int overlapping = 0;
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types) {
            if (!is_polyhedron(a) || !is_polyhedron(b)) continue;
            for (int k = 0; k < 150; ++k) {
                const ConvexCase c = random_case(random, a, b, k % 2 == 1);
                const ClosestPoints found = convex_distance(c.placed_a(), c.placed_b());
                if (found.distance > 0) continue;
                ++overlapping;
                worst = std::max(worst, std::abs(found.distance - exhaustive_separation(c)) / c.size);
            }
        }
    CHECK(overlapping > 150);
    // The candidates leave out pairs of edges nearly side by side, whose direction has no digits.
    CHECK(worst < 1e-11);
}

TEST_CASE("convex distance: exchanging A and B mirrors the answer") {
    Random random(8);
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            for (int k = 0; k < 50; ++k) {
                const ConvexCase c = random_case(random, a, b, k % 2 == 1);
                const ClosestPoints ab = convex_distance(c.placed_a(), c.placed_b());
                const ClosestPoints ba = convex_distance(c.placed_b(), c.placed_a());
                // Only the distance: concentric shapes have many shortest ways out.
                REQUIRE(std::abs(ab.distance - ba.distance) <= max_missed * c.size);
                if (ab.distance > 1e-3 * c.size) REQUIRE(length(ab.normal + ba.normal) < 1e-5);
            }
}

TEST_CASE("convex distance: a rigid motion of the scene, also far away, changes rounding only") {
    Random random(9);
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            for (int k = 0; k < 30; ++k) {
                const ConvexCase c = random_case(random, a, b, false);
                const Transformd X{rotation_matrix(random_rotation(random)), random_vec(random, 1e4)};
                const ClosestPoints here = convex_distance(c.placed_a(), c.placed_b());
                const ClosestPoints there =
                    convex_distance({&c.a.shape, X * c.X_WA}, {&c.b.shape, X * c.X_WB});
                // Positions of 1e4 m have roundings of 2e-12 m.
                REQUIRE(std::abs(here.distance - there.distance) <= (max_missed + 1e-11) * c.size);
                if (here.distance > 1e-3 * c.size) REQUIRE(length(X.R * here.normal - there.normal) < 1e-5);
            }
}

TEST_CASE("convex distance: scaled by a power of two, the same bits scaled") {
    Random random(10);
    for (const ShapeType a : convex_types)
        for (const ShapeType b : convex_types)
            for (const double scale : {0x1p-20, 0x1p13}) {
                if (a == ShapeType::mesh || b == ShapeType::mesh) continue;  // hulls carry sizes of their own
                const ConvexCase c = random_case(random, a, b, false);
                ConvexCase s = c;
                s.a.shape.size = scale * c.a.shape.size;
                s.b.shape.size = scale * c.b.shape.size;
                s.X_WB.p = scale * c.X_WB.p;
                const ClosestPoints one = convex_distance(c.placed_a(), c.placed_b());
                const ClosestPoints scaled = convex_distance(s.placed_a(), s.placed_b());
                REQUIRE(scaled.distance == scale * one.distance);
                for (int i = 0; i < 3; ++i) {
                    REQUIRE(scaled.normal[i] == one.normal[i]);
                    REQUIRE(scaled.on_a[i] == scale * one.on_a[i]);
                }
            }
}

TEST_CASE("convex distance: closed forms") {
    const CollisionShape ball{.type = ShapeType::sphere, .size = {0.5, 0, 0}};
    const CollisionShape cube{.type = ShapeType::box, .size = {1, 1, 1}};
    const CollisionShape can{.type = ShapeType::cylinder, .size = {1, 2, 0}};
    const CollisionShape egg{.type = ShapeType::ellipsoid, .size = {1, 2, 3}};
    const auto at = [](double x, double y, double z) { return Transformd{Mat3d::identity(), {x, y, z}}; };
    const auto distance = [&](const CollisionShape& a, const CollisionShape& b, const Transformd& X_AB) {
        return convex_distance({&a, Transformd::identity()}, {&b, X_AB}).distance;
    };
    // Corner of the cube; its face; its inside, out through the nearest face.
    CHECK(distance(ball, cube, at(3, 3, 3)) == doctest::Approx(std::sqrt(12.0) - 0.5).epsilon(1e-15));
    CHECK(distance(ball, cube, at(0, 2, 0.5)) == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(distance(ball, cube, at(0.25, 0, 0.5)) == doctest::Approx(-(0.5 + 0.5)).epsilon(1e-15));
    // Side against side of two cans square to each other; end on end; concentric: out along the side.
    const Transformd lying{rotation_matrix(rotation_exp(Vec3d{1.5707963267948966, 0, 0})), {2.5, 0, 0}};
    CHECK(distance(can, can, lying) == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(distance(can, can, at(0.3, 0.2, 4.25)) == doctest::Approx(0.25).epsilon(1e-14));
    CHECK(distance(can, can, at(0, 0, 0)) == doctest::Approx(-2).epsilon(1e-12));
    // Along the axes of the egg, and deep inside: the shortest semi-axis.
    CHECK(distance(ball, egg, at(0, 0, 4)) == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(distance(ball, egg, at(0, 0, 0)) == doctest::Approx(-1.5).epsilon(1e-12));
    CHECK(distance(egg, egg, at(0, 0, 0)) == doctest::Approx(-2).epsilon(1e-12));
    // Exactly touching.
    CHECK(std::abs(distance(cube, cube, at(2, 0.5, 0.25))) < 1e-15);
    CHECK(std::abs(distance(egg, cube, at(2, 0, 0))) < 1e-15);
}

TEST_CASE("convex distance: within a limit") {
    Random random(11);
    for (int k = 0; k < 2000; ++k) {
        const ConvexCase c = random_case(random, convex_types[random_index(random, 6)],
                                         convex_types[random_index(random, 6)], false);
        const double limit = random.uniform(-0.5, 1) * c.size;
        const ClosestPoints whole = convex_distance(c.placed_a(), c.placed_b());
        const auto within = convex_distance_within(c.placed_a(), c.placed_b(), limit);
        if (std::abs(whole.distance - limit) < 1e-9 * c.size) continue;
        REQUIRE(within.has_value() == (whole.distance <= limit));
        if (within) REQUIRE(within->distance == whole.distance);
    }
}

TEST_CASE("convex distance: a bare triangle") {
    // The same as a hull so flat that its thickness does not count.
    Random random(12);
    for (const ShapeType type : convex_types)
        for (int k = 0; k < 100; ++k) {
            const OwnedShape shape = random_shape(random, type, 1);
            const Transformd X{rotation_matrix(random_rotation(random)), random_vec(random, 1.5)};
            std::array<Vec3d, 3> triangle;
            for (Vec3d& p : triangle) p = random_vec(random, 1.5);
            const auto found = convex_triangle_distance({&shape.shape, X}, triangle);
            REQUIRE(found);
            // Proved as for shapes: the shadow of a triangle is that of its corners.
            const Vec3r n = wide(found->normal);
            Real nearest = std::numeric_limits<Real>::infinity();
            for (const Vec3d& p : triangle) nearest = std::min(nearest, dot(n, wide(p) - wide(X.p)));
            const Vec3r n_G{dot(n, wide(X.R.x)), dot(n, wide(X.R.y)), dot(n, wide(X.R.z))};
            REQUIRE(std::abs(double(nearest - support_function(shape.shape, n_G)) - found->distance) < 1e-9);
            REQUIRE(double(outside(shape.shape, X, found->on_a)) < 1e-7);
            // on_b in the triangle: its barycentric coordinates are not negative, and it is in the plane.
            const Vec3d e = triangle[1] - triangle[0], f = triangle[2] - triangle[0];
            const Vec3d m = cross(e, f), q = found->on_b - triangle[0];
            const double area = dot(m, m), y = dot(cross(e, q), m) / area, x = dot(cross(q, f), m) / area;
            if (area < 1e-4) continue;
            REQUIRE(std::abs(dot(q, m)) / std::sqrt(area) < 1e-6);
            REQUIRE(std::min({x, y, 1 - x - y}) > -1e-5);
        }
}

TEST_CASE("depth: what the search could not exclude is reported") {
    Random random(13);
    for (int k = 0; k < 300; ++k) {
        const ConvexCase c = random_case(random, convex_types[random_index(random, 6)],
                                         convex_types[random_index(random, 6)], k % 2 == 1);
        const CorePair pair(c.a.shape, c.b.shape,
                            {transpose_mul(c.X_WA.R, c.X_WB.R), transpose_mul(c.X_WA.R, c.X_WB.p)});
        const GjkResult found = gjk(pair);
        if (found.kind != GjkResult::Kind::together) continue;
        const Penetration depth = penetration(pair, found);
        REQUIRE(depth.bound <= depth.depth);
        REQUIRE(depth.vertices <= 128);
    }
}
