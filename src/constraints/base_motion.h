#pragma once

// What kinematic bodies do to the rows on what hangs on them: the part of a link's velocity that is not J v.

#include "dynamics/dynamics_parts.h"

namespace lig {

// The velocity that the prescribed motion of its base gives to a link, about its origin, while all joints
// stand still. A link that is a base itself moves with it. After forward_kinematics.
inline Motion<double> velocity_by_base(const Workspace<double>& ws, int link) {
    if (ws.model().nkinematic == 0) return Motion<double>::zero();
    int base = link;
    while (base >= 0) base = ws.model().tree.links[base].parent;
    if (base == -1) return Motion<double>::zero();
    return shift(carrier_velocity(ws, base), carrier_pose(ws, link).p - carrier_pose(ws, base).p);
}

}  // namespace lig
