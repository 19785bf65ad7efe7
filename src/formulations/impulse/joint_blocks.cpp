#include "formulations/impulse/joint_blocks.h"

#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

LIG_INLINE Vec3d scaled(const Vec3d& by, const Vec3d& v) { return {by.x * v.x, by.y * v.y, by.z * v.z}; }

// K of a unit impulse at an arm: m⁻¹ − [r]× I⁻¹ [r]×.
LIG_INLINE Sym3d response(const Inertia& body, const Vec3d& r) {
    const Sym3d& I = body.inv_inertia;
    // Columns of I⁻¹ [r]×, crossed with r once more.
    const Vec3d cx = I * Vec3d{0, r.z, -r.y}, cy = I * Vec3d{-r.z, 0, r.x}, cz = I * Vec3d{r.y, -r.x, 0};
    return {body.inv_mass.x + r.z * cx.y - r.y * cx.z,
            body.inv_mass.y + r.x * cy.z - r.z * cy.x,
            body.inv_mass.z + r.y * cz.x - r.x * cz.y,
            r.z * cy.y - r.y * cy.z,
            r.z * cz.y - r.y * cz.z,
            r.x * cz.z - r.z * cz.x};
}

constexpr double widest = 0.005;  // m

LIG_INLINE double largest_of(const Vec3d& v) {
    return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

}  // namespace

JointBlocks::JointBlocks(const MovingBodies& bodies) {
    const Tree<double>& tree = bodies.model().tree;
    for (int i = 0; i < bodies.links(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        const int count = bodies.has_joint_rows(i) ? maximal::joint_row_count(tree, i) : 0;
        if (count == 0) continue;
        rows_ += count;
        const int a = bodies.index(link.parent), b = bodies.index(i);
        const TreeJoint<double>& joint = tree.joints[link.joint_begin];
        if (link.joint_count == 1 && joint.type == JointType::ball) {
            PointJoint& point = points_.emplace_back();
            point.a = a;
            point.b = b;
            point.local_a = bodies.arm_of(link.parent, joint.X_PF.p);
            point.local_b = bodies.arm_of(i, Vec3d::zero());
            point.impulse = Vec3d::zero();
            continue;
        }
        for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
            if (N != count) return;
            RowJoint<N>& own = list.emplace_back();
            own.link = i;
            own.a = a;
            own.b = b;
            std::fill_n(own.impulse, N, 0.0);
        });
    }
}

template <int N>
void JointBlocks::prepare_rows(const MovingBodies& bodies, double* q, RowJoint<N>& joint) {
    const Tree<double>& tree = bodies.model().tree;
    const TreeLink<double>& link = tree.links[joint.link];
    const Transformd X_WP = bodies.link_pose(link.parent), X_WL = bodies.link_pose(joint.link);
    const Transformd X_WF = X_WP * tree.joints[link.joint_begin].X_PF;
    maximal::JointRows rows;
    maximal::find_rows(tree, joint.link, X_WF.inverse() * X_WL, Motion<double>::zero(), q, rows);
    const Inertia &a = bodies.inertias[joint.a], &b = bodies.inertias[joint.b];
    const Vec3d arm_a = X_WL.p - bodies.places[joint.a].x, arm_b = X_WL.p - bodies.places[joint.b].x;
    Vec3d by_lin[N], by_a[N], by_b[N];
    for (int k = 0; k < N; ++k) {
        const Vec3d ang = X_WF.R * rows.G[k].ang, lin = X_WF.R * rows.G[k].lin;
        joint.lin[k] = lin;
        joint.ang_b[k] = ang + cross(arm_b, lin);
        joint.ang_a[k] = -ang - cross(arm_a, lin);
        joint.error[k] = rows.C[k];
        by_lin[k] = scaled(a.inv_mass + b.inv_mass, lin);
        by_a[k] = a.inv_inertia * joint.ang_a[k];
        by_b[k] = b.inv_inertia * joint.ang_b[k];
        for (int j = 0; j <= k; ++j)
            joint.factor[k * N + j] = dot(joint.lin[j], by_lin[k]) + dot(joint.ang_a[j], by_a[k]) +
                                      dot(joint.ang_b[j], by_b[k]);
    }
    cholesky<N>(joint.factor);
}

void JointBlocks::prepare(const MovingBodies& bodies, double* q) {
    for (PointJoint& joint : points_) {
        const Place &a = bodies.places[joint.a], &b = bodies.places[joint.b];
        joint.arm_a = a.R * joint.local_a;
        joint.arm_b = b.R * joint.local_b;
        joint.error = (b.x - a.x) + (joint.arm_b - joint.arm_a);
        // Both get their impulses at one point, so that angular momentum is kept; but a joint that has come
        // apart must not pull at a long lever.
        const double apart = dot(joint.error, joint.error);
        const double share = apart > widest * widest ? widest / std::sqrt(apart) : 1.0;
        joint.arm_a += 0.5 * share * joint.error;
        joint.arm_b -= 0.5 * share * joint.error;
        joint.factor = factor(response(bodies.inertias[joint.a], joint.arm_a) +
                              response(bodies.inertias[joint.b], joint.arm_b));
    }
    for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
        for (RowJoint<N>& joint : list) prepare_rows(bodies, q, joint);
    });
}

double JointBlocks::largest_error() const {
    double largest = 0;
    for (const PointJoint& joint : points_) largest = std::max(largest, largest_of(joint.error));
    for_each_list([&](const auto& list) {
        for (const auto& joint : list)
            for (const double e : joint.error) largest = std::max(largest, std::fabs(e));
    });
    return largest;
}

void JointBlocks::warm_start(const BodyView& bodies) const {
    for (const PointJoint& joint : points_) {
        bodies.push_at(joint.b, joint.impulse, joint.arm_b);
        bodies.push_at(joint.a, -joint.impulse, joint.arm_a);
    }
    for_each_list([&]<int N>(const std::vector<RowJoint<N>>& list) {
        for (const RowJoint<N>& joint : list) {
            Vec3d lin = Vec3d::zero(), ang_a = lin, ang_b = lin;
            for (int k = 0; k < N; ++k) {
                lin += joint.impulse[k] * joint.lin[k];
                ang_a += joint.impulse[k] * joint.ang_a[k];
                ang_b += joint.impulse[k] * joint.ang_b[k];
            }
            bodies.push(joint.b, lin, ang_b);
            bodies.push(joint.a, -lin, ang_a);
        }
    });
}

namespace {

// Removes what a block misses: `change` gives the impulses for that.
template <class Change>
LIG_INLINE double push(const PointJoint& joint, double bias, const BodyView& bodies, Change&& change) {
    const Vec3d miss = bodies.velocity_at(joint.b, joint.arm_b) - bodies.velocity_at(joint.a, joint.arm_a) +
                       bias * joint.error;
    const Vec3d impulse = change(-1.0 * solve(joint.factor, miss));
    bodies.push_at(joint.b, impulse, joint.arm_b);
    bodies.push_at(joint.a, -impulse, joint.arm_a);
    return largest_of(miss);
}

template <int N, class Change>
LIG_INLINE double push(const RowJoint<N>& joint, double bias, const BodyView& bodies, Change&& change) {
    const Velocity &a = bodies.u[joint.a], &b = bodies.u[joint.b];
    const Vec3d between = b.v - a.v;
    double x[N], largest = 0;
    for (int k = 0; k < N; ++k) {
        x[k] = dot(joint.lin[k], between) + dot(joint.ang_a[k], a.w) + dot(joint.ang_b[k], b.w) +
               bias * joint.error[k];
        largest = std::max(largest, std::fabs(x[k]));
    }
    cholesky_solve<N>(joint.factor, x);
    Vec3d lin = Vec3d::zero(), ang_a = lin, ang_b = lin;
    for (int k = 0; k < N; ++k) {
        const double impulse = change(k, -x[k]);
        lin += impulse * joint.lin[k];
        ang_a += impulse * joint.ang_a[k];
        ang_b += impulse * joint.ang_b[k];
    }
    bodies.push(joint.b, lin, ang_b);
    bodies.push(joint.a, -lin, ang_a);
    return largest;
}

}  // namespace

double JointBlocks::sweep(const Give& soft, const BodyView& bodies) {
    double largest = 0;
    for (PointJoint& joint : points_)
        largest = std::max(largest, push(joint, soft.bias_rate, bodies, [&](const Vec3d& rigid) {
                               const Vec3d change = soft.mass_scale * rigid - soft.impulse_scale * joint.impulse;
                               joint.impulse += change;
                               return change;
                           }));
    for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
        for (RowJoint<N>& joint : list)
            largest = std::max(largest, push(joint, soft.bias_rate, bodies, [&](int k, double rigid) {
                                   const double change =
                                       soft.mass_scale * rigid - soft.impulse_scale * joint.impulse[k];
                                   joint.impulse[k] += change;
                                   return change;
                               }));
    });
    return largest;
}

void JointBlocks::correct(double rate, const BodyView& corrections) {
    for (const PointJoint& joint : points_)
        push(joint, rate, corrections, [](const Vec3d& rigid) { return rigid; });
    for_each_list([&]<int N>(const std::vector<RowJoint<N>>& list) {
        for (const RowJoint<N>& joint : list)
            push(joint, rate, corrections, [](int, double rigid) { return rigid; });
    });
}

void JointBlocks::forget() { scale(0); }

void JointBlocks::scale(double by) {
    for (PointJoint& joint : points_) joint.impulse = by * joint.impulse;
    for_each_list([&](auto& list) {
        for (auto& joint : list)
            for (double& x : joint.impulse) x *= by;
    });
}

void JointBlocks::save(std::vector<double>& out) const {
    for (const PointJoint& joint : points_)
        out.insert(out.end(), {joint.impulse.x, joint.impulse.y, joint.impulse.z});
    for_each_list([&](const auto& list) {
        for (const auto& joint : list) out.insert(out.end(), std::begin(joint.impulse), std::end(joint.impulse));
    });
}

const double* JointBlocks::restore(const double* from) {
    for (PointJoint& joint : points_) {
        joint.impulse = {from[0], from[1], from[2]};
        from += 3;
    }
    for_each_list([&](auto& list) {
        for (auto& joint : list)
            for (double& x : joint.impulse) x = *from++;
    });
    return from;
}

}  // namespace lig::impulse
