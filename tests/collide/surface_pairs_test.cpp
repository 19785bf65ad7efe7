// Convex shapes on surfaces of triangles and height fields: distances and normals against the closed form of
// the surface that the triangles stand for, and against brute force over all triangles.

#include "collide/surface_pairs.h"

#include "collide/convex.h"
#include "collide/surface_groups.h"
#include "core/rotation.h"
#include "shapes/shape_geometry.h"
#include "support/random_values.h"
#include "support/surface_scene.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

TEST_CASE("dragged over a flat floor of many triangles everything feels one plane") {
    const auto flat = [](double, double) { return 0.0; };
    const Surface floors[] = {Surface(height_mesh(24, 4, flat)), Surface(height_mesh(24, 4, flat, true)),
                              Surface(box_mesh(9, {4, 4, 0.5})),
                              Surface(height_field(25, 31, 4, 4, 1, 0.5, flat))};
    Random random(3);
    for (const Surface& floor : floors) {
        const double top = &floor == &floors[2] ? 0.5 : 0.0;
        for (const CollisionShape& mover : movers()) {
            CAPTURE(static_cast<int>(mover.type));
            for (int i = 0; i < 250; ++i) {
                Transformd X = at({random.uniform(-3, 3), random.uniform(-3, 3), 0}, random_rotation(random));
                if (i % 3 == 0) X.R = rotation_matrix(rotation_exp(Vec3d{0, 0, random.uniform(-3, 3)}));
                const double distance = random.uniform(-0.05, 0.05);
                X.p.z = top + distance - lowest(mover, X);
                const auto found = contacts_of(mover, X, floor, 0.06);
                REQUIRE(found.size() == 1);
                // A to B is down. The lowest point is known up to the tolerance of the search for general
                // shapes.
                CHECK(length(found[0].normal - Vec3d{0, 0, -1}) < 1e-9);
                CHECK(std::abs(deepest(found) - distance) < 1e-9);
                for (int k = 0; k < found[0].count; ++k)
                    CHECK(std::abs(found[0].points[k].on_a.z - top - found[0].points[k].distance) < 1e-9);
            }
        }
    }
}

TEST_CASE("beyond the margin nothing is found, within it something") {
    const Surface floor(height_mesh(10, 2, [](double, double) { return 0.0; }));
    for (const CollisionShape& mover : movers()) {
        Transformd X = at({0.1, 0.2, 0}, rotation_exp(Vec3d{0.3, 0.2, 0.1}));
        X.p.z = 0.1 - lowest(mover, X);
        CHECK(contacts_of(mover, X, floor, 0.0999).empty());
        CHECK(contacts_of(mover, X, floor, 0.1001).size() == 1);
    }
}

TEST_CASE("a box standing on triangles has its four corners, and the same features after a small motion") {
    const auto flat = [](double, double) { return 0.0; };
    const Surface floors[] = {Surface(height_mesh(24, 4, flat, true)),
                              Surface(height_field(25, 31, 4, 4, 1, 0.5, flat)),
                              Surface(height_mesh(1, 1000, flat))};
    const CollisionShape box = shape_of(ShapeType::box, {0.5, 0.4, 0.3});
    Random random(4);
    for (const Surface& floor : floors)
        for (int i = 0; i < 100; ++i) {
            const Quatd turn = rotation_exp(Vec3d{0, 0, random.uniform(-3, 3)});
            const Vec3d p{random.uniform(-3, 3), random.uniform(-3, 3), 0.2999};
            const auto before = contacts_of(box, at(p, turn), floor, 0.01);
            REQUIRE(before.size() == 1);
            REQUIRE(before[0].count == 4);
            std::map<std::uint32_t, Vec3d> corners;
            for (const ManifoldPoint& point : before[0].points) {
                corners[point.feature] = point.on_a;
                const Vec3d own = transpose_mul(rotation_matrix(turn), point.on_a - p);
                CHECK(std::abs(std::abs(own.x) - 0.5) < 1e-9);
                CHECK(std::abs(std::abs(own.y) - 0.4) < 1e-9);
                CHECK(std::abs(point.distance + 1e-4) < 1e-9);
            }
            // A step of sliding, sinking and rocking.
            const Quatd rocked = rotation_exp(random_vec(random, 1e-4)) * turn;
            const auto after = contacts_of(box, at(p + random_vec(random, 1e-3), rocked), floor, 0.01);
            REQUIRE(after.size() == 1);
            CHECK(after[0].part == before[0].part);
            REQUIRE(after[0].count == 4);
            for (const ManifoldPoint& point : after[0].points) {
                CAPTURE(point.feature >> 30);
                CAPTURE(point.distance);
                REQUIRE(corners.count(point.feature) == 1);
                CHECK(length(corners[point.feature] - point.on_a) < 3e-3);
            }
        }
}

TEST_CASE("cylinder on its face, capsule on its side, hull on a face: supported at two to four points") {
    const Surface floor(height_mesh(24, 4, [](double, double) { return 0.0; }, true));
    Random random(5);
    const CollisionShape cylinder = shape_of(ShapeType::cylinder, {0.3, 0.2, 0});
    const CollisionShape capsule = shape_of(ShapeType::capsule, {0.1, 0.4, 0});
    CollisionShape hull;
    hull.type = ShapeType::mesh;
    hull.hull = &test_hull();
    for (int i = 0; i < 60; ++i) {
        const Vec3d p{random.uniform(-3, 3), random.uniform(-3, 3), 0};
        const Quatd turn = rotation_exp(Vec3d{0, 0, random.uniform(-3, 3)});
        auto found = contacts_of(cylinder, at(p + Vec3d{0, 0, 0.2}, turn), floor, 0.01);
        REQUIRE(found.size() == 1);
        CHECK(found[0].count == 4);
        for (int k = 0; k < found[0].count; ++k) CHECK(std::abs(found[0].points[k].distance) < 1e-9);

        found = contacts_of(
            capsule, at(p + Vec3d{0, 0, 0.0999}, turn * rotation_exp(Vec3d{std::numbers::pi / 2, 0, 0})),
            floor, 0.01);
        REQUIRE(found.size() == 1);
        CHECK(found[0].count == 2);
        double apart = length(found[0].points[0].on_a - found[0].points[1].on_a);
        CHECK(std::abs(apart - 0.8) < 1e-9);

        // A face of the hull turned down.
        const HullGeometry& geometry = test_hull();
        const int f = random_index(random, geometry.face_count());
        const Vec3d n = geometry.face_normals[f];
        const Vec3d axis = cross(n, Vec3d{0, 0, -1});
        const double angle = std::atan2(length(axis), -n.z);
        Transformd X = at(p, turn * rotation_exp((angle / length(axis)) * axis));
        X.p.z = -lowest(hull, X) - 1e-4;
        const auto resting = contacts_of(hull, X, floor, 0.01);
        REQUIRE(resting.size() == 1);
        CHECK(resting[0].count >= 3);
        X.p += Vec3d{1e-4, -1e-4, 1e-5};
        const auto next = contacts_of(hull, X, floor, 0.01);
        REQUIRE(next.size() == 1);
        REQUIRE(next[0].count == resting[0].count);
        std::set<std::uint32_t> before, after;
        for (int k = 0; k < resting[0].count; ++k) {
            before.insert(resting[0].points[k].feature);
            after.insert(next[0].points[k].feature);
        }
        CHECK(before == after);
    }
}

TEST_CASE("over a ridge: normals only between those of the two slopes, distances of the ridge") {
    constexpr double slope = 0.3;
    const auto ridge = [](double x, double) { return -slope * std::abs(x); };
    const Surface floors[] = {Surface(height_mesh(24, 4, ridge)),
                              Surface(height_field(25, 25, 4, 4, 1, 5, ridge))};
    const double c = 1 / std::sqrt(1 + slope * slope), s = slope * c;
    Random random(6);
    for (const Surface& floor : floors)
        for (const double r : {0.05, 0.3, 0.9})
            for (int i = 0; i < 400; ++i) {
                // A sphere: its centre tells everything.
                const double x = random.uniform(-0.6, 0.6), h = random.uniform(-0.03, 0.03) + r;
                // The smooth surface's nearest point: on the slope, or on the ridge when x is small.
                const double z = std::abs(x) > h * s ? (h - s * std::abs(x)) / c : std::sqrt(h * h - x * x);
                const CollisionShape sphere = shape_of(ShapeType::sphere, {r, 0, 0});
                const auto found = contacts_of(sphere, at({x, random.uniform(-3, 3), z}), floor, 0.04);
                REQUIRE(found.size() == 1);
                REQUIRE(found[0].count == 1);
                CHECK(std::abs(found[0].points[0].distance - (h - r)) < 1e-12);
                const Vec3d n = std::abs(x) > h * s ? Vec3d{x > 0 ? s : -s, 0, c} : Vec3d{x / h, 0, z / h};
                CHECK(length(found[0].normal + n) < 1e-9);
            }
    for (const Surface& floor : floors)
        for (const CollisionShape& mover : movers())
            for (int i = 0; i < 200; ++i) {
                Transformd X =
                    at({random.uniform(-0.6, 0.6), random.uniform(-3, 3), 0}, random_rotation(random));
                // Lowered until it nearly touches: the ridge is the upper edge of two half spaces, the
                // shape's height above it the larger of those above both planes where that point is on their
                // side.
                X.p.z = 1;
                const double gap =
                    surface_distance({&mover, X}, {&floor.shape, Transformd::identity()}).distance;
                REQUIRE(gap > 0);
                X.p.z -= 0.9 * gap;
                const auto found = contacts_of(mover, X, floor, 1.0);
                REQUIRE_FALSE(found.empty());
                for (const PairManifold& m : found) {
                    CHECK(std::abs(m.normal.y) < 1e-6);
                    CHECK(std::abs(m.normal.x) < s + 1e-6);
                    CHECK(m.normal.z < 0);
                }
            }
}

TEST_CASE("a sphere in a valley touches both slopes, with their normals and distances") {
    constexpr double slope = 0.5;
    const double c = 1 / std::sqrt(1 + slope * slope), s = slope * c;
    const auto valley = [](double x, double) { return slope * std::abs(x); };
    const Surface floors[] = {Surface(height_mesh(20, 4, valley)), Surface(height_mesh(20, 4, valley, false)),
                              Surface(height_field(21, 21, 4, 4, 1, 0.5, valley))};
    Random random(7);
    for (const Surface& floor : floors)
        for (int i = 0; i < 300; ++i) {
            const double r = 0.4, x = random.uniform(-0.01, 0.01), z = (r + random.uniform(-0.02, 0.01)) / c;
            const CollisionShape sphere = shape_of(ShapeType::sphere, {r, 0, 0});
            const auto found = contacts_of(sphere, at({x, random.uniform(-3, 3), z}), floor, 0.05);
            REQUIRE(found.size() == 2);
            for (const PairManifold& m : found) {
                REQUIRE(m.count == 1);
                const double side = m.normal.x > 0 ? 1 : -1;  // towards the slope that is there
                CHECK(length(m.normal - Vec3d{side * s, 0, -c}) < 1e-12);
                CHECK(std::abs(m.points[0].distance - (c * z - side * s * x - r)) < 1e-12);
            }
        }
}

TEST_CASE("a box dragged into a valley never feels anything but the two slopes") {
    constexpr double slope = 0.2;
    const double c = 1 / std::sqrt(1 + slope * slope), s = slope * c;
    const auto valley = [](double x, double) { return slope * std::abs(x); };
    const Surface floors[] = {Surface(height_mesh(20, 4, valley)),
                              Surface(height_field(21, 21, 4, 4, 1, 0.5, valley))};
    const CollisionShape box = shape_of(ShapeType::box, {0.3, 0.3, 0.1});
    Random random(8);
    for (const Surface& floor : floors)
        for (int i = 0; i < 300; ++i) {
            // Lying on the right slope, its lower side near the bottom of the valley.
            const double along = random.uniform(0.28, 0.9), depth = random.uniform(-1e-3, 1e-3);
            Transformd X = at(along * Vec3d{c, 0, s} + (0.1 + depth) * Vec3d{-s, 0, c},
                              rotation_exp(Vec3d{0, -std::atan(slope), 0}));
            X.p.y = random.uniform(-3, 3);
            const auto found = contacts_of(box, X, floor, 0.005);
            REQUIRE_FALSE(found.empty());
            for (const PairManifold& m : found) {
                CHECK(std::abs(m.normal.y) < 1e-6);
                const bool right = length(m.normal - Vec3d{s, 0, -c}) < 1e-6;
                const bool left = length(m.normal - Vec3d{-s, 0, -c}) < 1e-6;
                CHECK((right || left));
                if (right) {
                    CHECK(std::abs(m.points[0].distance - depth) < 1e-9);
                    CHECK(m.count == 4);
                }
            }
        }
}

TEST_CASE("shapes over a tessellated sphere: distance and normal of the sphere, up to the tessellation") {
    const double radius = 2;
    const Surface ball(sphere_mesh(4, radius));
    double sagitta = 0;  // how far the middles of faces are inside the sphere
    for (const TriangleSurface::Triangle& t : ball.triangles->triangles)
        sagitta = std::max(sagitta, radius - dot(t.normal, ball.triangles->vertices[t.vertices[0]]));
    Random random(9);
    for (const CollisionShape& mover : movers())
        for (int i = 0; i < 150; ++i) {
            const Vec3d n = random_direction(random);
            Transformd X = at({0, 0, 0}, random_rotation(random));
            // Its lowest point along n is `gap` above the sphere, straight over the centre.
            const Vec3d low = X.R * core_support(mover, transpose_mul(X.R, -n)) - core_radius(mover) * n;
            const double gap = random.uniform(-0.02, 0.02);
            X.p = (radius + gap) * n - low;
            const auto found = contacts_of(mover, X, ball, 0.05);
            REQUIRE_FALSE(found.empty());
            const PairManifold& m =
                *std::min_element(found.begin(), found.end(),
                                  [](const auto& a, const auto& b) { return deepest({a}) < deepest({b}); });
            CAPTURE(static_cast<int>(mover.type));
            CHECK(deepest(found) <= gap + sagitta + 1e-9);
            CHECK(deepest(found) >= gap - 1e-9);
            // Steeper than a face against its sphere no normal is.
            CHECK(dot(m.normal, -n) > 0.98);
        }
}

TEST_CASE("the deepest contact of a shape in front of a surface is its distance, found by brute force") {
    const auto waves = [](double x, double y) { return 0.3 * std::sin(2 * x) * std::cos(3 * y); };
    const TriangleMesh meshes[] = {height_mesh(20, 3, waves, true), sphere_mesh(2, 1)};
    Random random(10);
    for (const TriangleMesh& mesh : meshes) {
        const Surface surface(mesh);
        for (const CollisionShape& mover : movers())
            for (int i = 0; i < 40; ++i) {
                const bool ball = &mesh == &meshes[1];
                Transformd X =
                    at(ball ? random.uniform(1, 1.6) * random_direction(random)
                            : Vec3d{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(0.3, 0.8)},
                       random_rotation(random));
                double least = 1e300;
                for (const auto& f : mesh.faces) {
                    const auto d = convex_triangle_distance(
                        {&mover, X}, {mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]});
                    least = std::min(least, d->distance);
                }
                if (least < 1e-3) continue;
                const ClosestPoints nearest =
                    surface_distance({&mover, X}, {&surface.shape, Transformd::identity()});
                CHECK(std::abs(nearest.distance - least) < 1e-7);
                CHECK(length(nearest.on_a + nearest.distance * nearest.normal - nearest.on_b) < 1e-9);
                const auto found = contacts_of(mover, X, surface, 1.2 * least);
                REQUIRE_FALSE(found.empty());
                CHECK(std::abs(deepest(found) - least) < 1e-7);
            }
    }
}
