#include "formulations/turning_inertia.h"

#include "linalg/symmetric_eigen.h"
#include "model/split_inertia.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Of a link's inertia: stiffness up to this, times h², an explicit step takes without help.
constexpr double resolved_share = 0.25;
// Times a link's inertia: forces of loops that depend on each other may be any, and are no tension.
constexpr double most_added = 1e5;
constexpr double thin_share = 1e-6;  // of the moments of inertia of a link about its joint
constexpr double shortest_share = 0.25;  // of the step: what acted for less was a blow

}  // namespace

TurningInertia::TurningInertia(const Model& model)
    : force_(model.tree.links.size()),
      pull_(model.tree.links.size()),
      added_(model.tree.links.size(), Sym3d::zero()),
      moment_(model.tree.links.size()) {}

void TurningInertia::hold(int link, const Vec3d& r, const Vec3d& f) {
    pull_[link] += Sym3d{r.x * f.x,
                         r.y * f.y,
                         r.z * f.z,
                         0.5 * (r.x * f.y + r.y * f.x),
                         0.5 * (r.x * f.z + r.z * f.x),
                         0.5 * (r.y * f.z + r.z * f.y)};
}

// Weight and ws.f_ext.
void TurningInertia::begin(const Workspace<double>& ws) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    const Vec3d& g = ws.model().options.gravity;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        force_[i] = own.mass * g;
        pull_[i] = Sym3d::zero();
        force_[i] += ws.f_ext[i].lin;
        if (own.mass > 0) hold(static_cast<int>(i), (1 / own.mass) * own.h, force_[i]);
    }
}

template <class Lambda>
void TurningInertia::hold_by_rows(const Workspace<double>& ws, const Rows& rows, const Lambda& force_of) {
    for (const RowBlock& block : rows.blocks) {
        if (block.link_a < 0 && block.link_b < 0) continue;
        const auto push = [&](int link, const Vec3d& point, Force<double> Row::* on) {
            if (link < 0) return;
            Vec3d f = Vec3d::zero();
            for (const Row& row : rows.rows_of(block)) f += force_of(block, row) * (row.*on).lin;
            hold(link, point - ws.poses[link].X_WL.p, f);
            force_[link] += f;
        };
        push(block.link_a, block.point_a, &Row::on_a);
        push(block.link_b, block.point_b, &Row::on_b);
    }
}

// N of a link, from all that pulls on it.
bool TurningInertia::resist(const Workspace<double>& ws, int link, double h) {
    // What floats turns about its centre of mass.
    const TreeLink<double>& tree_link = ws.model().tree.links[link];
    const RigidInertia<double> own = world_inertia(ws.poses[link].X_WL.R, tree_link.inertia);
    if (tree_link.parent == -1 && tree_link.kernel == TreeLink<double>::Kernel::free && own.mass > 0)
        hold(link, (-1 / own.mass) * own.h, force_[link]);
    const Sym3d& p = pull_[link];
    const double trace = p.xx + p.yy + p.zz, hh = h * h;
    const Sym3d excess{hh * (trace - p.xx) - resolved_share * own.I.xx,
                       hh * (trace - p.yy) - resolved_share * own.I.yy,
                       hh * (trace - p.zz) - resolved_share * own.I.zz,
                       -hh * p.xy - resolved_share * own.I.xy,
                       -hh * p.xz - resolved_share * own.I.xz,
                       -hh * p.yz - resolved_share * own.I.yz};
    added_[link] = Sym3d::zero();
    // Most links are far from it: by Gershgorin no eigenvalue is positive.
    const double xy = std::abs(excess.xy), xz = std::abs(excess.xz), yz = std::abs(excess.yz);
    if (excess.xx + xy + xz <= 0 && excess.yy + xy + yz <= 0 && excess.zz + xz + yz <= 0) return false;
    const SymmetricEigen parts = symmetric_eigen(excess);
    const Vec3d com = own.mass > 0 ? (1 / own.mass) * own.h : Vec3d::zero();
    const SymmetricEigen inertia = symmetric_eigen(shift_back(own, -com).I);
    bool any = false;
    for (int k = 0; k < 3; ++k) {
        Vec3d e = (&parts.vectors.x)[k];
        // What has no inertia is left without.
        for (int l = 0; l < 3; ++l)
            if (!(inertia.values[l] > thin_share * (own.I.xx + own.I.yy + own.I.zz))) {
                const Vec3d& thin = (&inertia.vectors.x)[l];
                e -= dot(e, thin) * thin;
            }
        const double value = std::min(parts.values[k], most_added * dot(e, own.I * e));
        if (!(value > 0)) continue;
        added_[link] += Sym3d{value * e.x * e.x, value * e.y * e.y, value * e.z * e.z,
                              value * e.x * e.y, value * e.x * e.z, value * e.y * e.z};
        any = true;
    }
    return any;
}

bool TurningInertia::find(const Workspace<double>& ws, const Rows& rows, const WarmStarts& warm, double h,
                          double last_time) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    begin(ws);
    const auto force_of = [&](const RowBlock& block, const Row& row) {
        // Impulses of contacts have been scaled to the step.
        if (block.kind == RowKind::contact) return last_time > shortest_share * h ? row.lambda / h : 0.0;
        const int earlier = row.warm >= 0 ? warm.earlier(row.warm) : -1;
        if (earlier < 0) return 0.0;
        const double now = row.lambda / last_time, before = warm.lambda[earlier];
        if (now * before <= 0) return 0.0;
        return std::abs(now) < std::abs(before) ? now : before;
    };
    if (last_time > 0) hold_by_rows(ws, rows, force_of);
    bool any = false;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
        if (links[i].parent >= 0) {
            hold(links[i].parent, ws.links[i].r, force_[i]);
            force_[links[i].parent] += force_[i];
        }
        any = resist(ws, i, h) || any;
    }
    return any;
}

bool TurningInertia::find(const Workspace<double>& ws, const Rows& rows,
                          std::span<const Vec3d> joint_forces, double h) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    begin(ws);
    hold_by_rows(ws, rows, [&](const RowBlock&, const Row& row) { return row.lambda / h; });
    for (std::size_t i = 0; i < links.size(); ++i)
        if (links[i].parent >= 0) {
            hold(links[i].parent, ws.links[i].r, -joint_forces[i]);
            force_[links[i].parent] -= joint_forces[i];
        }
    bool any = false;
    for (std::size_t i = 0; i < links.size(); ++i) any = resist(ws, static_cast<int>(i), h) || any;
    return any;
}

void TurningInertia::add_impulses(const Workspace<double>& ws, std::span<double> x) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    const int n = static_cast<int>(links.size());
    for (int i = 0; i < n; ++i)
        moment_[i] = {-(added_[i] * ws.poses[i].V_WL.ang), Vec3d::zero()};
    for (int i = n - 1; i >= 0; --i) {
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k)
            x[k] += dot(ws.S[k], moment_[i]);
        if (links[i].parent >= 0) moment_[links[i].parent].ang += moment_[i].ang;
    }
}

}  // namespace lig
