#include "formulations/implicit/geometric_stiffness.h"

#include "dynamics/stretches.h"
#include "dynamics/tension_stiffness.h"
#include "formulations/implicit/tuning.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>

namespace lig::implicit {

GeometricStiffness::GeometricStiffness(const maximal::BodySystem& system)
    : moments_(static_cast<std::size_t>(system.graph.links())) {}

void GeometricStiffness::hold(int link, const Vec3d& r, const Vec3d& f) {
    moments_[link] += symmetric_outer(r, f);
}

void GeometricStiffness::add(std::span<const double> y, std::span<const Load> loads, double eta,
                             maximal::BodySystem& system) {
    std::fill(moments_.begin(), moments_.end(), Sym3d::zero());
    for (const Load& load : loads) hold(load.link, load.arm, eta * load.force);
    const Workspace<double>& ws = system.poses.workspace();
    const Model& model = system.graph.model();
    for (int i = 0; i < system.graph.links(); ++i) {
        const Vec3d f = system.matrix.joint_force(i, y).lin, &p = ws.poses[i].X_WL.p;
        hold(i, p - system.poses.centre(i), f);
        if (const int parent = model.tree.links[i].parent; parent >= 0)
            hold(parent, p - system.poses.centre(parent), -f);
    }
    for (const maximal::BodyGraph::Equality& equality : system.graph.equalities()) {
        if (equality.kind != RowKind::loop) continue;
        const Model::Loop& loop = model.loops[equality.source];
        const int link_b = model.bodies[loop.body_b].link;
        const Vec3d p = body_pose(ws, loop.body_b) * stretched(ws, link_b, loop.X_BM.p);
        for (const int body : {loop.body_a, loop.body_b})
            if (const int link = model.bodies[body].link; link >= 0)
                hold(link, p - system.poses.centre(link),
                     system.matrix.equality_force(equality, link, y).lin);
    }
    for (int i = 0; i < system.graph.links(); ++i) {
        const bodies::FreeRotation& rotation = system.graph.rotation_of(i);
        const Mat3d axes = ws.poses[i].X_WL.R * rotation_matrix(rotation.axes);
        const Sym3d own = rotate(transpose(axes), moments_[i]);
        const Vec3d& I = rotation.moments;
        // y = −η λ, and joint_force has turned the sign: moments_ is η Σ r fᵀ.
        const double trace = own.xx + own.yy + own.zz;
        const auto bounded = [&](double k, double inertia) {
            return std::max(eta * k, -geometric_tuning.max_taken * inertia);
        };
        const Vec3d k{bounded(trace - own.xx, I.x), bounded(trace - own.yy, I.y),
                      bounded(trace - own.zz, I.z)};
        const auto between = [&](double value, double a, double b) {
            const double most = geometric_tuning.max_between * std::sqrt(a * b);
            return std::clamp(-eta * value, -most, most);
        };
        const Vec3d N = I + k;
        const Sym3d in_axes{k.x, k.y, k.z, between(own.xy, N.x, N.y), between(own.xz, N.x, N.z),
                            between(own.yz, N.y, N.z)};
        system.matrix.add_turning_block(i, rotate(axes, in_axes));
    }
}

}  // namespace lig::implicit
