#include "collide/segment_box.h"

#include <algorithm>

namespace lig::collide {

namespace {

// Of the size of both: how far apart segment and box must be for the direction between them to be good to 13
// digits; and what is nothing but rounding.
constexpr double clear_of_rounding = 1e-3, lost_in_rounding = 1e-14;
constexpr double parallel = 1e-10;  // sine below which segment and edge have no direction across both

// The direction of d, from x on the segment to a box so near that rounding has a say in it. It is square to
// what d is square to up to rounding: axes of the box, and the segment when it is met between its ends.
Vec3d careful_direction(const SegmentAndBox& pair, const Vec3d& x, Vec3d d, double lost) {
    const Vec3d& u = pair.u;
    const bool between_ends = std::abs(dot(u, d)) <= lost;
    int axes = 0, steepest = 0;
    for (int i = 0; i < 3; ++i) {
        if (std::abs(d[i]) > std::abs(d[steepest])) steepest = i;
        if (std::abs(d[i]) > lost) continue;
        d[i] = 0;
        ++axes;
    }
    if (!between_ends) return (1 / length_of(d)) * d;
    if (axes == 0) {
        d = d - dot(u, d) * u;
        return (1 / length_of(d)) * d;
    }
    // An edge of the box: the one to which d is square; or, if d is square to a face, one under x, provided
    // that the direction across it and the segment looks into the edge and not past it.
    for (int edge = 0; edge < 3; ++edge) {
        const int side = 3 - edge - steepest;
        if (edge == steepest || d[edge] != 0) continue;
        if (axes == 2 && std::abs(std::abs(x[side]) - pair.e[side]) > lost) continue;
        Vec3d along = Vec3d::zero();
        along[edge] = 1;
        Vec3d across = cross(along, u);
        if (dot(across, d) < 0) across = -across;
        const double sine = length_of(across);
        if (sine > parallel && across[side] * x[side] <= 0) return (1 / sine) * across;
    }
    return (1 / length_of(d)) * d;
}

}  // namespace

double SegmentAndBox::nearest() const {
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

Vec3d SegmentAndBox::direction_to_box(double t) const {
    const Vec3d d = -excess(t);
    const double size = h + e.x + e.y + e.z, apart = length_of(d);
    if (apart > clear_of_rounding * size) return (1 / apart) * d;
    return careful_direction(*this, at(t), d, lost_in_rounding * size);
}

}  // namespace lig::collide
