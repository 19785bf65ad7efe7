// B's origin stays on the z axis of A: C = (p_x, p_y), each with the constant row g = e_k in A's axes, so
// that C̈ is the component of p̈ (relative_motion.h).

#include "constraints/pairs/unit_axis.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

namespace lig {

void PointOnLineConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    for (int k = 0; k < 2; ++k) {
        out[k] = {};
        out[k].error = motion.p[k];
        motion.set(out[k], Vec3d::zero(), pairs::unit_axis(k));
    }
}

}  // namespace lig
