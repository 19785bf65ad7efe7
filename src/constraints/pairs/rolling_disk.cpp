// The rim of a disk of radius r, about B's origin across B's z axis, on the plane z = 0 of A.
//
// In the axes of A let k be the axis of the disk and s = √(k_x² + k_y²), the sine of its angle to the plane.
// The lowest point of the rim is r e from the centre, with s e = k_z k − e_z; e · e_z = −s. So
//     C = p_z − r s,   slip = ṗ + r Ω × e, of which x and y are to be 0.
// The lowest point moves along the rim, but that is across e_z: Ċ is the z component of the same expression,
// ṗ_z − r ṡ with ṡ = −k_z k̇_z/s and k̇ = Ω × k, so all three rows are g_lin = e_i, g_ang = r e × e_i. Their
// derivatives need ė, from differentiating s e = k_z k − e_z:
//     s ė = k̇_z k + k_z k̇ − ṡ e,   ġ · (Ω, ṗ) = r (Ω × ė)_i.
// A disk that lies flat touches everywhere and e is not determined: then C = p_z holds its centre, and there
// is no more to say about slip.

#include "constraints/pairs/faults.h"
#include "constraints/pairs/unit_axis.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

namespace lig {

namespace {

double sine_to_plane(const Vec3d& k) { return std::sqrt(k.x * k.x + k.y * k.y); }

}  // namespace

void RollingDiskConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    const Vec3d& k = motion.R_AB.z;
    const double s = sine_to_plane(k);
    for (int i = 0; i < 3; ++i) {
        out[i] = {};
        out[i].size = radius;
        out[i].holonomic = i == 0;
    }
    out[0].error = motion.p.z - radius * s;
    if (s < flat) {
        motion.set(out[0], Vec3d::zero(), {0, 0, 1});
        return;
    }
    const Vec3d e = (1 / s) * (k.z * k - Vec3d{0, 0, 1});
    const Vec3d& w = motion.velocity.ang;
    const Vec3d dk = cross(w, k);
    const double ds = -k.z * dk.z / s;
    const Vec3d de = (1 / s) * (dk.z * k + k.z * dk - ds * e);
    const Vec3d carried = radius * cross(w, de);
    const int axes[] = {2, 0, 1};
    for (int i = 0; i < 3; ++i) {
        const Vec3d axis = pairs::unit_axis(axes[i]);
        motion.set(out[i], radius * cross(e, axis), axis);
        out[i].product += carried[axes[i]];
    }
}

std::string RollingDiskConstraint::fault() const { return pairs::unless_positive("the radius", radius); }

std::string_view RollingDiskConstraint::undefined_because(const PairState& state) const {
    if (sine_to_plane(RelativeMotion(state).R_AB.z) >= flat) return {};
    return "the disk lies flat on the plane, so that it has no lowest point";
}

}  // namespace lig
