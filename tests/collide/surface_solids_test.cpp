// Shapes that have sunk into closed meshes and height fields, the sides of a height field, and sheets with
// two sides.

#include "support/surface_scene.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

namespace {

constexpr auto flat = [](double, double) { return 0.0; };

const ManifoldPoint& deepest_point(const PairManifold& m) {
    return *std::min_element(
        m.points.begin(), m.points.begin() + m.count,
        [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.distance < b.distance; });
}

}  // namespace

TEST_CASE("sunk into a solid by any part of its height a shape is pushed up, as deep as it is") {
    const Surface solids[] = {Surface(box_mesh(6, {3, 3, 3})), Surface(box_mesh(1, {3, 3, 3})),
                              Surface(height_field(20, 20, 3, 3, 1, 6, flat))};
    Random random(1);
    for (const Surface& solid : solids) {
        const double top = solid.grid ? 0.0 : 3.0;
        for (const CollisionShape& mover : movers())
            for (int i = 0; i < 120; ++i) {
                Transformd X =
                    at({random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), 0}, random_rotation(random));
                const Bounds box = bounds(mover, X);
                // Just touching, half way down, and wholly below the surface.
                const double depth = random.uniform(0, 1.2) * (box.upper.z - box.lower.z);
                X.p.z = top - depth - box.lower.z;
                const auto found = contacts_of(mover, X, solid, 0.01);
                CAPTURE(static_cast<int>(mover.type));
                CAPTURE(depth / (box.upper.z - box.lower.z));
                REQUIRE_FALSE(found.empty());
                const double reported = deepest(found);
                // On a mesh of small triangles the way out of single triangles may be sideways; no one asks
                // for less than what is needed, though, by more than the tolerance of the search.
                bool up = false;
                for (const PairManifold& m : found) {
                    if (length(m.normal - Vec3d{0, 0, -1}) > 1e-6) continue;
                    up = true;
                    CHECK(std::abs(deepest_point(m).distance + depth) < 1e-6);
                }
                CHECK(up);
                CHECK(std::abs(reported + depth) < 1e-6);
                CHECK(found.size() == 1);
            }
    }
}

TEST_CASE("a sphere inside a tessellated ball takes the nearest way out") {
    const Surface ball(sphere_mesh(4, 2));
    const CollisionShape sphere = shape_of(ShapeType::sphere, {0.5, 0, 0});
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        const Vec3d n = random_direction(random);
        const double inside = random.uniform(0.01, 0.9);
        const auto found = contacts_of(sphere, at((2 - inside) * n), ball, 0.01);
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].count == 1);
        // The faces are up to 0.003 inside the ball.
        CHECK(std::abs(found[0].points[0].distance + inside + 0.5) < 4e-3);
        CHECK(dot(found[0].normal, -n) > 0.99);
    }
    // Deeper than its own size nothing is near: documented.
    CHECK(contacts_of(sphere, at({0.1, 0.1, 0.1}), ball, 0.01).empty());
}

TEST_CASE("a box on a thin closed plate is held by its top, not pulled through by its bottom") {
    Random random(3);
    const Surface plate(box_mesh(5, {1, 1, 0.001}));
    const CollisionShape box = shape_of(ShapeType::box, {0.2, 0.2, 0.05});
    for (int i = 0; i < 100; ++i) {
        const double depth = random.uniform(-0.001, 0.006);  // also through the bottom
        const auto found =
            contacts_of(box,
                        at({random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 0.051 - depth},
                           rotation_exp(Vec3d{0, 0, random.uniform(-3, 3)})),
                        plate, 0.002);
        REQUIRE(found.size() == 1);
        CHECK(length(found[0].normal - Vec3d{0, 0, -1}) < 1e-9);
        CHECK(std::abs(deepest(found) + depth) < 1e-9);
        CHECK(found[0].count == 4);
    }
}

TEST_CASE("an open sheet is touched from both sides") {
    const Surface sheet(height_mesh(7, 2, flat, true));
    Random random(4);
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 100; ++i) {
            Transformd X = at({random.uniform(-1, 1), random.uniform(-1, 1), 0}, random_rotation(random));
            const double gap = random.uniform(-0.02, 0.02);
            X.p.z = gap - bounds(mover, X).lower.z;
            const auto above = contacts_of(mover, X, sheet, 0.03);
            X.p.z = 0;
            X.p.z = -gap - bounds(mover, X).upper.z;
            const auto below = contacts_of(mover, X, sheet, 0.03);
            REQUIRE(above.size() == 1);
            REQUIRE(below.size() == 1);
            CHECK(length(above[0].normal - Vec3d{0, 0, -1}) < 1e-9);
            CHECK(length(below[0].normal - Vec3d{0, 0, 1}) < 1e-9);
            CHECK(std::abs(deepest(above) - gap) < 1e-9);
            CHECK(std::abs(deepest(below) - gap) < 1e-9);
        }
}

TEST_CASE("the sides, edges and corners of a height field are those of a box") {
    const Surface field(height_field(9, 13, 2, 1, 1, 0.8, [](double, double) { return 0.4; }));
    Random random(5);
    const CollisionShape sphere = shape_of(ShapeType::sphere, {0.3, 0, 0});
    const Vec3d half{2, 1, 0.6}, center{0, 0, -0.2};
    for (int i = 0; i < 3000; ++i) {
        const Vec3d p{random.uniform(-2.5, 2.5), random.uniform(-1.5, 1.5), random.uniform(-0.7, 0.7)};
        Vec3d excess;
        for (int k = 0; k < 3; ++k) excess[k] = p[k] - std::clamp(p[k], -half[k], half[k]);
        const double distance = length(excess);
        if (distance == 0 || std::abs(distance - 0.35) < 1e-6) continue;
        const auto found = contacts_of(sphere, at(p + center), field, 0.05);
        REQUIRE(found.size() == (distance < 0.35 ? 1u : 0u));
        if (found.empty()) continue;
        REQUIRE(found[0].count == 1);
        CHECK(std::abs(found[0].points[0].distance - (distance - 0.3)) < 1e-12);
        CHECK(length(found[0].normal + (1 / distance) * excess) < 1e-9 / distance);
    }
    // Other shapes against its walls.
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 60; ++i) {
            Transformd X = at({0, random.uniform(-0.3, 0.3), -0.3}, random_rotation(random));
            const double gap = random.uniform(-0.01, 0.02);
            X.p.x = 2 + gap - bounds(mover, X).lower.x;
            const auto found = contacts_of(mover, X, field, 0.03);
            REQUIRE_FALSE(found.empty());
            CHECK(std::abs(deepest(found) - gap) < 1e-7);
            for (const PairManifold& m : found) CHECK(length(m.normal - Vec3d{-1, 0, 0}) < 1e-6);
        }
}

TEST_CASE("a height field and the closed mesh of its solid feel the same") {
    const auto hills = [](double x, double y) {
        return 0.5 + 0.25 * std::sin(2 * x) + 0.25 * std::cos(3 * y);
    };
    const Surface field(height_field(17, 21, 2, 2, 0.6, 0.5, hills));
    const Surface mesh(solid_mesh(*field.grid));
    REQUIRE(mesh.triangles->closed);
    Random random(6);
    int touching = 0;
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 150; ++i) {
            Transformd X =
                at({random.uniform(-2.2, 2.2), random.uniform(-2.2, 2.2), random.uniform(0.4, 0.9)},
                   random_rotation(random));
            const ClosestPoints on_field =
                surface_distance({&mover, X}, {&field.shape, Transformd::identity()});
            const ClosestPoints on_mesh =
                surface_distance({&mover, X}, {&mesh.shape, Transformd::identity()});
            if (on_mesh.distance > 1e-3) {
                CHECK(std::abs(on_field.distance - on_mesh.distance) < 1e-8);
                const double margin = 1.3 * on_mesh.distance;
                const auto a = contacts_of(mover, X, field, margin), b = contacts_of(mover, X, mesh, margin);
                CHECK(std::abs(deepest(a) - deepest(b)) < 1e-8);
                CHECK(std::abs(deepest(a) - on_mesh.distance) < 1e-7);
                REQUIRE(a.size() == b.size());
                ++touching;
            }
        }
    CHECK(touching > 400);
}

TEST_CASE("deep below a height field a shape is pushed up through the triangle above it") {
    const auto hills = [](double x, double y) {
        return 0.5 + 0.25 * std::sin(2 * x) + 0.25 * std::cos(3 * y);
    };
    const Surface field(height_field(17, 21, 4, 4, 0.6, 5, hills));
    const CollisionShape sphere = shape_of(ShapeType::sphere, {0.1, 0, 0});
    Random random(7);
    for (int i = 0; i < 200; ++i) {
        const Vec3d p{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-1.5, -0.3)};
        const auto found = contacts_of(sphere, at(p), field, 0.01);
        REQUIRE(found.size() == 1);
        CHECK(found[0].normal.z < -0.5);
        CHECK(found[0].points[0].distance < -0.3);
    }
    // Below the base there is nothing.
    CHECK(contacts_of(sphere, at({0, 0, -5.2}), field, 0.01).empty());
    CHECK(contacts_of(sphere, at({0, 0, -5.105}), field, 0.01).size() == 1);
}

TEST_CASE("a rod upright across an inner edge of a floor stands on it however deep it has sunk") {
    const Surface floors[] = {Surface(height_mesh(2, 3, flat)),
                              Surface(height_field(3, 3, 3, 3, 1, 2, flat))};
    const CollisionShape rod = shape_of(ShapeType::box, {0.05, 0.05, 1});
    const CollisionShape pin = shape_of(ShapeType::capsule, {0.02, 1, 0});
    for (const Surface& floor : floors)
        for (const double depth : {0.001, 0.04, 0.1, 0.3, 0.8})
            for (const Vec3d& p :
                 {Vec3d{0, 0.3, 0}, Vec3d{0.01, 0.02, 0}, Vec3d{0, 0, 0}, Vec3d{0.7, 0.7, 0}}) {
                auto found = contacts_of(rod, at(p + Vec3d{0, 0, 1 - depth}), floor, 0.01);
                REQUIRE(found.size() == 1);
                CHECK(length(found[0].normal - Vec3d{0, 0, -1}) < 1e-9);
                CHECK(std::abs(deepest(found) + depth) < 1e-9);
                CHECK(found[0].count == 4);
                found = contacts_of(pin, at(p + Vec3d{0, 0, 1.02 - depth}), floor, 0.01);
                CAPTURE(depth);
                REQUIRE(found.size() == 1);
                CHECK(length(found[0].normal - Vec3d{0, 0, -1}) < 1e-9);
                CHECK(std::abs(deepest(found) + depth) < 1e-9);
            }
}

TEST_CASE("a surface without triangles touches nothing") {
    const Surface nothing{TriangleMesh{}}, no_field{HeightFieldAsset{}};
    for (const Surface* surface : {&nothing, &no_field})
        for (const CollisionShape& mover : movers()) {
            CHECK(contacts_of(mover, at({0, 0, 0}), *surface, 10).empty());
            CHECK(surface_distance({&mover, at({0, 0, 0})}, {&surface->shape, Transformd::identity()})
                      .distance == std::numeric_limits<double>::infinity());
        }
}

TEST_CASE("distance to a plane is that of the lowest point") {
    const CollisionShape plane = shape_of(ShapeType::plane, {0, 0, 1});
    Random random(8);
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 50; ++i) {
            const Transformd X_WP{rotation_matrix(random_rotation(random)), random_vec(random, 10)};
            const Transformd X_PM = at(random_vec(random, 1), random_rotation(random));
            const ClosestPoints found = surface_distance({&mover, X_WP * X_PM}, {&plane, X_WP});
            CHECK(std::abs(found.distance - bounds(mover, X_PM).lower.z) < 1e-13);
            CHECK(length(found.normal + X_WP.R.z) < 1e-14);
            CHECK(length(found.on_a + found.distance * found.normal - found.on_b) < 1e-13);
            CHECK(std::abs(dot(X_WP.R.z, found.on_b - X_WP.p)) < 1e-13);
        }
}
