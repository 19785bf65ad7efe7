#include "formulations/velocity/equality_closing.h"

#include "formulations/velocity/tuning.h"

#include <algorithm>

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

bool is_closed(const ClosingReport& closing) {
    return closing.straight || closing.relative <= tuning.closed_enough;
}

}  // namespace

EqualityClosing::EqualityClosing(StepContext& context, ContactGaps& gaps) : context_(context), gaps_(gaps) {
    for (std::vector<double>* q : {&open_q_, &closed_q_, &pressed_q_}) q->reserve(context.model->nq);
}

// Closes equalities again from open_q_, with contacts held that would be pressed, until there are none.
// False: they are not closed so, and the state is that of `closing`.
bool EqualityClosing::press_back(JointState<double>& state, ClosingReport& closing) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    held_.clear();
    pressed_q_ = state.q;
    for (int round = 0; round < tuning.max_rounds; ++round) {
        const std::size_t before = held_.size();
        for (const HeldContact& contact : gaps_.contacts())
            if (gaps_.pressed_by(contact) > tuning.pressed_tolerance) held_.push_back(contact);
        if (held_.size() == before) return true;
        state.q = open_q_;
        const ClosingReport together = dynamics.close_coordinates(state, &held_, step_);
        if (!together.closed || !is_closed(together)) break;
        closing = together;
    }
    state.q = pressed_q_;
    forward_kinematics(state, dynamics.ws);
    return false;
}

StepOutcome EqualityClosing::close(JointState<double>& state, double h, const SubstepRules& rules,
                                   StepReport& report) {
    step_ = h;
    SmoothDynamics& dynamics = context_.motion.dynamics;
    gaps_.note_parted();
    open_q_ = state.q;
    ClosingReport closing = dynamics.close_coordinates(state, nullptr, h);
    if (rules.last_try && !is_closed(closing)) {
        // Steps cannot be shorter: with changes as short as they have to be.
        held_.clear();
        state.q = open_q_;
        closing = dynamics.close_coordinates(state, &held_, h);
    }
    const ClosingReport alone = closing;
    if (closing.closed && !press_back(state, closing)) {
        closing = alone;
        double deepest = 0;
        for (const HeldContact& contact : gaps_.contacts())
            deepest = std::max(deepest, gaps_.pressed_by(contact));
        if (deepest > tuning.max_pressed && !rules.may_be_pressed) return StepOutcome::astray;
    }
    const bool closed = is_closed(closing) || closing.relative <= tuning.max_opened * context_.open_before ||
                        (rules.last_try && closing.error <= tuning.open_at_last);
    if (!closing.closed || !closed) {
        where_ = closing.closed ? dynamics.describe(dynamics.equality_errors(state)) : closing.where;
        return StepOutcome::open;
    }
    report.equality_error = std::max(report.equality_error, closing.error);
    left_open_ = closing.relative;
    closed_q_ = state.q;
    return StepOutcome::moved;
}

}  // namespace lig
