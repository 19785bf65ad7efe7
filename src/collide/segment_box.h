#pragma once

// The point of a segment that is nearest to a box.
//
// The segment is x = c + t u, |t| <= h, the box |x_i| <= e_i. With the excess of x over the box, y_i = x_i −
// clamp(x_i, ±e_i), the squared distance f = y·y is convex in t, and f'/2 = u·y is piecewise linear and
// rises; it bends where x passes a face's plane. Between two of these at most six places the root of a line
// is the minimum, exact up to rounding.

#include "core/scalar_math.h"

#include <ligament/vec.h>

#include <cmath>

namespace lig::collide {

LIG_INLINE double clamped(double x, double most) { return max(-most, min(x, most)); }

// x minus the nearest point of the box.
LIG_INLINE Vec3d excess_over_box(const Vec3d& x, const Vec3d& e) {
    return {x.x - clamped(x.x, e.x), x.y - clamped(x.y, e.y), x.z - clamped(x.z, e.z)};
}

inline double length_of(const Vec3d& v) { return std::sqrt(dot(v, v)); }

struct SegmentAndBox {
    Vec3d c, u;
    double h;
    Vec3d e;

    Vec3d at(double t) const { return c + t * u; }
    Vec3d excess(double t) const { return excess_over_box(at(t), e); }

    // The t of the nearest point; of several, any.
    double nearest() const;
    // From the nearest point, at t, to the box; they are not to touch.
    Vec3d direction_to_box(double t) const;
};

}  // namespace lig::collide
