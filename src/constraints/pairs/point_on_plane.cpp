// B's origin stays in a plane across the z axis of A: C = p_z − offset, with the constant row e_z.

#include "constraints/pairs/faults.h"

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

namespace lig {

void PointOnPlaneConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    *out = {};
    out->error = motion.p.z - offset;
    motion.set(*out, Vec3d::zero(), {0, 0, 1});
}

std::string PointOnPlaneConstraint::fault() const { return pairs::unless_finite("the offset", offset); }

}  // namespace lig
