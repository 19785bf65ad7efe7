// The origins of A and B keep a distance: with d = p_B − p_A, r = |d|, n = d/r and w = v_B − v_A,
//     C = r − length,   Ċ = n · w,   C̈ = n · (a_B − a_A) + (|w|² − (n · w)²)/r.
// Turning the frames changes nothing, so there are no moments. Where both points coincide the direction is
// not determined; x of A stands for it then, and the centripetal part is left out.

#include "constraints/pairs/faults.h"
#include "core/length.h"

#include <ligament/pair_kinds.h>

namespace lig {

void DistanceConstraint::evaluate(const PairState& state, PairRow* out) const {
    const Vec3d d = state.X_WB.p - state.X_WA.p, w = state.V_WB.lin - state.V_WA.lin;
    const double r = lig::length(d);
    const Vec3d n = r > 0 ? (1 / r) * d : state.X_WA.R.x;
    PairRow row;
    row.error = r - length;
    row.on_a = {Vec3d::zero(), -n};
    row.on_b = {Vec3d::zero(), n};
    if (r > 0) {
        const Vec3d across = w - dot(n, w) * n;
        row.product = dot(across, across) / r;
    }
    row.size = length;
    *out = row;
}

std::string DistanceConstraint::fault() const { return pairs::unless_positive("the length", length); }

}  // namespace lig
