#include "formulations/impulse/freedoms.h"

#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

namespace lig::impulse {

double response(const Freedom& to, const Freedom& of, const MovingBodies& bodies) {
    const Inertia &a = bodies.inertias[to.a], &b = bodies.inertias[to.b];
    const Vec3d inverse = a.inv_mass + b.inv_mass;
    return inverse.x * to.lin.x * of.lin.x + inverse.y * to.lin.y * of.lin.y +
           inverse.z * to.lin.z * of.lin.z + dot(to.ang_a, a.inv_inertia * of.ang_a) +
           dot(to.ang_b, b.inv_inertia * of.ang_b);
}

Freedoms::Freedoms(const MovingBodies& bodies) : list_(bodies.model().nv) {}

void Freedoms::find(const MovingBodies& bodies, double* q) {
    constexpr int most = maximal::most_joint_rows;
    const Tree<double>& tree = bodies.model().tree;
    maximal::JointFreedoms freedoms;
    maximal::JointRows rows;
    for (int i = 0; i < bodies.links(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        const int a = bodies.index(link.parent), b = bodies.index(i);
        const Transformd X_WP = bodies.link_pose(link.parent), X_WL = bodies.link_pose(i);
        const Transformd X_WF = X_WP * tree.joints[link.joint_begin].X_PF;
        const Vec3d arm_a = X_WL.p - bodies.places[a].x, arm_b = X_WL.p - bodies.places[b].x;
        const auto on_bodies = [&](const Force<double>& at_M) {
            const Vec3d ang = X_WF.R * at_M.ang, lin = X_WF.R * at_M.lin;
            return Freedom{a, b, lin, -ang - cross(arm_a, lin), ang + cross(arm_b, lin)};
        };
        rows.count = 0;
        if (bodies.has_joint_rows(i))
            maximal::find_rows(tree, i, X_WF.inverse() * X_WL, Motion<double>::zero(), q, rows);
        Freedom held[most];
        double matrix[most * small_stride];
        for (int k = 0; k < rows.count; ++k) {
            held[k] = on_bodies(rows.G[k]);
            for (int j = 0; j <= k; ++j) matrix[k * small_stride + j] = response(held[k], held[j], bodies);
        }
        const bool regular = cholesky_n<double>(matrix, rows.count);
        maximal::find_freedoms(tree, i, q, freedoms);
        for (int k = 0; k < freedoms.count; ++k) {
            Freedom& own = list_[link.v_adr + k];
            own = on_bodies(freedoms.W[k]);
            if (!regular) continue;
            double share[most];
            for (int j = 0; j < rows.count; ++j) share[j] = response(held[j], own, bodies);
            cholesky_solve_n<double>(matrix, rows.count, share);
            for (int j = 0; j < rows.count; ++j) {
                own.lin -= share[j] * held[j].lin;
                own.ang_a -= share[j] * held[j].ang_a;
                own.ang_b -= share[j] * held[j].ang_b;
            }
        }
    }
}

}  // namespace lig::impulse
