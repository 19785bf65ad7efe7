#pragma once

// What rows pull with, as the tension of the links they pull on.

#include "constraints/rows.h"
#include "dynamics/tension_stiffness.h"

#include <span>

namespace lig {

// A block, by the forces of all rows, at the points where it acts.
inline void pull_by_block(const Rows& rows, const RowBlock& block, std::span<const double> forces,
                          const Workspace<double>& ws, TensionStiffness& tension) {
    const auto push = [&](int link, const Vec3d& point, Force<double> Row::* on) {
        if (link < 0) return;
        Vec3d force = Vec3d::zero();
        for (int r = block.begin; r < block.begin + block.count; ++r)
            force += forces[r] * (rows.rows[r].*on).lin;
        tension.push(link, point - ws.poses[link].X_WL.p, force);
    };
    push(block.link_a, block.point_a, &Row::on_a);
    push(block.link_b, block.point_b, &Row::on_b);
}

}  // namespace lig
