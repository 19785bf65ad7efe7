// What every manifold of an analytic pair has to be, on random configurations.

#include "support/analytic_scenes.h"

#include <doctest/doctest.h>

namespace {

using namespace lig;
using namespace lig::collide;
using namespace lig::test;

const ManifoldPoint& deepest_of(const PairManifold& m) {
    const ManifoldPoint* deepest = &m.points[0];
    for (int i = 1; i < m.count; ++i)
        if (m.points[std::size_t(i)].distance < deepest->distance) deepest = &m.points[std::size_t(i)];
    return *deepest;
}

bool same(const Vec3d& a, const Vec3d& b) {
    return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

// Bad ones among `runs` random configurations, by a check that returns what is wrong, or nothing.
template <class Check>
void check_pairs(std::uint64_t seed, const Check& check) {
    for (const AnalyticPair& pair : analytic_pairs) {
        Random random(seed + 16 * std::uint64_t(pair.a) + std::uint64_t(pair.b));
        int bad = 0;
        for (int run = 0; run < pair.runs / 2; ++run) {
            const PairScene scene(random, pair);
            const std::string wrong = check(scene, random);
            if (wrong.empty()) continue;
            if (++bad < 4) MESSAGE(name_of(pair), " run ", run, ": ", wrong);
        }
        INFO(name_of(pair));
        CHECK(bad == 0);
    }
}

TEST_CASE("a manifold has the distance of its shapes, points within the margin, and features of their own") {
    check_pairs(2000, [](const PairScene& scene, Random& random) -> std::string {
        const ClosestPoints nearest = closest_points(scene.a, scene.b);
        const double margin = random_index(random, 2) ? 0 : random.uniform(0, 0.3) * scene.size;
        const double tolerance = scene.tolerance();
        NarrowOutput out;
        collide_shapes(scene.a, scene.b, margin, out);
        if (out.manifolds.empty())
            return nearest.distance < margin - tolerance ? "no manifold" : "";
        if (out.manifolds.size() != 1) return "several manifolds";
        const PairManifold& m = out.manifolds[0];
        if (m.count < 1 || m.count > 4) return "count";
        if (nearest.distance > margin + tolerance) return "beyond the margin";
        if (std::abs(deepest_of(m).distance - nearest.distance) > tolerance) return "distance";
        // The normal keeps the shapes as far apart as they are.
        const WideShape a(scene.a), b(scene.b);
        const Real gap = core_gap(a, b, wide(m.normal)) - a.radius() - b.radius();
        if (std::abs(gap - nearest.distance) > tolerance) return "normal";
        for (int i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[std::size_t(i)];
            if (p.distance > margin) return "point beyond the margin";
            if (length(p.on_b - p.on_a - p.distance * m.normal) > tolerance) return "witness points";
            for (int j = 0; j < i; ++j)
                if (m.points[std::size_t(j)].feature == p.feature) return "two points of one feature";
        }
        return "";
    });
}

TEST_CASE("moved out of each other along the normal, shapes touch") {
    check_pairs(3000, [](const PairScene& scene, Random&) -> std::string {
        const ClosestPoints nearest = closest_points(scene.a, scene.b);
        PlacedShape moved = scene.b;
        moved.X_WG.p -= nearest.distance * nearest.normal;
        const double rest = closest_points(scene.a, moved).distance;
        return std::abs(rest) > 2 * scene.tolerance() ? "still " + std::to_string(rest / scene.size) : "";
    });
}

TEST_CASE("B and A are A and B exchanged") {
    check_pairs(4000, [](const PairScene& scene, Random&) -> std::string {
        const double margin = 0.1 * scene.size;
        NarrowOutput ab, ba;
        collide_shapes(scene.a, scene.b, margin, ab);
        collide_shapes(scene.b, scene.a, margin, ba);
        const ClosestPoints near_ab = closest_points(scene.a, scene.b);
        const ClosestPoints near_ba = closest_points(scene.b, scene.a);
        if (scene.a.shape->type != scene.b.shape->type) {
            // The same computation.
            if (ab.manifolds.size() != ba.manifolds.size()) return "count of manifolds";
            if (!same(near_ab.on_a, near_ba.on_b) || !same(near_ab.normal, -near_ba.normal))
                return "nearest points";
            for (std::size_t k = 0; k < ab.manifolds.size(); ++k) {
                const PairManifold expected = mirrored(ab.manifolds[k]);
                const PairManifold& m = ba.manifolds[k];
                if (m.count != expected.count || !same(m.normal, expected.normal)) return "manifold";
                for (int i = 0; i < m.count; ++i) {
                    const ManifoldPoint &p = m.points[std::size_t(i)], &q = expected.points[std::size_t(i)];
                    if (!same(p.on_a, q.on_a) || !same(p.on_b, q.on_b) || p.feature != q.feature ||
                        !same_bits(p.distance, q.distance))
                        return "point";
                }
            }
            return "";
        }
        if (std::abs(near_ab.distance - near_ba.distance) > scene.tolerance()) return "distance";
        if (std::abs(near_ab.distance - margin) < scene.tolerance()) return "";
        if (ab.manifolds.size() != ba.manifolds.size()) return "count of manifolds";
        return "";
    });
}

TEST_CASE("moving both shapes alike changes nothing but rounding") {
    check_pairs(5000, [](const PairScene& scene, Random& random) -> std::string {
        const Transformd X{rotation_matrix(random_rotation(random)), random_vec(random, scene.size)};
        const PlacedShape a{scene.a.shape, X * scene.a.X_WG}, b{scene.b.shape, X * scene.b.X_WG};
        const double before = closest_points(scene.a, scene.b).distance;
        const double after = closest_points(a, b).distance;
        // Orientations are rounded too, which counts over the distance between the shapes.
        return std::abs(before - after) > 4 * scene.tolerance() ? "distance" : "";
    });
}

}  // namespace
