#include "formulations/impulse/freedoms.h"

#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

namespace lig::impulse {

namespace {

// M⁻¹ of a row.
struct Answer {
    Vec3d lin, ang_a, ang_b;
};

LIG_INLINE Answer answer_of(const Freedom& row, const Vec3d& inv_mass, const Inertia& a, const Inertia& b) {
    return {{inv_mass.x * row.lin.x, inv_mass.y * row.lin.y, inv_mass.z * row.lin.z},
            a.inv_inertia * row.ang_a,
            b.inv_inertia * row.ang_b};
}

LIG_INLINE double product(const Freedom& row, const Answer& answer) {
    return dot(row.lin, answer.lin) + dot(row.ang_a, answer.ang_a) + dot(row.ang_b, answer.ang_b);
}

}  // namespace

Freedoms::Freedoms(const MovingBodies& bodies) : list_(bodies.model().nv) {
    int used = 0;
    for (const TreeLink<double>& link : bodies.model().tree.links) {
        mobility_begin_.push_back(used);
        const int count = maximal::frame_freedoms(bodies.model().tree, link);
        used += count * count;
    }
    mobilities_.resize(used);
    found_asleep_.assign(bodies.links(), 0);
}

void Freedoms::find(const MovingBodies& bodies, std::span<const PoseWork<double>> poses, double* q) {
    constexpr int most = maximal::max_joint_rows;
    const Tree<double>& tree = bodies.model().tree;
    maximal::JointFreedoms freedoms;
    maximal::JointRows rows;
    for (int i = 0; i < bodies.links(); ++i) {
        const bool asleep = bodies.is_asleep(bodies.index(i));
        if (asleep && found_asleep_[i]) continue;
        found_asleep_[i] = asleep;
        const TreeLink<double>& link = tree.links[i];
        const int a = bodies.index(link.parent), b = bodies.index(i);
        const Transformd& X_WL = poses[i].X_WL;
        const Transformd X_WP = link.parent >= 0 ? poses[link.parent].X_WL : bodies.link_pose(link.parent);
        const Transformd X_WF = X_WP * tree.joints[link.joint_begin].X_PF;
        const Vec3d arm_a = X_WL.p - bodies.places[a].x, arm_b = X_WL.p - bodies.places[b].x;
        const Inertia &inertia_a = bodies.inertias[a], &inertia_b = bodies.inertias[b];
        const Vec3d inv_mass = inertia_a.inv_mass + inertia_b.inv_mass;
        const auto on_bodies = [&](const Force<double>& at_M) {
            const Vec3d ang = X_WF.R * at_M.ang, lin = X_WF.R * at_M.lin;
            return Freedom{a, b, lin, -ang - cross(arm_a, lin), ang + cross(arm_b, lin)};
        };
        rows.count = 0;
        if (bodies.has_joint_rows(i))
            maximal::find_rows(tree, i, X_WF.inverse() * X_WL, Motion<double>::zero(), q, rows);
        Freedom held[most];
        Answer answers[most];
        double matrix[most * small_stride];
        for (int k = 0; k < rows.count; ++k) {
            held[k] = on_bodies(rows.G[k]);
            answers[k] = answer_of(held[k], inv_mass, inertia_a, inertia_b);
            for (int j = 0; j <= k; ++j) matrix[k * small_stride + j] = product(held[k], answers[j]);
        }
        const bool regular = cholesky_n<double>(matrix, rows.count);
        maximal::find_freedoms(tree, i, q, freedoms);
        for (int k = 0; k < freedoms.count; ++k) {
            Freedom& own = list_[link.v_adr + k];
            own = on_bodies(freedoms.W[k]);
            double share[most] = {};
            if (regular) {
                for (int j = 0; j < rows.count; ++j) share[j] = product(own, answers[j]);
                cholesky_solve_n<double>(matrix, rows.count, share);
            }
            for (int j = 0; j < rows.count; ++j) {
                own.lin -= share[j] * held[j].lin;
                own.ang_a -= share[j] * held[j].ang_a;
                own.ang_b -= share[j] * held[j].ang_b;
            }
        }
        for (int k = freedoms.count; k < link.nv; ++k) {
            Freedom& own = list_[link.v_adr + k];
            own = {0, bodies.rates(link.stretch), Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
            const int s = k - freedoms.count;
            (s < 3 ? own.lin[s] : own.ang_b[s - 3]) = 1;
        }
        find_mobility(i, bodies);
    }
}

void Freedoms::find_mobility(int i, const MovingBodies& bodies) {
    const TreeLink<double>& link = bodies.model().tree.links[i];
    const Inertia &a = bodies.inertias[bodies.index(link.parent)], &b = bodies.inertias[bodies.index(i)];
    double* mobility = mobilities_.data() + mobility_begin_[i];
    const int count = maximal::frame_freedoms(bodies.model().tree, link);
    for (int k = 0; k < count; ++k) {
        const Answer answer = answer_of(list_[link.v_adr + k], a.inv_mass + b.inv_mass, a, b);
        for (int j = 0; j <= k; ++j) mobility[k * count + j] = product(list_[link.v_adr + j], answer);
    }
}

void Freedoms::renew_mobilities(const MovingBodies& bodies) {
    for (int i = 0; i < bodies.links(); ++i)
        if (!bodies.is_asleep(bodies.index(i))) find_mobility(i, bodies);
}

}  // namespace lig::impulse
