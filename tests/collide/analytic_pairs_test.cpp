// Every analytic pair on random configurations: apart, touching, shallow, deep; tiny and huge; far from the
// origin; axes parallel exactly and nearly. The answers are proven right one by one
// (support/pair_reference.h).

#include "support/analytic_scenes.h"

#include <doctest/doctest.h>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

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
double error_of(const PairScene& scene, const ClosestPoints& found) {
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
    for (const AnalyticPair& pair : analytic_pairs) {
        Random random(1000 + 16 * int(pair.a) + int(pair.b));
        double worst = 0;
        int bad = 0, apart = 0, shallow = 0;
        for (int run = 0; run < pair.runs; ++run) {
            const PairScene scene(random, pair);
            const ClosestPoints found = closest_points(scene.a, scene.b);
            const double error = error_of(scene, found) / scene.tolerance();
            (found.distance > 0 ? apart : shallow)++;
            if (!(error <= 1)) {
                ++bad;
                if (bad < 4) MESSAGE(name_of(pair), " run ", run, ": ", error);
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
