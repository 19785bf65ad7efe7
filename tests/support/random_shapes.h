#pragma once

// Shapes of all kinds, in all poses, that repeat.

#include "support/pair_reference.h"

#include "geometry/hull_geometry.h"

#include <memory>

namespace lig::test {

// A number between lo and hi whose logarithm is evenly spread.
inline double random_scale(Random& random, double lo, double hi) {
    return lo * std::exp(random.uniform(0, std::log(hi / lo)));
}

struct SlenderShape {
    CollisionShape shape;
    std::shared_ptr<const HullGeometry> hull;
};

// Sizes around `scale`, up to `slender` times longer one way than another.
inline SlenderShape random_slender_shape(Random& random, ShapeType type, double scale, double slender) {
    SlenderShape out;
    out.shape.type = type;
    const double most = std::sqrt(slender);
    for (int i = 0; i < 3; ++i) out.shape.size[i] = scale * random_scale(random, 1 / most, most);
    if (type != ShapeType::mesh) return out;
    std::vector<Vec3d> points;
    for (int i = 0; i < 24; ++i) {
        const Vec3d d = random_direction(random);
        points.push_back({out.shape.size.x * d.x, out.shape.size.y * d.y, out.shape.size.z * d.z});
    }
    out.hull = std::make_shared<HullGeometry>(std::get<HullGeometry>(make_hull_geometry(points)));
    out.shape.hull = out.hull.get();
    return out;
}

// One of the 24 rotations that take axes to axes.
inline Mat3d random_axis_rotation(Random& random) {
    Mat3d R = Mat3d::identity();
    const int turns = random_index(random, 8);
    for (int i = 0; i < turns; ++i) {
        const Mat3d about_x{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, about_y{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
        R = R * (random_index(random, 2) ? about_x : about_y);
    }
    return R;
}

// Two shapes: any orientations, or along the same axes, exactly or nearly; `gap` apart along a random
// direction g, so at least that far apart, or at most so deep.
inline void place_randomly(Random& random, const CollisionShape& a, const CollisionShape& b, double far,
                           double gap, collide::PlacedShape& placed_a, collide::PlacedShape& placed_b) {
    const int kind = random_index(random, 4);
    const Mat3d R = kind == 3 ? Mat3d::identity() : rotation_matrix(random_rotation(random));
    Mat3d R_AB = rotation_matrix(random_rotation(random));
    if (kind >= 2) R_AB = random_axis_rotation(random);
    if (kind == 1)
        R_AB = random_axis_rotation(random) *
               rotation_matrix(rotation_exp(random_scale(random, 1e-16, 1e-2) * random_direction(random)));
    placed_a = {&a, {R, random_vec(random, far)}};
    placed_b = {&b, {R * R_AB, placed_a.X_WG.p}};
    Vec3d g = random_direction(random);
    if (a.type == ShapeType::plane)
        g = R.z;
    else if (random_index(random, 2))
        g = R * (random_axis_rotation(random) * Vec3d{0, 0, 1});
    const WideShape wide_a(placed_a), wide_b(placed_b);
    const Real radii = wide_a.radius() + wide_b.radius();
    const Real apart = core_gap(wide_a, wide_b, wide(g)) - radii;
    // Sometimes it is the cores that touch.
    if (random_index(random, 8) == 0) gap = random_scale(random, 1e-16, 1) * gap - double(radii);
    placed_b.X_WG.p = placed_a.X_WG.p + (gap - double(apart)) * g;
    if (random_index(random, 2)) {
        // Aside: not centre over centre.
        Vec3d aside = random_vec(random, double(wide_a.extent() + wide_b.extent()));
        aside = aside - dot(aside, g) * g;
        placed_b.X_WG.p += aside;
    }
}

}  // namespace lig::test
