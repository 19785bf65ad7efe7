// Analytic pairs where directions vanish or tie: centres on each other, axes that meet, edges that touch. The
// numbers are worked out by hand.

#include "collide/narrow_phase.h"
#include "shapes/shape_list.h"
#include "support/random_values.h"
#include "support/shape_of.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

struct Case {
    std::string name;
    CollisionShape a, b;
    Transformd X_WA, X_WB;
    double distance;
};

const Mat3d upright = Mat3d::identity();
const Mat3d along_x{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};  // the axis z lies along x

std::vector<Case> cases() {
    const auto sphere = [](double r) { return shape_of(ShapeType::sphere, {r, 0, 0}); };
    const auto capsule = [](double r, double h) { return shape_of(ShapeType::capsule, {r, h, 0}); };
    const auto cylinder = [](double r, double h) { return shape_of(ShapeType::cylinder, {r, h, 0}); };
    const auto ellipsoid = [](double x, double y, double z) {
        return shape_of(ShapeType::ellipsoid, {x, y, z});
    };
    const auto box = [](double x, double y, double z) { return shape_of(ShapeType::box, {x, y, z}); };
    const auto at = [](double x, double y, double z) { return Transformd{upright, {x, y, z}}; };
    const Transformd origin = at(0, 0, 0);
    return {
        {"sphere in sphere", sphere(1), sphere(0.5), at(3, 4, 5), at(3, 4, 5), -1.5},
        {"sphere on a capsule's axis", sphere(0.5), capsule(0.25, 1), at(0, 0, 0.5), origin, -0.75},
        {"sphere on a capsule's end", sphere(0.5), capsule(0.25, 1), at(0, 0, 1), origin, -0.75},
        {"sphere in a box's middle", sphere(0.5), box(1, 2, 3), origin, origin, -1.5},
        {"sphere in a cube's middle", sphere(0.5), box(1, 1, 1), origin, origin, -1.5},
        {"sphere's centre on a face", sphere(0.5), box(1, 2, 3), at(1, 0.5, 0), origin, -0.5},
        {"sphere's centre on a corner", sphere(0.5), box(1, 2, 3), at(1, 2, 3), origin, -0.5},
        {"sphere in a flat cylinder", sphere(0.1), cylinder(1, 0.25), origin, origin, -0.35},
        {"sphere in a long cylinder", sphere(0.1), cylinder(0.25, 1), origin, origin, -0.35},
        {"sphere's centre on a rim", sphere(0.1), cylinder(0.25, 1), at(0.25, 0, 1), origin, -0.1},
        {"sphere in an ellipsoid's middle", sphere(0.1), ellipsoid(3, 2, 1), origin, origin, -1.1},
        {"sphere in a spheroid's middle", sphere(0.1), ellipsoid(1, 1, 2), origin, origin, -1.1},
        {"sphere in a round ellipsoid", sphere(0.1), ellipsoid(2, 2, 2), at(0.5, 0, 0), origin, -1.6},
        // On the long axis of semiaxes a > c, within (a² − c²)/a of the middle, the nearest point leaves the
        // axis at x / (1 − (c/a)²): here x = 1, a = 2, c = 1 gives 4/3 and a distance of √((1/3)² + 1 −
        // (2/3)²) = √(2/3).
        {"sphere on an ellipsoid's long axis", sphere(0.1), ellipsoid(2, 1.5, 1), at(1, 0, 0), origin,
         -std::sqrt(2.0 / 3.0) - 0.1},
        {"sphere beyond an ellipsoid's tip", sphere(0.1), ellipsoid(2, 1.5, 1), at(2.5, 0, 0), origin, 0.4},
        {"capsules across each other", capsule(0.25, 1), capsule(0.5, 1), origin, {along_x, {}}, -0.75},
        {"capsules along each other", capsule(0.25, 1), capsule(0.5, 1), origin, at(0, 0, 0.5), -0.75},
        {"capsules in one", capsule(0.25, 1), capsule(0.25, 1), origin, origin, -0.5},
        {"capsules end to end", capsule(0.25, 1), capsule(0.25, 1), origin, at(0, 0, 2.5), 0},
        {"capsules' ends on each other", capsule(0.25, 1), capsule(0.25, 1), origin, at(0, 0, 2), -0.5},
        {"capsules in a T", capsule(0.25, 1), capsule(0.25, 1), origin, {along_x, {0, 0, 1.5}}, 0},
        {"capsule through a box", capsule(0.25, 5), box(1, 2, 3), origin, origin, -1.25},
        {"capsule along a box's face", capsule(0.25, 5), box(1, 2, 3), at(1, 0, 0), origin, -0.25},
        {"capsule along a box's edge", capsule(0.25, 5), box(1, 2, 3), at(1, 2, 0), origin, -0.25},
        {"capsule off a box's edge", capsule(0.25, 5), box(1, 2, 3), at(1.3, 2.4, 0), origin, 0.25},
        {"capsule standing on a box", capsule(0.25, 1), box(1, 2, 3), at(0, 0, 4.25), origin, 0},
        {"capsule over a corner", capsule(0.25, 1), box(1, 2, 3), {along_x, {2.4, 2.3, 3}}, origin, 0.25},
        {"box in its like", box(1, 2, 3), box(1, 2, 3), origin, origin, -2},
        {"box in a larger box", box(1, 2, 3), box(4, 5, 6), origin, at(0.5, 0, 0), -4.5},
        {"boxes face to face", box(1, 2, 3), box(1, 2, 3), origin, at(2, 0.5, 0.5), 0},
        {"boxes edge to edge", box(1, 2, 3), box(1, 2, 3), origin, at(2, 4, 0.5), 0},
        {"boxes corner to corner", box(1, 2, 3), box(1, 2, 3), origin, at(2, 4, 6), 0},
        {"boxes apart by their edges", box(1, 2, 3), box(1, 2, 3), origin, at(2.3, 4.4, 1), 0.5},
        {"boxes apart by their corners", box(1, 2, 3), box(1, 2, 3), origin, at(2.2, 4.3, 6.6), 0.7},
    };
}

TEST_CASE("pairs whose directions vanish or tie") {
    const Mat3d turn = rotation_matrix(rotation_exp(Vec3d{0.3, -0.7, 0.5}));
    for (const Case& c : cases())
        for (const double scale : {1e-3, 1.0, 1e3})
            for (const bool aside : {false, true}) {
                CollisionShape shape_a = c.a, shape_b = c.b;
                shape_a.size = scale * shape_a.size;
                shape_b.size = scale * shape_b.size;
                Transformd X = Transformd::identity();
                if (aside) X = {turn, scale * Vec3d{3, -2, 1}};
                const PlacedShape a{&shape_a, X * Transformd{c.X_WA.R, scale * c.X_WA.p}};
                const PlacedShape b{&shape_b, X * Transformd{c.X_WB.R, scale * c.X_WB.p}};
                // Within 1e-12 of the size of the pair, ten at most.
                const double tolerance = 1e-11 * scale;
                INFO(c.name, " of size ", scale, aside ? ", turned" : "");

                const ClosestPoints found = closest_points(a, b);
                CHECK(std::abs(found.distance - scale * c.distance) < tolerance);
                CHECK(std::abs(length(found.normal) - 1) < 1e-14);
                CHECK(length(found.on_b - found.on_a - found.distance * found.normal) < tolerance);
                PlacedShape moved = b;
                moved.X_WG.p -= found.distance * found.normal;
                CHECK(std::abs(closest_points(a, moved).distance) < tolerance);

                NarrowOutput out;
                collide_shapes(a, b, 1e-3 * scale, out);
                CHECK(out.manifolds.size() == (c.distance > 0 ? 0 : 1));
                for (const PairManifold& m : out.manifolds) {
                    double deepest = m.points[0].distance;
                    for (int i = 1; i < m.count; ++i)
                        deepest = std::min(deepest, m.points[std::size_t(i)].distance);
                    CHECK(std::abs(deepest - scale * c.distance) < tolerance);
                }
            }
}

TEST_CASE("which shapes collide") {
    const auto solid = [](ShapeType type) { return type >= ShapeType::sphere && type <= ShapeType::mesh; };
    for (const ShapeType a : all_shapes)
        for (const ShapeType b : all_shapes) {
            CHECK(can_collide(a, b) == (solid(a) || solid(b)));
            CHECK(can_collide(a, b) == can_collide(b, a));
        }
    const CollisionShape ground = shape_of(ShapeType::plane, {0, 0, 1});
    NarrowOutput out;
    collide_shapes({&ground, Transformd::identity()}, {&ground, Transformd::identity()}, 1, out);
    CHECK(out.manifolds.empty());
}

}  // namespace
