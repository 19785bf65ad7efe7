#include "formulations/velocity/limits_put_back.h"

#include "constraints/limit_rows.h"
#include "constraints/row_context.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity/tuning.h"

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

}  // namespace

LimitsPutBack::LimitsPutBack(StepContext& context, const StepEquations& equations, ContactGaps& gaps)
    : context_(context), equations_(equations), gaps_(gaps) {
    passed_q_.reserve(context.model->nq);
    if (LimitClosure::needed_by(*context.model)) closure_ = std::make_unique<LimitClosure>(*context.model);
}

// Adds those that the state has passed, against what the step was to leave of errors, to what is to be put
// back. After update_drives of the state, if tendons have limits. False: there are no more.
bool LimitsPutBack::find_passed(const JointState<double>& state, double h) {
    const Model& model = *context_.model;
    std::vector<HeldLimit>& held = closure_->limits;
    const std::size_t before = held.size();
    const RowContext context{.h = h};
    const auto take = [&](HeldLimit limit, double gap, double gap_before) {
        limit.gap = gap_behind(context, gap_before);
        const double tolerance = gap_before < -tuning.passed_tolerance ? 0.0 : tuning.passed_tolerance;
        if (gap < limit.gap - tolerance - tuning.passed_rounding) held.push_back(limit);
    };
    find_near_limits(state, model, -tuning.passed_tolerance, near_);
    for (const NearLimit& now : near_)
        take({now.joint, -1, now.slot, 0}, now.gap,
             find_limit(context_.last.before, model, now.joint, now.slot).gap);
    for (std::size_t k = 0; k < equations_.tendon_gaps.size(); ++k) {
        const int tendon = static_cast<int>(k);
        const TendonGaps now = find_tendon_gaps(model, context_.motion.dynamics.drives, tendon);
        const TendonGaps& then = equations_.tendon_gaps[k];
        for (int side = 0; side < 2 && now.arm > 0 && then.arm > 0; ++side)
            take({-1, tendon, side, 0}, now.gap[side] / now.arm, then.gap[side] / then.arm);
    }
    return held.size() > before;
}

void LimitsPutBack::put_back(JointState<double>& state, double h) {
    were_put_back_ = stay_passed_ = false;
    potential_lost_ = 0;
    if (!closure_) return;
    SmoothDynamics& dynamics = context_.motion.dynamics;
    closure_->limits.clear();
    closure_->contacts.clear();
    if (!equations_.tendon_gaps.empty()) update_drives(state, dynamics.ws, dynamics.drives);
    if (!find_passed(state, h)) return;
    const double potential = context_.energy_here(state).potential;
    if (!dynamics.has_equalities()) {
        forward_kinematics(context_.last.before, dynamics.ws);
        gaps_.note();
        forward_kinematics(state, dynamics.ws);
        gaps_.note_parted();
    }
    passed_q_ = state.q;
    if (close(state, h)) {
        were_put_back_ = true;
        potential_lost_ = potential - context_.energy_here(state).potential;
        return;
    }
    state.q = passed_q_;
    forward_kinematics(state, dynamics.ws);
    stay_passed_ = true;
}

// Until nothing is passed, nor any contact pressed by that.
bool LimitsPutBack::close(JointState<double>& state, double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    for (int round = 0; round < tuning.max_rounds; ++round) {
        state.q = passed_q_;
        if (!closure_->close(state, dynamics.ws, dynamics.drives, h)) return false;
        bool passed = find_passed(state, h);
        for (const HeldContact& contact : gaps_.contacts())
            if (gaps_.pressed_by(contact) > tuning.pressed_tolerance) {
                closure_->contacts.push_back(contact);
                passed = true;
            }
        if (!passed) return true;
    }
    return false;
}

}  // namespace lig
