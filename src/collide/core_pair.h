#pragma once

// Two convex cores (shape_geometry.h) as GJK and EPA see them: the set of all differences b − a of their
// points, of which only farthest points are ever asked. The distance of the cores is that of the set from
// the origin.
//
// Everything is in the frame of A, so that two shapes near each other lose no digits where both are far from
// the world's origin.

#include "collide/narrow_phase.h"
#include "shapes/shape_geometry.h"

#include <array>

namespace lig::collide {

struct CorePoint {
    Vec3d a, b;  // of the cores
    Vec3d difference;  // b − a
};

// B is a shape, or a bare triangle.
class CorePair {
public:
    CorePair(const CollisionShape& a, const CollisionShape& b, const Transformd& X_AB)
        : a_(&a), b_(&b), X_AB_(X_AB) {}
    // The corners are in the frame of A.
    CorePair(const CollisionShape& a, const std::array<Vec3d, 3>& triangle)
        : a_(&a), b_(nullptr), X_AB_(Transformd::identity()), triangle_(triangle) {}

    // The difference that is farthest against d, which is what lies nearest to the other shape: the
    // farthest of A along d and of B against it. d is of any length but zero.
    CorePoint support(const Vec3d& d) const {
        const Vec3d a = core_support(*a_, d);
        const Vec3d b = b_ ? X_AB_ * core_support(*b_, transpose_mul(X_AB_.R, -d)) : triangle_support(d);
        return {a, b, b - a};
    }
    // From inside A to inside B.
    Vec3d centers() const {
        const Vec3d b =
            b_ ? X_AB_ * interior_point(*b_) : (1.0 / 3.0) * (triangle_[0] + triangle_[1] + triangle_[2]);
        return b - interior_point(*a_);
    }

private:
    Vec3d triangle_support(const Vec3d& d) const {
        const double s0 = dot(d, triangle_[0]), s1 = dot(d, triangle_[1]), s2 = dot(d, triangle_[2]);
        return s0 <= s1 ? triangle_[s0 <= s2 ? 0 : 2] : triangle_[s1 <= s2 ? 1 : 2];
    }

    const CollisionShape* a_;
    const CollisionShape* b_;
    Transformd X_AB_;
    std::array<Vec3d, 3> triangle_{};
};

}  // namespace lig::collide
