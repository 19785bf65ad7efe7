// A sphere of radius r about B's origin on the plane z = 0 of A. It touches at −r e_z from its centre, so
// with (Ω, ṗ) the motion of B seen from A (relative_motion.h)
//     C = p_z − r,
//     slip = ṗ − r Ω × e_z = ṗ + r (−Ω_y, Ω_x, 0), of which x and y are to be 0.
// All rows are constant in the axes of A.

#include "constraints/pairs/faults.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

namespace lig {

void RollingBallConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    for (int k = 0; k < 3; ++k) {
        out[k] = {};
        out[k].size = radius;
        out[k].holonomic = k == 0;
    }
    out[0].error = motion.p.z - radius;
    motion.set(out[0], Vec3d::zero(), {0, 0, 1});
    motion.set(out[1], {0, -radius, 0}, {1, 0, 0});
    motion.set(out[2], {radius, 0, 0}, {0, 1, 0});
}

std::string RollingBallConstraint::fault() const { return pairs::unless_positive("the radius", radius); }

}  // namespace lig
