#pragma once

// What a row that acts at a point does to the shape of a body that deforms: entries on its stretches, beside
// the wrench on its link.

#include "constraints/rows.h"
#include "dynamics/stretches.h"

namespace lig {

// Of the last row; the force is per unit λ, in world axes, at r in the link's frame at rest, fixed to one of
// its geoms, or to the body itself.
inline void add_stretch_entries(const Workspace<double>& ws, int link, const Vec3d& force, const Vec3d& r,
                                Rows& rows, int geom = -1) {
    if (!stretch_of(ws, link)) return;
    for_each_stretch_pull(ws, link, force, r, geom,
                          [&](int dof, double value) { rows.add_entry(dof, value); });
}

}  // namespace lig
