#include "simulation/tree_whole.h"

#include "model/split_inertia.h"

#include <ligament/model.h>

namespace lig {

TreeWhole whole_of(const Workspace<double>& ws, int begin, int end) {
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    double mass = 0;
    Vec3d moment = Vec3d::zero();
    const Vec3d& origin =
        ws.poses[begin].X_WL.p;  // near, so that nothing is lost far from the world's origin
    for (int i = begin; i < end; ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        mass += own.mass;
        moment += own.mass * (ws.poses[i].X_WL.p - origin) + own.h;
    }
    const Vec3d com = origin + (1 / mass) * moment;
    TreeWhole whole{mass, com, Sym3d::zero(), Vec3d::zero(), Vec3d::zero()};
    for (int i = begin; i < end; ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        const Vec3d arm = ws.poses[i].X_WL.p - com;
        const Force<double> momentum = shift_back(own * ws.poses[i].V_WL, arm);
        whole.momentum += momentum.lin;
        whole.spin += momentum.ang;
        whole.inertia += shift_back(own, arm).I;
    }
    return whole;
}

}  // namespace lig
