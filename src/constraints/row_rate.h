#pragma once

// J x of a row: for the velocities of a state, or for any motion of the links.

#include "constraints/base_motion.h"
#include "constraints/rows.h"

#include <span>

namespace lig {

// `motion(link)`: of a link, about its origin; v: of the freedoms.
template <class LinkMotion>
double row_product(const Rows& rows, const RowBlock& block, const Row& row, std::span<const double> v,
                   LinkMotion&& motion) {
    double rate = 0;
    if (block.link_a >= 0) rate += dot(row.on_a, motion(block.link_a));
    if (block.link_b >= 0) rate += dot(row.on_b, motion(block.link_b));
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        rate += rows.entries[e].value * v[rows.entries[e].dof];
    return rate;
}

// J v without what the prescribed motion of kinematic bodies adds. After forward_kinematics.
inline double row_rate(const Rows& rows, const RowBlock& block, const Row& row, const Workspace<double>& ws,
                       std::span<const double> v) {
    return row_product(rows, block, row, v,
                       [&](int link) { return ws.poses[link].V_WL - velocity_by_base(ws, link); });
}

}  // namespace lig
