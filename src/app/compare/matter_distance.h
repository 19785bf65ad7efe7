#pragma once

// How far apart two motions of a model are: the root of the mean square distance between where every bit of
// matter is in one and in the other. One number in metres for translation and rotation together, the same in
// all coordinates, and with no choice of points to compare.
//
// Of a body with centre of mass c, rotation R, mass m and inertia I, ∫ |x − x'|² dm is
//     m |c − c'|² + tr (R − R') S (R − R')ᵀ,   S = ∫ r rᵀ dm = ½ tr(I) 1 − I.

#include <ligament/model.h>

#include <span>
#include <vector>

namespace lig::app {

class MatterDistance {
public:
    explicit MatterDistance(const Model& model);  // of what moves on joints and has mass

    bool has_matter() const { return mass_ > 0; }

    // (bodies × 3, bodies × 4) as a trajectory has them: frames of the bodies in the world.
    double between(std::span<const double> xpos_a, std::span<const double> xquat_a,
                   std::span<const double> xpos_b, std::span<const double> xquat_b) const;

private:
    struct Body {
        int index;
        double mass;
        Vec3d com;
        Sym3d second_moment;  // S
    };
    std::vector<Body> bodies_;
    double mass_ = 0;
};

}  // namespace lig::app
