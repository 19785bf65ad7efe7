// Angular velocities about the z axes a of A and b of B, world axes, keep a ratio:
//     b · ω_B − ratio (a · ω_A) = 0.
// An axis that turns with its own body changes nothing: ḃ · ω_B = (ω_B × b) · ω_B = 0. So the product is 0.

#include "constraints/pairs/faults.h"

#include <ligament/pair_kinds.h>

namespace lig {

void GearConstraint::evaluate(const PairState& state, PairRow* out) const {
    *out = {};
    out->holonomic = false;
    out->on_a = {-ratio * state.X_WA.R.z, Vec3d::zero()};
    out->on_b = {state.X_WB.R.z, Vec3d::zero()};
    out->size = 1;
}

std::string GearConstraint::fault() const {
    if (ratio == 0) return "the ratio is 0";
    return pairs::unless_finite("the ratio", ratio);
}

}  // namespace lig
