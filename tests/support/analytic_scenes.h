#pragma once

// The pairs of shapes that have closed forms, and configurations of them.

#include "shapes/shape_list.h"
#include "support/random_shapes.h"

#include <string>

namespace lig::test {

struct AnalyticPair {
    ShapeType a, b;
    int runs;
};
// In the order of ShapeType; all that narrow_phase.cpp does not leave to GJK.
inline constexpr AnalyticPair analytic_pairs[] = {
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

inline std::string name_of(const AnalyticPair& pair) {
    constexpr std::string_view names[] = {
#define LIG_SHAPE_NAME(type, Shape) Shape::name,
        LIG_FOR_EACH_SHAPE(LIG_SHAPE_NAME)
#undef LIG_SHAPE_NAME
    };
    return std::string(names[int(pair.a)]) + "-" + std::string(names[int(pair.b)]);
}

// Two shapes apart, touching, shallow or deep; tiny or huge; sometimes far from the origin.
struct PairScene {
    SlenderShape own_a, own_b;
    collide::PlacedShape a, b;
    double size;  // of both
    double far;

    PairScene(Random& random, const AnalyticPair& pair) {
        const double scale = random_scale(random, 1e-3, 1e3);
        const double slender = random_index(random, 3) ? 10 : 1e4;
        own_a = random_slender_shape(random, pair.a, scale, slender);
        own_b = random_slender_shape(random, pair.b, scale * random_scale(random, 0.1, 10), slender);
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

}  // namespace lig::test
