// Surfaces and shapes of very different sizes, far from the origin, needles, and shapes over thousands of
// triangles: the answers stay those of the closed forms, and the work and the number of contacts stay
// bounded.

#include "support/surface_scene.h"

#include <doctest/doctest.h>

#include <chrono>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

namespace {

constexpr auto flat = [](double, double) { return 0.0; };

CollisionShape scaled(CollisionShape shape, double by) {
    shape.size = by * shape.size;
    return shape;
}
// All movers but the hull, which has no size to scale.
std::vector<CollisionShape> scaled_movers(double by) {
    std::vector<CollisionShape> list;
    for (const CollisionShape& mover : movers())
        if (mover.type != ShapeType::mesh) list.push_back(scaled(mover, by));
    return list;
}

}  // namespace

TEST_CASE("a millimetre on triangles of a kilometre") {
    const Surface floors[] = {Surface(height_mesh(1, 1000, flat)), Surface(height_mesh(3, 1000, flat, true)),
                              Surface(box_mesh(1, {1000, 1000, 1000})),
                              Surface(height_field(3, 4, 1000, 1000, 1, 10, flat))};
    Random random(1);
    for (const Surface& floor : floors) {
        const double top = &floor == &floors[2] ? 1000 : 0;
        for (const CollisionShape& mover : scaled_movers(2e-3))
            for (int i = 0; i < 150; ++i) {
                CAPTURE(static_cast<int>(mover.type));
                // Anywhere, and across edges and vertices of the floor.
                Vec3d p{random.uniform(-900, 900), random.uniform(-900, 900), 0};
                if (i % 3 == 1) p.y = p.x + random.uniform(-1e-4, 1e-4);
                if (i % 3 == 2) p = {random.uniform(-1e-4, 1e-4), random.uniform(-1e-4, 1e-4), 0};
                Transformd X = at(p, random_rotation(random));
                if (i % 4 == 0) X.R = Mat3d::identity();
                const double gap = random.uniform(-5e-5, 5e-5);
                const Transformd turned{X.R, {0, 0, 0}};
                X.p.z = top + gap - bounds(mover, turned).lower.z;
                const auto found = contacts_of(mover, X, floor, 1e-4);
                REQUIRE(found.size() == 1);
                CHECK(length(found[0].normal - Vec3d{0, 0, -1}) < 1e-6);
                // The position itself has 1e-13 m to spare, 2e-10 of the shape.
                CHECK(std::abs(deepest(found) - gap) < 1e-12);
            }
    }
}

TEST_CASE("a kilometre over ten thousand triangles: four points at its corners") {
    const Surface floors[] = {Surface(height_mesh(100, 5, flat)),
                              Surface(height_field(101, 101, 5, 5, 1, 1, flat))};
    const CollisionShape block = shape_of(ShapeType::box, {1000, 1000, 1});
    const CollisionShape table = shape_of(ShapeType::box, {4, 3, 0.5});
    for (const Surface& floor : floors) {
        auto found = contacts_of(block, at({0, 0, 0.999}), floor, 0.01);
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].count == 4);
        // The corners of the floor, up to what counts as equally far (1 % in keep_extreme_points).
        for (const ManifoldPoint& p : found[0].points) {
            CHECK(std::abs(std::abs(p.on_a.x) - 5) < 0.15);
            CHECK(std::abs(std::abs(p.on_a.y) - 5) < 0.15);
            CHECK(std::abs(p.distance + 1e-3) < 1e-9);
        }
        found = contacts_of(table, at({0.3, 0.2, 0.5}, rotation_exp(Vec3d{0, 0, 0.2})), floor, 0.01);
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].count == 4);
        const Mat3d R = rotation_matrix(rotation_exp(Vec3d{0, 0, 0.2}));
        for (const ManifoldPoint& p : found[0].points) {
            const Vec3d own = transpose_mul(R, p.on_a - Vec3d{0.3, 0.2, 0});
            CHECK(std::abs(std::abs(own.x) - 4) < 1e-9);
            CHECK(std::abs(std::abs(own.y) - 3) < 1e-9);
        }
    }
}

TEST_CASE("a large box over rough ground of thousands of triangles rests on few points, on the peaks") {
    Random random(2);
    const Surface ground(height_mesh(60, 3, [&](double, double) { return random.uniform(-0.02, 0); }, true));
    double peak = -1;
    for (const Vec3d& v : ground.triangles->vertices) peak = std::max(peak, v.z);
    const CollisionShape box = shape_of(ShapeType::box, {2, 2, 0.5});
    const auto start = std::chrono::steady_clock::now();
    const auto found = contacts_of(box, at({0, 0, 0.5}), ground, 0.005);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    CHECK(spent.count() < 2);  // bounded: milliseconds without sanitizers
    REQUIRE_FALSE(found.empty());
    int points = 0;
    for (const PairManifold& m : found) points += m.count;
    CHECK(points <= 4 * SurfaceGroups::capacity);
    CHECK(deepest(found) >= -peak - 1e-9);
    CHECK(deepest(found) < 0.001);
}

TEST_CASE("needles: a floor of triangles a micrometre wide feels like a floor") {
    TriangleMesh mesh;
    constexpr int n = 400;
    for (int i = 0; i <= n; ++i)
        for (const double y : {-1.0, 1.0}) mesh.vertices.push_back({(i - n / 2) * 1e-6, y, 0});
    for (int i = 0; i < n; ++i) {
        const int a = 2 * i;
        mesh.faces.push_back({a, a + 2, a + 3});
        mesh.faces.push_back({a, a + 3, a + 1});
    }
    const Surface floor(mesh);
    Random random(3);
    for (const CollisionShape& mover : movers()) {
        if (mover.type == ShapeType::box || mover.type == ShapeType::cylinder)
            continue;  // wider than the floor
        for (int i = 0; i < 12; ++i) {
            CAPTURE(static_cast<int>(mover.type));
            Transformd X = at({0, 0, 0}, random_rotation(random));
            const double gap = random.uniform(-1e-3, 1e-3);
            const Vec3d low = X.R * core_support(mover, transpose_mul(X.R, Vec3d{0, 0, -1}));
            X.p = {random.uniform(-1e-4, 1e-4) - low.x, random.uniform(-0.5, 0.5) - low.y, 0};
            X.p.z = gap - bounds(mover, X).lower.z;
            const auto found = contacts_of(mover, X, floor, 2e-3);
            REQUIRE_FALSE(found.empty());
            CHECK(std::abs(deepest(found) - gap) < 1e-7);
        }
    }
}

TEST_CASE("moved and turned as a whole, even far away, a scene keeps its contacts") {
    const auto hills = [](double x, double y) { return 0.2 * std::sin(2 * x) * std::cos(3 * y); };
    const Surface surfaces[] = {Surface(height_mesh(20, 2, hills, true)), Surface(sphere_mesh(3, 1)),
                                Surface(height_field(21, 21, 2, 2, 1, 1, [&](double x, double y) {
                                    return 0.2 + hills(x, y);
                                }))};
    Random random(4);
    int compared = 0;
    for (const Surface& surface : surfaces)
        for (const CollisionShape& mover : movers())
            for (int i = 0; i < 40; ++i) {
                Transformd X_SC = at(Vec3d{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 1.6},
                                     random_rotation(random));
                const auto distance = [&] {
                    return surface_distance({&mover, X_SC}, {&surface.shape, Transformd::identity()})
                        .distance;
                };
                // Down by what is left, until it is a millimetre away.
                for (int k = 0; k < 40 && distance() > 1e-3; ++k) X_SC.p.z -= distance() - 5e-4;
                const Transformd X_WS{rotation_matrix(random_rotation(random)), random_vec(random, 1e4)};
                const auto here = contacts_of(mover, X_SC, surface, 2e-3);
                const auto there = contacts_of(mover, X_WS * X_SC, surface.shape, X_WS, 2e-3);
                REQUIRE_FALSE(here.empty());
                REQUIRE(here.size() == there.size());
                // At 1e4 m positions have 2e-12 m to spare, and directions of round shapes half the digits.
                CHECK(std::abs(deepest(here) - deepest(there)) < 1e-8);
                for (std::size_t m = 0; m < here.size(); ++m) {
                    CHECK(here[m].part == there[m].part);
                    CHECK(length(X_WS.R * here[m].normal - there[m].normal) < 1e-4);
                    ++compared;
                }
            }
    CHECK(compared >= 3 * 6 * 40);
}

TEST_CASE("a hundred thousand triangles: contacts of the smooth surface, in little time") {
    // Level 6 has 81,920, the floor 125,000.
    const Surface ball(sphere_mesh(6, 10)), floor(height_mesh(250, 50, flat, true));
    Random random(5);
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 40; ++i) {
            const Vec3d n = random_direction(random);
            Transformd X = at({0, 0, 0}, random_rotation(random));
            const Vec3d low = X.R * core_support(mover, transpose_mul(X.R, -n)) - core_radius(mover) * n;
            X.p = (10 + random.uniform(-0.01, 0.01)) * n - low;
            const double gap = length(X.p + low) - 10;
            const auto found = contacts_of(mover, X, ball, 0.02);
            REQUIRE_FALSE(found.empty());
            CHECK(deepest(found) >= gap - 1e-9);
            CHECK(deepest(found) <= gap + 1e-3);  // the sagitta of a face 0.17 m long

            Transformd Y = at({random.uniform(-40, 40), random.uniform(-40, 40), 0}, random_rotation(random));
            Y.p.z = 0.003 - bounds(mover, Y).lower.z;
            const auto on_floor = contacts_of(mover, Y, floor, 0.02);
            REQUIRE(on_floor.size() == 1);
            CHECK(length(on_floor[0].normal - Vec3d{0, 0, -1}) < 1e-9);
            CHECK(std::abs(deepest(on_floor) - 0.003) < 1e-9);
        }
}

TEST_CASE("the same call gives the same bits") {
    const Surface ground(
        height_mesh(40, 3, [](double x, double y) { return 0.1 * std::sin(5 * x) * std::sin(4 * y); }, true));
    const CollisionShape box = shape_of(ShapeType::box, {0.5, 0.5, 0.2});
    NarrowOutput out;
    collide_with_surface({&box, at({0.2, 0.1, 0.25})}, {&ground.shape, Transformd::identity()}, 0.05, out);
    const std::size_t count = out.manifolds.size();
    REQUIRE(count > 0);
    collide_with_surface({&box, at({0.2, 0.1, 0.25})}, {&ground.shape, Transformd::identity()}, 0.05, out);
    REQUIRE(out.manifolds.size() == 2 * count);
    for (std::size_t m = 0; m < count; ++m) {
        const PairManifold &a = out.manifolds[m], &b = out.manifolds[count + m];
        CHECK(a.part == b.part);
        REQUIRE(a.count == b.count);
        for (int i = 0; i < a.count; ++i) {
            CHECK(a.points[i].distance == b.points[i].distance);
            CHECK(a.points[i].feature == b.points[i].feature);
        }
    }
}
