// A blade along the x axis of B: with j the y axis of B in the axes of A,
//     j · ṗ = 0,   d/dt (j · ṗ) = j · p̈ + (Ω × j) · ṗ.

#include <ligament/pair_kinds.h>
#include <ligament/relative_motion.h>

namespace lig {

void KnifeEdgeConstraint::evaluate(const PairState& state, PairRow* out) const {
    const RelativeMotion motion(state);
    const Vec3d& j = motion.R_AB.y;
    *out = {};
    out->holonomic = false;
    motion.set(*out, Vec3d::zero(), j);
    out->product += dot(cross(motion.velocity.ang, j), motion.velocity.lin);
}

}  // namespace lig
