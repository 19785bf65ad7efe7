#include "formulations/impulse/joint_limits.h"

#include "constraints/ball_angles.h"
#include "constraints/limit_rows.h"
#include "joints/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig::impulse {

namespace {

constexpr double pi = std::numbers::pi;
// Narrower circles than this could be crossed within a sub-step; they go by general rows, which surround
// them.
constexpr double narrowest = 0.2;
// Limits this near have rows, whatever the speed: what hits elsewhere can turn a joint. rad/s
constexpr double reach_speed = 20;

}  // namespace

JointLimits::JointLimits(const MovingBodies& bodies, const WarmStarts& warm)
    : here_(bodies.model().joints.size(), 0) {
    const Model& model = bodies.model();
    const bool count = model.options.enabled.constraint && model.options.enabled.limit;
    for (std::size_t j = 0; j < model.joints.size() && count; ++j) {
        const Model::Joint& from = model.joints[j];
        const int link = model.bodies[from.body].link;
        if (link < 0 || model.tree.links[link].joint_count != 1 || !bodies.has_joint_rows(link)) continue;
        const TreeLink<double>& tree_link = model.tree.links[link];
        const TreeJoint<double>& tree_joint = model.tree.joints[tree_link.joint_begin];
        Joint joint{.a = bodies.index(tree_link.parent),
                    .b = bodies.index(link),
                    .q_adr = from.q_adr,
                    .warm = warm.limit(static_cast<int>(j)),
                    .before = bodies.turn_of(tree_link.parent, tree_joint.X_PF.R),
                    .own = bodies.turn_of(link, Mat3d::identity()),
                    .axis = from.twist_axis,
                    .cone = HUGE_VAL,
                    .swing = HUGE_VAL,
                    .lower = -HUGE_VAL,
                    .upper = HUGE_VAL,
                    .reference = tree_joint.reference,
                    .hinge = from.type == JointType::hinge};
        if (joint.hinge) {
            joint.lower = from.range[0].lower;
            joint.upper = from.range[0].upper;
            if (!std::isfinite(joint.lower) && !std::isfinite(joint.upper)) continue;
        } else if (from.type == JointType::ball) {
            if (from.cone && *from.cone < pi) joint.cone = *from.cone;
            if (from.swing && *from.swing < pi) joint.swing = *from.swing;
            if (from.twist) {
                joint.lower = from.twist->lower;
                joint.upper = from.twist->upper;
                if (joint.upper - joint.lower >= 2 * pi) joint.lower = -HUGE_VAL, joint.upper = HUGE_VAL;
            }
            const bool twists = std::isfinite(joint.lower) || std::isfinite(joint.upper);
            if (!(joint.cone < pi) && !(joint.swing < pi) && !twists) continue;
            if (std::min(joint.cone, joint.swing) < narrowest) continue;
        } else {
            continue;
        }
        here_[j] = 1;
        joints_.push_back(joint);
    }
}

void JointLimits::add(const Joint& joint, int slot, double gap, const Vec3d& axis, const MovingBodies& bodies,
                      std::span<const double> kept) {
    const Inertia &a = bodies.inertias[joint.a], &b = bodies.inertias[joint.b];
    const double response = dot(axis, a.inv_inertia * axis) + dot(axis, b.inv_inertia * axis);
    rows.push_back({joint.a, joint.b, joint.warm + slot, axis, gap, 1 / response, kept[joint.warm + slot]});
}

void JointLimits::find_hinge(const Joint& joint, const MovingBodies& bodies, double reach,
                             std::span<const double> q, std::span<const double> kept) {
    const Place &a = bodies.places[joint.a], &b = bodies.places[joint.b];
    const Quatd frame = a.q * joint.before, r = conjugate(frame) * (b.q * joint.own);
    const double near = q[joint.q_adr];
    const double angle = joints::unwrap(2 * atan2(r.z, r.w) + joint.reference, near);
    const double below = angle - joint.lower, above = joint.upper - angle;
    if (below > reach && above > reach) return;
    const Vec3d axis = rotation_matrix(frame).z;
    if (below <= reach) add(joint, 0, below, axis, bodies, kept);
    if (above <= reach) add(joint, 1, above, -axis, bodies, kept);
}

void JointLimits::find_ball(const Joint& joint, const MovingBodies& bodies, double reach,
                            std::span<const double> kept) {
    const Place &a = bodies.places[joint.a], &b = bodies.places[joint.b];
    const Quatd child = b.q * joint.own, r = conjugate(a.q * joint.before) * child;
    const Mat3d R = rotation_matrix(child);
    const Vec3d w = transpose_mul(R, bodies.velocities[joint.b].w - bodies.velocities[joint.a].w);
    if (joint.cone < pi) {
        const RotationAngle rotation = rotation_angle(r, w);
        if (const double gap = joint.cone - rotation.angle; gap <= reach)
            add(joint, LimitSlots::cone, gap, R * -rotation.gradient, bodies, kept);
    }
    const bool twists = std::isfinite(joint.lower) || std::isfinite(joint.upper);
    if (!(joint.swing < pi) && !twists) return;
    const SwingTwist angles = swing_twist(r, joint.axis, w);
    if (const double gap = joint.swing - angles.swing; gap <= reach)
        add(joint, LimitSlots::swing, gap, R * -angles.swing_gradient, bodies, kept);
    if (!twists) return;
    const bool both = std::isfinite(joint.lower) && std::isfinite(joint.upper);
    const double twist = joints::unwrap(angles.twist, both ? joint.lower / 2 + joint.upper / 2 : 0.0);
    const Vec3d axis = R * angles.twist_gradient;
    if (const double gap = twist - joint.lower; gap <= reach)
        add(joint, LimitSlots::twist, gap, axis, bodies, kept);
    if (const double gap = joint.upper - twist; gap <= reach)
        add(joint, LimitSlots::twist + 1, gap, -axis, bodies, kept);
}

void JointLimits::find(const MovingBodies& bodies, double h, std::span<const double> q,
                       std::span<const double> kept) {
    rows.clear();
    for (const Joint& joint : joints_) {
        const Vec3d w = bodies.velocities[joint.b].w - bodies.velocities[joint.a].w;
        const double reach = h * (reach_speed + 2 * std::sqrt(dot(w, w)));
        if (joint.hinge)
            find_hinge(joint, bodies, reach, q, kept);
        else
            find_ball(joint, bodies, reach, kept);
    }
}

void JointLimits::warm_start(const BodyView& bodies) const {
    for (const LimitRow& row : rows) {
        bodies.turn(row.b, row.impulse * row.axis);
        bodies.turn(row.a, -row.impulse * row.axis);
    }
}

double JointLimits::sweep(double h, double slop, const Give& soft, bool accumulated,
                          const BodyView& bodies) {
    double largest = 0;
    for (LimitRow& row : rows) {
        // What is open may close within the step. Beyond its limit, a row gives as it is told.
        const bool open = row.gap > 0;
        const double bias = open ? row.gap / h : soft.bias_rate * std::min(row.gap + slop, 0.0);
        const double miss = dot(row.axis, bodies.u[row.b].w - bodies.u[row.a].w) + bias;
        double change = -row.inverse * miss;
        if (!open) change = soft.mass_scale * change - soft.impulse_scale * row.impulse;
        const double next =
            accumulated ? std::max(row.impulse + change, 0.0) : row.impulse + std::max(change, 0.0);
        change = next - row.impulse;
        row.impulse = next;
        largest = std::max(largest, std::fabs(change) / row.inverse);
        bodies.turn(row.b, change * row.axis);
        bodies.turn(row.a, -change * row.axis);
    }
    return largest;
}

void JointLimits::correct(double rate, double slop, const BodyView& corrections) {
    for (LimitRow& row : rows) {
        const double miss =
            dot(row.axis, corrections.u[row.b].w - corrections.u[row.a].w) + rate * (row.gap + slop);
        const double next = std::max(row.correction - row.inverse * miss, 0.0);
        const double change = next - row.correction;
        row.correction = next;
        corrections.turn(row.b, change * row.axis);
        corrections.turn(row.a, -change * row.axis);
    }
}

void JointLimits::store(std::span<double> kept) const {
    for (const Joint& joint : joints_)
        std::fill_n(kept.begin() + joint.warm, WarmStarts::limits_of_joint, 0.0);
    for (const LimitRow& row : rows) kept[row.warm] = row.impulse;
}

double JointLimits::largest_violation() const {
    double largest = 0;
    for (const LimitRow& row : rows) largest = std::max(largest, -row.gap);
    return largest;
}

}  // namespace lig::impulse
