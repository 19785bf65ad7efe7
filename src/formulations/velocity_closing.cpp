// Velocity steps: equalities closed behind a step, and contacts held meanwhile.

#include "constraints/contact_rows.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity_step.h"
#include "simulation/equality_closure.h"

#include <algorithm>

namespace lig {

namespace {

constexpr double pressed_tolerance = 1e-5;  // m: what closing may press bodies into each other
constexpr int max_rounds = 5;               // in which contacts are found that closing would press
constexpr double max_growth = 1.5;          // of what is open of equalities, within a step
constexpr double open_at_last = 1e-7;       // m or rad, where steps cannot be shorter: what they promise

}  // namespace

// Contacts of the step, and the distances that they have, or touch with. Before anything moves.
void VelocityStep::note_contacts() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    near_.clear();
    touching_.clear();
    for (const RowBlock& block : context_.rows.blocks) {
        if (block.kind != RowKind::contact) continue;
        const Contact& contact = context_.collision.contacts.contacts[block.source];
        const Transformd &A = carrier_pose(ws, block.link_a), &B = carrier_pose(ws, block.link_b);
        touching_.push_back(contact.distance - gap_of(block));
        near_.push_back({block.link_a, block.link_b, transpose_mul(A.R, contact.on_a - A.p),
                         transpose_mul(B.R, contact.on_b - B.p), contact.normal,
                         std::min(contact.distance, touching_.back())});
    }
}

// How much nearer than they are to be the bodies of a contact are. After forward_kinematics.
double VelocityStep::pressed_by(std::size_t contact) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const HeldContact& near = near_[contact];
    const Vec3d apart = carrier_pose(ws, near.link_b) * near.on_b - carrier_pose(ws, near.link_a) * near.on_a;
    return near.distance - dot(near.normal, apart);
}

// Where the step has made bodies part, closing is not to take it back. After forward_kinematics.
void VelocityStep::note_gaps() {
    for (std::size_t k = 0; k < near_.size(); ++k) {
        const double now = near_[k].distance - pressed_by(k);
        near_[k].distance = std::max(near_[k].distance, std::min(now, touching_[k]));
    }
}

// Closes equalities again from tried_.q, with contacts held that would be pressed, until there are none.
// False: they are not closed so, and the state is that of `closing`.
bool VelocityStep::press_back(JointState<double>& state, ClosingReport& closing) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    held_.clear();
    closed_q_ = state.q;
    for (int round = 0; round < max_rounds; ++round) {
        const std::size_t before = held_.size();
        for (std::size_t k = 0; k < near_.size(); ++k)
            if (pressed_by(k) > pressed_tolerance) held_.push_back(near_[k]);
        if (held_.size() == before) return true;
        state.q = tried_.q;
        const ClosingReport together = dynamics.close_coordinates(state, &held_);
        if (!together.closed || !is_closed(together)) break;
        closing = together;
    }
    state.q = closed_q_;
    forward_kinematics(state, dynamics.ws);
    return false;
}

// Equalities closed where coordinates have moved to, and contacts with them.
VelocityStep::Advance VelocityStep::close_behind(JointState<double>& state,
                                                 const TreeMomenta::Step& step,
                                                 StepReport& report) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    forward_kinematics(state, dynamics.ws);
    trees_.place(step, dynamics.ws, state.q);
    if (!dynamics.has_equalities()) return Advance::moved;
    note_gaps();
    tried_.q = state.q;
    ClosingReport closing = dynamics.close_coordinates(state);
    if (last_try_ && !is_closed(closing)) {
        // Steps cannot be shorter: with changes as short as they have to be.
        held_.clear();
        state.q = tried_.q;
        closing = dynamics.close_coordinates(state, &held_);
    }
    const ClosingReport alone = closing;
    if (closing.closed && !press_back(state, closing)) {
        closing = alone;
        double most = 0;
        for (std::size_t k = 0; k < near_.size(); ++k) most = std::max(most, pressed_by(k));
        if (most > max_pressed && !may_be_pressed_) return Advance::astray;
    }
    const bool closed = is_closed(closing) || closing.relative <= max_growth * context_.open_before ||
                        (last_try_ && closing.error <= open_at_last);
    if (!closing.closed || !closed) {
        open_equality_ = closing.closed ? dynamics.describe(dynamics.equality_errors(state)) : closing.where;
        return Advance::open;
    }
    report.equality_error = std::max(report.equality_error, closing.error);
    algebra_.equalities_open = closing.relative;
    q_on_equalities_ = state.q;
    return Advance::moved;
}

}  // namespace lig
