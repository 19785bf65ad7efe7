#include "constraints/pull_entries.h"

#include "dynamics/dynamics_parts.h"

namespace lig {

void carry_inward(const Workspace<double>& ws, std::size_t begin, int first, int end, Rows& rows) {
    const Tree<double>& tree = ws.model().tree;
    const std::size_t sums = rows.pulls.size();
    for (int link = first; link < end; ++link)
        rows.pulls.push_back({link, carrier_pose(ws, link).p, Vec3d::zero(), Vec3d::zero()});
    RowPull rest{-1, Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};  // about the origin of its link
    const auto add = [&](int link, const RowPull& pull) {
        if (link < 0) return;
        RowPull& sum = link >= first ? rows.pulls[sums + static_cast<std::size_t>(link - first)] : rest;
        if (link < first) {
            rest.link = link;
            rest.at = carrier_pose(ws, link).p;
        }
        sum.force += pull.force;
        sum.moment += pull.moment + cross(pull.at - sum.at, pull.force);
    };
    const auto write = [&](const RowPull& sum) {
        const TreeLink<double>& link = tree.links[sum.link];
        const int stretches = link.stretch < 0 ? 0 : tree.stretches[link.stretch].count;
        for (int k = link.v_adr; k < link.v_adr + link.nv - stretches; ++k)
            rows.add_entry(k, dot(ws.S[k], Force<double>{sum.moment, sum.force}));
    };
    for (std::size_t p = begin; p < sums; ++p) add(rows.pulls[p].link, RowPull(rows.pulls[p]));
    for (int link = end - 1; link >= first; --link) {
        const RowPull sum = rows.pulls[sums + static_cast<std::size_t>(link - first)];
        write(sum);
        add(tree.links[link].parent, sum);
    }
    while (rest.link >= 0) {
        write(rest);
        const RowPull sum = rest;
        rest = {-1, Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
        add(tree.links[sum.link].parent, sum);
    }
    rows.pulls.resize(begin);
    rows.rows.back().pull_count = 0;
}

}  // namespace lig
