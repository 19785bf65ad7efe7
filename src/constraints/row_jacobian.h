#pragma once

// A row towards the velocities of a model: a row of J.

#include "constraints/rows.h"

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <algorithm>
#include <span>

namespace lig {

// out: (nv). After forward_kinematics; without pulls.
inline void write_row_jacobian(const Rows& rows, const RowBlock& block, const Row& row,
                               const Workspace<double>& ws, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const Tree<double>& tree = ws.model().tree;
    const auto carry_down = [&](int link, Force<double> force) {
        for (; link >= 0; link = tree.links[link].parent) {
            const TreeLink<double>& own = tree.links[link];
            for (int k = own.v_adr; k < own.v_adr + own.nv; ++k) out[k] += dot(ws.S[k], force);
            force = shift_back(force, ws.links[link].r);
        }
    };
    carry_down(block.link_a, row.on_a);
    carry_down(block.link_b, row.on_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        out[rows.entries[e].dof] += rows.entries[e].value;
}

}  // namespace lig
