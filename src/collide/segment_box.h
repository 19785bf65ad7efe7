#pragma once

// The point of a segment that is nearest to a box.
//
// The segment is x = c + t u, |t| <= h, the box |x_i| <= e_i. With the excess of x over the box,
// y_i = x_i − clamp(x_i, ±e_i), the squared distance f = y·y is convex in t, and f'/2 = u·y is piecewise linear and
// rises; it bends where x passes a face's plane. Between two of these at most six places the root of a line is the
// minimum, exact up to rounding.

#include <ligament/vec.h>

#include <algorithm>

namespace lig::collide {

// x minus the nearest point of the box.
LIG_INLINE Vec3d excess_over_box(const Vec3d& x, const Vec3d& e) {
    return {x.x - std::clamp(x.x, -e.x, e.x), x.y - std::clamp(x.y, -e.y, e.y), x.z - std::clamp(x.z, -e.z, e.z)};
}

struct SegmentAndBox {
    Vec3d c, u;
    double h;
    Vec3d e;

    Vec3d at(double t) const { return c + t * u; }
    Vec3d excess(double t) const { return excess_over_box(at(t), e); }

    // The t of the nearest point; of several, any.
    double nearest() const {
        const auto slope = [this](double t) { return dot(u, excess(t)); };
        double lo = -h, hi = h, slope_lo = slope(lo), slope_hi = slope(hi);
        if (slope_lo >= 0) return lo;
        if (slope_hi <= 0) return hi;
        for (int i = 0; i < 3; ++i) {
            for (const double face : {-e[i], e[i]}) {
                const double t = (face - c[i]) / u[i];
                if (!(t > lo && t < hi)) continue;
                const double s = slope(t);
                if (s == 0) return t;
                (s < 0 ? lo : hi) = t;
                (s < 0 ? slope_lo : slope_hi) = s;
            }
        }
        return std::clamp(lo - slope_lo * (hi - lo) / (slope_hi - slope_lo), lo, hi);
    }
};

}  // namespace lig::collide
