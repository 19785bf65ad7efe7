#include "dynamics/tension_stiffness.h"

#include "linalg/symmetric_eigen.h"
#include "model/split_inertia.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Times a link's inertia: forces of rows that depend on each other may be any, and are no tension.
constexpr double max_added = 1e5;
constexpr double thin_share = 1e-6;  // of the moments of inertia of a link about its joint

}  // namespace

TensionStiffness::TensionStiffness(const Model& model)
    : force_(model.tree.links.size()),
      pull_(model.tree.links.size()),
      added_(model.tree.links.size(), Sym3d::zero()) {}

void TensionStiffness::clear() {
    largest_share_ = 0;
    std::fill(force_.begin(), force_.end(), Vec3d::zero());
    std::fill(pull_.begin(), pull_.end(), Sym3d::zero());
}

void TensionStiffness::hold(int link, const Vec3d& r, const Vec3d& f) {
    pull_[link] += symmetric_outer(r, f);
}

void TensionStiffness::push(int link, const Vec3d& arm, const Vec3d& force) {
    hold(link, arm, force);
    force_[link] += force;
}

void TensionStiffness::resist(int link, const Sym3d& K) {
    const double half = 0.5 * (K.xx + K.yy + K.zz);
    pull_[link] += Sym3d{half - K.xx, half - K.yy, half - K.zz, -K.xy, -K.xz, -K.yz};
}

void TensionStiffness::pull_on_parents(const Workspace<double>& ws) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i)
        if (links[i].parent >= 0) push(links[i].parent, ws.links[i].r, force_[i]);
}

bool TensionStiffness::find(const Workspace<double>& ws, double scale, double share) {
    bool any = false;
    for (int i = 0; i < static_cast<int>(added_.size()); ++i) any = find(ws, i, scale, share) || any;
    return any;
}

bool TensionStiffness::find(const Workspace<double>& ws, std::span<const int> links, double scale,
                            double share) {
    bool any = false;
    for (const int i : links) any = find(ws, i, scale, share) || any;
    return any;
}

bool TensionStiffness::find(const Workspace<double>& ws, int i, double scale, double share) {
    const TreeLink<double>& link = ws.model().tree.links[i];
    const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, link.inertia);
    // What floats turns about its centre of mass.
    if (link.parent == -1 && link.kernel == TreeLink<double>::Kernel::free && own.mass > 0)
        hold(i, (-1 / own.mass) * own.h, force_[i]);
    const Sym3d& p = pull_[i];
    const double trace = p.xx + p.yy + p.zz;
    const Sym3d excess{scale * (trace - p.xx) - share * own.I.xx,
                       scale * (trace - p.yy) - share * own.I.yy,
                       scale * (trace - p.zz) - share * own.I.zz,
                       -scale * p.xy - share * own.I.xy,
                       -scale * p.xz - share * own.I.xz,
                       -scale * p.yz - share * own.I.yz};
    added_[i] = Sym3d::zero();
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
        const double value = std::min(parts.values[k], max_added * dot(e, own.I * e));
        if (!(value > 0)) continue;
        added_[i] += Sym3d{value * e.x * e.x, value * e.y * e.y, value * e.z * e.z,
                           value * e.x * e.y, value * e.x * e.z, value * e.y * e.z};
        largest_share_ = std::max(largest_share_, value / dot(e, own.I * e));
        any = true;
    }
    return any;
}

}  // namespace lig
