#include "formulations/impulse/torn_joints.h"

#include "core/length.h"
#include "formulations/maximal/link_joint.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

std::optional<TornJoint> find_torn_joint(const MovingBodies& bodies, const JointBounds& bounds,
                                         std::vector<double>& q) {
    const bool soft = bounds.over_centres;
    const Tree<double>& tree = bodies.model().tree;
    for (int i = 0; i < bodies.links(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        if (maximal::joint_row_count(tree, i) == 0) continue;
        const Transformd X_WL = bodies.link_pose(i);
        const Transformd X_WF = bodies.link_pose(link.parent) * tree.joints[link.joint_begin].X_PF;
        double way = 0;
        if (soft) way = length(X_WL.p - bodies.places[bodies.index(i)].x);
        if (soft && link.parent >= 0) way += length(X_WF.p - bodies.places[bodies.index(link.parent)].x);
        way = std::max(way, bounds.way);
        maximal::JointRows rows;
        maximal::find_rows(tree, i, X_WF.inverse() * X_WL, Motion<double>::zero(), q.data(), rows);
        for (int k = 0; k < rows.count; ++k) {
            const bool turned = dot(rows.G[k].lin, rows.G[k].lin) == 0;
            const double gap = std::fabs(rows.C[k]);
            if (!(gap <= (turned ? bounds.sine : way)))
                return TornJoint{i, gap, turned};
        }
    }
    return std::nullopt;
}

}  // namespace lig::impulse
