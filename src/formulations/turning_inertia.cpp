#include "formulations/turning_inertia.h"

#include "model/split_inertia.h"

#include <ligament/model.h>

#include <cmath>

namespace lig {

namespace {

// Of a link's inertia: stiffness up to this, times h², an explicit step takes without help.
constexpr double resolved_share = 0.25;
constexpr double shortest_share = 0.25;  // of the step: what acted for less was a blow

}  // namespace

TurningInertia::TurningInertia(const Model& model) : tension_(model), moment_(model.tree.links.size()) {}

// Weight and ws.f_ext of a link.
void TurningInertia::push_weight(const Workspace<double>& ws, std::size_t link) {
    const Model& model = ws.model();
    const RigidInertia<double> own = world_inertia(ws.poses[link].X_WL.R, model.tree.links[link].inertia);
    const Vec3d com = own.mass > 0 ? (1 / own.mass) * own.h : Vec3d::zero();
    tension_.push(static_cast<int>(link), com, own.mass * model.options.gravity + ws.f_ext[link].lin);
}

template <class ForceOf>
void TurningInertia::push_rows(const Workspace<double>& ws, const Rows& rows, const ForceOf& force_of) {
    for (const RowBlock& block : rows.blocks) {
        const auto push = [&](int link, const Vec3d& point, Force<double> Row::* on) {
            if (link < 0) return;
            Vec3d f = Vec3d::zero();
            for (const Row& row : rows.rows_of(block)) f += force_of(block, row) * (row.*on).lin;
            tension_.push(link, point - ws.poses[link].X_WL.p, f);
        };
        push(block.link_a, block.point_a, &Row::on_a);
        push(block.link_b, block.point_b, &Row::on_b);
    }
}

bool TurningInertia::find(const Workspace<double>& ws, const Rows& rows, const WarmStarts& warm, double h,
                          double last_time) {
    tension_.clear();
    for (std::size_t i = 0; i < ws.model().tree.links.size(); ++i) push_weight(ws, i);
    const auto force_of = [&](const RowBlock& block, const Row& row) {
        // Impulses of contacts have been scaled to the step.
        if (block.kind == RowKind::contact) return last_time > shortest_share * h ? row.lambda / h : 0.0;
        const int earlier = row.warm >= 0 ? warm.earlier(row.warm) : -1;
        if (earlier < 0) return 0.0;
        const double now = row.lambda / last_time, before = warm.lambda[earlier];
        if (now * before <= 0) return 0.0;
        return std::abs(now) < std::abs(before) ? now : before;
    };
    if (last_time > 0) push_rows(ws, rows, force_of);
    tension_.pull_on_parents(ws);
    return tension_.find(ws, h * h, resolved_share);
}

bool TurningInertia::find(const Workspace<double>& ws, std::span<const int> links, const Rows& rows,
                          std::span<const Vec3d> joint_forces, std::span<const HeldLink> held, double h,
                          double last_time) {
    tension_.clear();
    for (const HeldLink& one : held) tension_.resist(one.link, one.K);
    for (const int i : links) push_weight(ws, static_cast<std::size_t>(i));
    push_rows(ws, rows, [&](const RowBlock&, const Row& row) { return row.lambda / last_time; });
    for (const int i : links)
        if (const int parent = ws.model().tree.links[i].parent; parent >= 0)
            tension_.push(parent, ws.links[i].r, -joint_forces[i]);
    return tension_.find(ws, links, h * h, resolved_share);
}

double TurningInertia::needed_steps() const {
    return std::sqrt(1 + tension_.largest_share() / resolved_share);
}

void TurningInertia::add_impulses(const Workspace<double>& ws, std::span<double> x) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    const int n = static_cast<int>(links.size());
    for (int i = 0; i < n; ++i)
        moment_[i] = {-(of_links()[i] * ws.poses[i].V_WL.ang), Vec3d::zero()};
    for (int i = n - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k)
            x[k] += dot(ws.S[k], moment_[i]);
        if (links[i].parent >= 0) moment_[links[i].parent].ang += moment_[i].ang;
    }
}

}  // namespace lig
