// B's origin stays on one or two quadrics of A's frame:
//     C = pᵀ Q p + b · p + c,   Ċ = g · ṗ with g = 2 Q p + b,   C̈ = g · p̈ + 2 ṗᵀ Q ṗ.
// C is not a length; to first order the distance from the surface is C/|g|, and |g| is the scale of the row.
// The shorthands are written so that |g| is about 1 on them. Where g vanishes (at the centre of a sphere) the
// row says nothing.

#include "constraints/pairs/faults.h"
#include "core/length.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

#include <algorithm>

namespace lig {

namespace {

bool is_finite(const Quadric& s) {
    for (const double x : {s.Q.xx, s.Q.yy, s.Q.zz, s.Q.xy, s.Q.xz, s.Q.yz, s.b.x, s.b.y, s.b.z, s.c})
        if (!std::isfinite(x)) return false;
    return true;
}

bool is_nothing(const Quadric& s) {
    for (const double x : {s.Q.xx, s.Q.yy, s.Q.zz, s.Q.xy, s.Q.xz, s.Q.yz, s.b.x, s.b.y, s.b.z})
        if (x != 0) return false;
    return true;
}

Vec3d gradient(const Quadric& s, const Vec3d& p) { return 2.0 * (s.Q * p) + s.b; }

PairRow row_of(const Quadric& s, const RelativeMotion& motion) {
    const Vec3d g = gradient(s, motion.p);
    const Vec3d& v = motion.velocity.lin;
    PairRow row;
    row.error = dot(motion.p, s.Q * motion.p) + dot(s.b, motion.p) + s.c;
    motion.set(row, Vec3d::zero(), g);
    row.product += 2 * dot(v, s.Q * v);
    if (const double steepness = length(g); steepness > 0) row.scale = steepness;
    return row;
}

// Σ (x_k / a_k)² = 1 over the axes that have a length, times half the least of these.
Quadric about_origin(const Vec3d& semi_axes) {
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k)
        if (semi_axes[k] != 0) least = std::min(least, semi_axes[k]);
    const auto entry = [&](double a) { return a != 0 ? least / (2 * a * a) : 0; };
    return {Sym3d::diagonal(entry(semi_axes.x), entry(semi_axes.y), entry(semi_axes.z)),
            {0, 0, 0},
            -least / 2};
}

constexpr Quadric plane_z{{0, 0, 0, 0, 0, 0}, {0, 0, 1}, 0};

}  // namespace

CurveConstraint CurveConstraint::sphere(double radius) { return ellipsoid({radius, radius, radius}); }
CurveConstraint CurveConstraint::ellipsoid(const Vec3d& semi_axes) {
    return CurveConstraint(about_origin(semi_axes));
}
CurveConstraint CurveConstraint::circle(double radius) { return ellipse(radius, radius); }
CurveConstraint CurveConstraint::ellipse(double semi_axis_x, double semi_axis_y) {
    return {about_origin({semi_axis_x, semi_axis_y, 0}), plane_z};
}

void CurveConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    out[0] = row_of(first, motion);
    if (second) out[1] = row_of(*second, motion);
}

std::string CurveConstraint::fault() const {
    for (const Quadric* s : {&first, second ? &*second : &first}) {
        if (!is_finite(*s)) return "a coefficient of a quadric is not finite";
        if (is_nothing(*s)) return "a quadric has no coefficient beside the constant one";
    }
    return {};
}

std::string_view CurveConstraint::undefined_because(const PairState& state) const {
    const Vec3d p = RelativeMotion(state).p;
    const Vec3d g = gradient(first, p);
    if (length(g) == 0) return "the point is where the surface has no normal";
    if (!second) return {};
    const Vec3d h = gradient(*second, p);
    if (length(h) == 0) return "the point is where a surface has no normal";
    if (length(cross(g, h)) <= 1e-8 * length(g) * length(h)) return "both surfaces touch there";
    return {};
}

}  // namespace lig
