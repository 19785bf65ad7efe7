#pragma once

// TouchPoint: where one of two bodies is touched, followed while the body moves within a step.
//
// A corner stays where it is on its body. On what is round the point does not turn with the body: it is where
// the surface looks along the normal d, which within a step is fixed in the world,
//     p = X c + ρ(R, d),
// with c fixed in the body and ρ the support point of the round part:
//     ball, capsule   r d
//     cylinder        r d' / |d'|, d' being d without its part along the axis; flat ends are corners
//     ellipsoid       D² d / |D d| in its axes
// A point that turned with the body would lift a wheel by r (1 − cos θ) in a step that turns it by θ, and the
// normal force would have the moment N r sin θ. Of a support point d·∂p/∂θ is what it is for a point of the
// body that is there: distances along the normal have the derivative of a body point at p.
//     What rubs is the material that is there, which has gone Δ(X c) + θ × ρ.

#include "shapes/collision_shape.h"

#include <ligament/model.h>
#include <ligament/spatial.h>

namespace lig::implicit {

class TouchPoint {
public:
    // Of a geom at `point` in the world, on the carrier (a link or base) at X_WL; d is the outward normal.
    TouchPoint() = default;
    TouchPoint(const Model& model, int geom, const Transformd& X_WL, const Vec3d& point, const Vec3d& d);

    struct Place {
        Vec3d point;
        Vec3d slipped;  // how far the material there has gone since the beginning
        Vec3d core;     // X c: what of the point turns with the body
    };
    Place at(const Transformd& X_WL, const Vec3d& d) const;
    // Whether it is the same point of the body for as long as it touches.
    bool is_corner() const { return round_ == Round::none; }
    // How the body has turned since.
    Vec3d turned(const Transformd& X_WL) const;

private:
    enum class Round : unsigned char {
        none,
        along_normal,
        across_axis,
        ellipsoid
    };
    Vec3d round_part(const Mat3d& R_WL, const Vec3d& d) const;

    Round round_ = Round::none;
    Vec3d core_;       // c, in L
    Vec3d size_;       // of the shape
    Mat3d R_LG_;       // its axes
    Vec3d core_from_;  // X c at the beginning
    Mat3d R_from_;
};

}  // namespace lig::implicit
