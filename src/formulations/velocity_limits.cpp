// The part of a velocity step that puts back what has passed its limits.

#include "constraints/base_motion.h"
#include "constraints/row_context.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity_step.h"
#include "model/split_inertia.h"

#include <algorithm>

namespace lig {

namespace {

// Limits that are passed by more than this, beside what the step was to leave of errors, are put back. rad; m
// of slides, and of tendons over their arms.
constexpr double passed_tolerance = 3e-3;
constexpr double rounding = 1e-8;
constexpr double pressed_tolerance = 1e-5;  // m: what that may press bodies into each other
constexpr int max_rounds = 5;  // in which limits and contacts are found that it would press

}  // namespace

// Where tendons are at the beginning of the step. After update_drives.
void VelocityStep::note_tendons() {
    const DriveWorkspace<double>& drives = context_.motion.dynamics.drives;
    tendons_beyond_ = largest_tendon_limit_violation(*context_.model, drives).size;
    for (std::size_t k = 0; k < tendon_gaps_.size(); ++k)
        tendon_gaps_[k] = find_tendon_gaps(*context_.model, drives, static_cast<int>(k));
}

// Adds those that the state has passed, against what the step was to leave of errors, to what is to be put
// back. After update_drives of the state, if tendons have limits. False: there are no more.
bool VelocityStep::find_passed_limits(const JointState<double>& state, double h) {
    std::vector<HeldLimit>& held = limit_closure_->limits;
    const std::size_t before = held.size();
    const RowContext context{.h = h};
    const auto take = [&](HeldLimit limit, double gap, double gap_before) {
        limit.gap = gap_behind(context, gap_before);
        const double tolerance = gap_before < -passed_tolerance ? 0.0 : passed_tolerance;
        if (gap < limit.gap - tolerance - rounding) held.push_back(limit);
    };
    find_near_limits(state, *context_.model, -passed_tolerance, passed_);
    for (const NearLimit& now : passed_)
        take({now.joint, -1, now.slot, 0}, now.gap,
             find_limit(context_.last.before, *context_.model, now.joint, now.slot).gap);
    for (std::size_t k = 0; k < tendon_gaps_.size(); ++k) {
        const int tendon = static_cast<int>(k);
        const TendonGaps now = find_tendon_gaps(*context_.model, context_.motion.dynamics.drives, tendon);
        for (int side = 0; side < 2 && now.arm > 0 && tendon_gaps_[k].arm > 0; ++side)
            take({-1, tendon, side, 0}, now.gap[side] / now.arm,
                 tendon_gaps_[k].gap[side] / tendon_gaps_[k].arm);
    }
    return held.size() > before;
}

// Limits that the step has passed: their rows are tangents, and closing equalities does not look at them.
// Where they cannot be put back, coordinates stay. After forward_kinematics of the state.
void VelocityStep::put_limits_back(JointState<double>& state, double h) {
    limits_put_back_ = limits_stay_passed_ = false;
    potential_put_back_ = 0;
    if (!limit_closure_) return;
    SmoothDynamics& dynamics = context_.motion.dynamics;
    limit_closure_->limits.clear();
    limit_closure_->contacts.clear();
    if (tendons_are_limited_) update_drives(state, dynamics.ws, dynamics.drives);
    if (!find_passed_limits(state, h)) return;
    const double potential = context_.energy_here(state).potential;
    if (!dynamics.has_equalities()) {
        forward_kinematics(context_.last.before, dynamics.ws);
        note_contacts();
        forward_kinematics(state, dynamics.ws);
        note_gaps();
    }
    closed_q_ = state.q;
    for (int round = 0; round < max_rounds; ++round) {
        state.q = closed_q_;
        if (!limit_closure_->close(state, dynamics.ws, dynamics.drives)) break;
        bool passed = find_passed_limits(state, h);
        for (std::size_t k = 0; k < near_.size(); ++k)
            if (pressed_by(k) > pressed_tolerance) {
                limit_closure_->contacts.push_back(near_[k]);
                passed = true;
            }
        if (passed) continue;
        limits_put_back_ = true;
        potential_put_back_ = potential - context_.energy_here(state).potential;
        if (dynamics.has_equalities())
            algebra_.equalities_open = std::max(algebra_.equalities_open, limit_closure_->left());
        return;
    }
    state.q = closed_q_;
    forward_kinematics(state, dynamics.ws);
    limits_stay_passed_ = true;
}

// From where the state is to closed_q_, without time: links keep their momenta, as far as joints let them, by
// which kinetic energy is never made. The velocities of joints would carry a heavy load along wherever light
// links are put. After forward_kinematics of the state.
void VelocityStep::carry_velocities(JointState<double>& state) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    const Tree<double>& tree = context_.model->tree;
    update_link_velocities(state.v, ws);
    const auto inertia = [&](std::size_t i) {
        return world_inertia(ws.poses[i].X_WL.R, tree.links[i].inertia);
    };
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const RigidInertia<double> own = inertia(i);
        carried_[i] = own * ws.poses[i].V_WL;
        if (own.mass > 0) carried_[i] = shift_back(carried_[i], (-1 / own.mass) * own.h);
    }
    state.q.swap(closed_q_);
    forward_kinematics(state, ws);
    if (factor_.factor(ws) >= 0) return;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const RigidInertia<double> own = inertia(i);
        if (own.mass > 0) carried_[i] = shift_back(carried_[i], (1 / own.mass) * own.h);
        if (context_.model->nkinematic > 0) carried_[i] -= own * velocity_by_base(ws, static_cast<int>(i));
    }
    for (std::size_t k = 0; k < after_.size(); ++k) after_[k] = tree.armature[k] * state.v[k];
    factor_.inward(after_, carried_);
    factor_.outward(after_, state.v);
}

}  // namespace lig
