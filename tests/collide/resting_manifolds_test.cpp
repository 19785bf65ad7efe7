// Bodies at rest: the full supporting manifold, and the same features when the pose changes by as much as a
// solver leaves it to.

#include "support/random_shapes.h"
#include "support/shape_of.h"

#include <doctest/doctest.h>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

std::vector<std::uint32_t> features_of(const PairManifold& m) {
    std::vector<std::uint32_t> out;
    for (int i = 0; i < m.count; ++i) out.push_back(m.points[std::size_t(i)].feature);
    return out;
}

struct Rest {
    std::string name;
    CollisionShape below, above;
    Transformd X_WB;  // of what lies above; the other is at the origin
    int points;
};

Mat3d turned_z(double angle) { return rotation_matrix(rotation_exp(Vec3d{0, 0, angle})); }
// The axis z lies along x.
Mat3d lying() { return {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}; }

std::vector<Rest> rests() {
    const CollisionShape ground = shape_of(ShapeType::plane, {0, 0, 1});
    const CollisionShape box = shape_of(ShapeType::box, {1, 0.7, 0.5});
    const CollisionShape table = shape_of(ShapeType::box, {3, 3, 0.25});
    const CollisionShape beam = shape_of(ShapeType::box, {3, 0.2, 0.2});
    const CollisionShape beam_across = shape_of(ShapeType::box, {0.2, 3, 0.2});
    const CollisionShape capsule = shape_of(ShapeType::capsule, {0.25, 1, 0});
    const CollisionShape cylinder = shape_of(ShapeType::cylinder, {0.5, 0.75, 0});
    const Mat3d upright = Mat3d::identity(), tilted = rotation_matrix(rotation_exp(Vec3d{0.6, 0, 0}));
    const double diagonal = 0.25 * std::sqrt(0.5);
    return {
        {"box on plane", ground, box, {turned_z(0.3), {4, 5, 0.5}}, 4},
        {"box on table", table, box, {turned_z(0.3), {0.2, 0.1, 0.75}}, 4},
        {"box on its like", box, box, {upright, {0, 0, 1}}, 4},
        {"box on its like, shifted", box, box, {upright, {0.5, 0.25, 1}}, 4},
        {"box on the end of a table", table, box, {upright, {3, 0, 0.75}}, 4},
        {"beam across a beam", beam, beam_across, {upright, {0.3, -0.2, 0.4}}, 4},
        {"box on its edge", ground, box, {tilted, {0, 0, 0.7 * std::sin(0.6) + 0.5 * std::cos(0.6)}}, 2},
        {"cylinder on plane", ground, cylinder, {upright, {0, 0, 0.75}}, 4},
        {"cylinder on its side", ground, cylinder, {lying(), {0, 0, 0.5}}, 2},
        {"capsule on plane", ground, capsule, {lying(), {1, 1, 0.25}}, 2},
        {"capsule on table", table, capsule, {lying(), {0, 0, 0.5}}, 2},
        {"capsule on a table's end", table, capsule, {lying(), {3, 0.5, 0.5}}, 2},
        {"capsule on capsule", capsule, capsule, {upright, {0.5, 0, 0}}, 2},
        {"capsule on capsule, shifted", capsule, capsule, {upright, {0.3, 0.4, 0.5}}, 2},
        {"capsule beside a box's edge", box, capsule, {upright, {1 + diagonal, 0.7 + diagonal, 0}}, 2},
    };
}

TEST_CASE("what rests has its full manifold, and keeps it under small motion") {
    for (const Rest& rest : rests()) {
        for (const double scale : {1e-3, 1.0, 1e3}) {
            CollisionShape below = rest.below, above = rest.above;
            below.size = scale * below.size;
            above.size = scale * above.size;
            Transformd X_WB = rest.X_WB;
            X_WB.p = scale * X_WB.p;
            const PlacedShape a{&below, Transformd::identity()};
            const double margin = 1e-3 * scale;

            NarrowOutput out;
            collide_shapes(a, {&above, X_WB}, margin, out);
            INFO(rest.name, " of size ", scale);
            REQUIRE(out.manifolds.size() == 1);
            const std::vector<std::uint32_t> expected = features_of(out.manifolds[0]);
            CHECK(int(expected.size()) == rest.points);
            for (int i = 0; i < out.manifolds[0].count; ++i)
                CHECK(std::abs(out.manifolds[0].points[std::size_t(i)].distance) < 1e-12 * scale);

            Random random(7);
            int different = 0;
            for (int run = 0; run < 500; ++run) {
                const double motion = random_scale(random, 1e-9, 1e-4);
                Transformd moved = X_WB;
                moved.p += motion * scale * random_direction(random);
                moved.R = rotation_matrix(rotation_exp(motion * random_direction(random))) * moved.R;
                NarrowOutput next;
                collide_shapes(a, {&above, moved}, margin, next);
                different += next.manifolds.size() != 1 || features_of(next.manifolds[0]) != expected;
            }
            CHECK(different == 0);
        }
    }
}

TEST_CASE("the points of a resting box are its corners") {
    const CollisionShape ground = shape_of(ShapeType::plane, {0, 0, 1});
    const CollisionShape table = shape_of(ShapeType::box, {3, 3, 0.25});
    const CollisionShape box = shape_of(ShapeType::box, {1, 0.7, 0.5});
    for (const bool on_table : {false, true}) {
        const PlacedShape a{on_table ? &table : &ground, {Mat3d::identity(), {0, 0, on_table ? -0.25 : 0}}};
        const Transformd X{turned_z(0.4), {0.3, -0.2, 0.49}};
        NarrowOutput out;
        collide_shapes(a, {&box, X}, 0, out);
        REQUIRE(out.manifolds.size() == 1);
        const PairManifold& m = out.manifolds[0];
        CHECK(largest(m.normal - Vec3d{0, 0, 1}) == 0);
        REQUIRE(m.count == 4);
        for (const double x : {-1.0, 1.0})
            for (const double y : {-0.7, 0.7}) {
                const Vec3d corner = X * Vec3d{x, y, -0.5};
                double nearest = 1;
                for (const ManifoldPoint& p : m.points) {
                    nearest = std::min(nearest, length(p.on_b - corner));
                    CHECK(p.distance == doctest::Approx(-0.01).epsilon(1e-12));
                }
                CHECK(nearest < 1e-14);
            }
    }
}

TEST_CASE("a hull rests on a plane with the outermost of its lowest corners") {
    // A prism of 24 sides: which four of its corners are kept must not change, and they span its face.
    std::vector<Vec3d> points;
    for (int k = 0; k < 24; ++k)
        for (const double z : {-0.5, 0.5}) {
            const double angle = 2 * 3.14159265358979323846 * k / 24;
            points.push_back({std::cos(angle), std::sin(angle), z});
        }
    const HullGeometry hull = std::get<HullGeometry>(make_hull_geometry(points));
    CollisionShape prism = shape_of(ShapeType::mesh, {0, 0, 0});
    prism.hull = &hull;
    const CollisionShape ground = shape_of(ShapeType::plane, {0, 0, 1});
    NarrowOutput out;
    collide_shapes({&ground, Transformd::identity()}, {&prism, {Mat3d::identity(), {0, 0, 0.5}}}, 1e-3, out);
    REQUIRE(out.manifolds.size() == 1);
    const PairManifold& m = out.manifolds[0];
    REQUIRE(m.count == 4);
    // Any quadrilateral of corners that are all at least 75° apart has more than nine tenths of the square's
    // area.
    double area = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            for (int k = j + 1; k < 4; ++k) {
                const Vec3d &p = m.points[std::size_t(i)].on_b, &q = m.points[std::size_t(j)].on_b,
                            &r = m.points[std::size_t(k)].on_b;
                area += 0.25 * length(cross(q - p, r - p));  // each point is in three of four triangles
            }
    CHECK(area > 0.9 * 2);

    // Shifted without tilting, it keeps them.
    Random random(3);
    for (int run = 0; run < 200; ++run) {
        const Vec3d p = Vec3d{0, 0, 0.5} + random_vec(random, 1e-4);
        const Transformd X{turned_z(random.uniform(-1e-4, 1e-4)), p};
        NarrowOutput next;
        collide_shapes({&ground, Transformd::identity()}, {&prism, X}, 1e-3, next);
        REQUIRE(next.manifolds.size() == 1);
        CHECK(features_of(next.manifolds[0]) == features_of(m));
    }
}

}  // namespace
