// Every analytic pair on random configurations: apart, touching, shallow, deep; tiny and huge; far from the
// origin; axes parallel exactly and nearly. The answers are proven right one by one
// (support/pair_reference.h).

#include "collide/narrow_phase.h"
#include "shapes/shape_geometry.h"
#include "shapes/shape_list.h"
#include "support/random_shapes.h"

#include <doctest/doctest.h>

#include <set>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

struct Pair {
    ShapeType a, b;
    int runs;
};
// In the order of ShapeType; all that narrow_phase.cpp does not leave to GJK.
constexpr Pair analytic_pairs[] = {
    {ShapeType::plane, ShapeType::sphere, 4000},
    {ShapeType::plane, ShapeType::capsule, 8000},
    {ShapeType::plane, ShapeType::cylinder, 8000},
    {ShapeType::plane, ShapeType::ellipsoid, 8000},
    {ShapeType::plane, ShapeType::box, 8000},
    {ShapeType::plane, ShapeType::mesh, 2000},
    {ShapeType::sphere, ShapeType::sphere, 4000},
    {ShapeType::sphere, ShapeType::capsule, 8000},
    {ShapeType::sphere, ShapeType::cylinder, 8000},
    {ShapeType::sphere, ShapeType::ellipsoid, 8000},
    {ShapeType::sphere, ShapeType::box, 8000},
    {ShapeType::capsule, ShapeType::capsule, 30000},
    {ShapeType::capsule, ShapeType::box, 30000},
    {ShapeType::box, ShapeType::box, 30000},
};

std::string name_of(const Pair& pair) {
    constexpr std::string_view names[] = {
#define LIG_SHAPE_NAME(type, Shape) Shape::name,
        LIG_FOR_EACH_SHAPE(LIG_SHAPE_NAME)
#undef LIG_SHAPE_NAME
    };
    return std::string(names[int(pair.a)]) + "-" + std::string(names[int(pair.b)]);
}

struct Scene {
    OwnedShape own_a, own_b;
    PlacedShape a, b;
    double size;  // of both
    double far;

    Scene(Random& random, const Pair& pair) {
        const double scale = random_scale(random, 1e-3, 1e3);
        const double slender = random_index(random, 3) ? 10 : 1e4;
        own_a = random_shape(random, pair.a, scale, slender);
        own_b = random_shape(random, pair.b, scale * random_scale(random, 0.1, 10), slender);
        own_a.shape.hull = own_a.hull.get();
        own_b.shape.hull = own_b.hull.get();
        far = random_index(random, 4) ? 0 : 1e4;
        constexpr double gaps[] = {0, 1e-12, -1e-9, 1e-6, -1e-3, 0.05, -0.05, 0.3, -0.3, -0.9, 2};
        a.shape = &own_a.shape;
        b.shape = &own_b.shape;
        const double both = double(WideShape(a).extent() + WideShape(b).extent());
        const double gap = gaps[random_index(random, int(std::size(gaps)))] * both * random.uniform(0.1, 1);
        place_randomly(random, own_a.shape, own_b.shape, far, gap, a, b);
        size = both;
    }
    // Coordinates are rounded where they are; what follows from them cannot be better.
    double rounding() const {
        const double reach = std::max(largest(a.X_WG.p), largest(b.X_WG.p));
        return 8 * epsilon<double> * std::max(reach, length(b.X_WG.p - a.X_WG.p));
    }
    double tolerance() const { return 1e-12 * size + rounding(); }
};

// The signed distance where cores overlap, by a way of its own.
Real deepest_core_gap(const WideShape& a, const WideShape& b) {
    const Vec3l c = b.local(a.p);
    if (b.type == ShapeType::cylinder)
        return std::max(std::abs(c.z) - b.size.y, std::sqrt(c.x * c.x + c.y * c.y) - b.size.x);
    if (b.type == ShapeType::ellipsoid) {
        // Half the interval until nothing changes: the largest t with Σ (s c / (s² + t))² >= 1.
        Real lo = -std::pow(std::min({b.size.x, b.size.y, b.size.z}), 2), hi = 0;
        for (int i = 0; i < 200; ++i) {
            const Real t = (lo + hi) / 2;
            Real sum = 0;
            for (int k = 0; k < 3; ++k) sum += std::pow(b.size[k] * c[k] / (b.size[k] * b.size[k] + t), 2);
            (sum >= 1 ? lo : hi) = t;
        }
        // Towards the shortest axis the equation loses its digits, or has no root; the surface tells the
        // rest.
        int shortest = 0;
        for (int k = 1; k < 3; ++k)
            if (b.size[k] < b.size[shortest]) shortest = k;
        Vec3l q;
        Real level = 1;
        for (int k = 0; k < 3; ++k) {
            if (k == shortest) continue;
            q[k] = b.size[k] * b.size[k] * c[k] / (b.size[k] * b.size[k] + hi);
            level -= std::pow(q[k] / b.size[k], 2);
        }
        const Real m = b.size[shortest];
        q[shortest] = m * m + hi > 1e-3L * m * m
                          ? m * m * c[shortest] / (m * m + hi)
                          : std::copysign(m * std::sqrt(std::max(Real(0), level)), c[shortest]);
        return -length(c - q);
    }
    if (a.type == ShapeType::sphere && b.type == ShapeType::box)
        return std::max({std::abs(c.x) - b.size.x, std::abs(c.y) - b.size.y, std::abs(c.z) - b.size.z});
    if (b.type == ShapeType::box) return core_gap_of_all_faces(a, b);
    return 0;  // points and segments overlap without depth
}

// Proves that this is the signed distance; returns by how much it is off at least.
double error_of(const Scene& scene, const ClosestPoints& found) {
    const WideShape a(scene.a), b(scene.b);
    const Vec3l n = wide(found.normal);
    const Real core_distance = Real(found.distance) + a.radius() + b.radius();
    Real error = std::abs(length(n) - 1) * scene.size;
    // The normal reaches it.
    error = std::max(error, std::abs(core_gap(a, b, n) - core_distance));
    // The points are those of the shapes, and fit.
    const Vec3l core_a = wide(found.on_a) - a.radius() * n, core_b = wide(found.on_b) + b.radius() * n;
    error = std::max({error, a.outside_core(core_a), b.outside_core(core_b),
                      length(core_b - core_a - core_distance * n)});
    if (core_distance <= 0 && a.type != ShapeType::plane)
        error = std::max(error, std::abs(deepest_core_gap(a, b) - core_distance));
    return double(error);
}

TEST_CASE("the distances and witness points of analytic pairs are exact") {
    for (const Pair& pair : analytic_pairs) {
        Random random(1000 + 16 * int(pair.a) + int(pair.b));
        double worst = 0;
        int bad = 0, apart = 0, shallow = 0;
        for (int run = 0; run < pair.runs; ++run) {
            const Scene scene(random, pair);
            const ClosestPoints found = closest_points(scene.a, scene.b);
            const double error = error_of(scene, found) / scene.tolerance();
            (found.distance > 0 ? apart : shallow)++;
            if (!(error <= 1)) {
                ++bad;
                if (bad < 4) MESSAGE(name_of(pair), " run ", run, ": ", error, " at ", found.distance / scene.size);
            }
            worst = std::max(worst, error);
        }
        INFO(name_of(pair), ": worst error ", worst, " of the tolerance, ", bad, " bad");
        CHECK(bad == 0);
        CHECK(apart > pair.runs / 10);
        CHECK(shallow > pair.runs / 10);
    }
}

}  // namespace
