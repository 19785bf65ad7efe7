#include "formulations/smooth_step.h"

#include "constraints/contact_rows.h"

#include <algorithm>

namespace lig {

namespace {

// Steps of the smooth integrator within one of an automatic step: where more are needed, it is looked whether
// velocity steps, which are implicit, would do better; and where they would not, how many it takes at most.
constexpr int max_smooth_steps = 1000, max_patient_steps = 10000;

StepStatus status_of(MotionStatus status) {
    switch (status) {
        case MotionStatus::ok: return StepStatus::ok;
        case MotionStatus::step_too_small: return StepStatus::step_too_small;
        case MotionStatus::equality_open: return StepStatus::equality_open;
        case MotionStatus::not_converged: return StepStatus::not_converged;
        case MotionStatus::control_failed: return StepStatus::callback_failed;
        default: return StepStatus::non_finite;
    }
}

}  // namespace

SmoothStep::SmoothStep(StepContext& context, SmoothStepper& stepper, Stiffness& stiffness)
    : context_(context), stepper_(stepper), stiffness_(stiffness), began_(*context.model) {
    context.bodies = &stepper;
}

SmoothOptions SmoothStep::options_of(double h, int max_steps, const Callbacks& callbacks) const {
    SmoothOptions smooth;
    smooth.step = h;
    smooth.tolerance = context_.options.tolerance;
    smooth.max_steps = max_steps;
    smooth.control = callbacks.control;
    return smooth;
}

void SmoothStep::take_back(JointState<double>& state) {
    state = began_;
    stepper_.state_was_set(state);
    stepper_.restore_bodies(began_bodies_);
}

// Goes on with a motion that has used up its first steps, where that is worth it: velocity steps have nothing
// to offer, and the rest takes no more than the most of them.
MotionReport SmoothStep::go_on(JointState<double>& state, double h, const MotionReport& first,
                               SmoothOptions& smooth, int allowed) {
    const double moved = state.time - began_.time;
    const int used = first.steps + first.rejected;
    if (used < max_smooth_steps || moved * max_patient_steps < h * used ||
        stiffness_.has_stiff_forces(began_, h))
        return first;
    smooth.step = h - moved;
    smooth.max_steps = std::min(allowed, max_patient_steps) - used;
    if (smooth.max_steps <= 0) return first;
    MotionReport rest = stepper_.advance(state, h - moved, smooth);
    rest.add(first);
    return rest;
}

bool SmoothStep::take(JointState<double>& state, double h, const Callbacks& callbacks, bool may_give_up,
                      StepReport& report) {
    const SimulationOptions& options = context_.options;
    const int allowed = std::max(1, options.max_substeps - report.substeps);
    // A method that was asked for by name does not give up for another.
    const bool may_change = may_give_up && options.integrator == SmoothIntegrator::automatic &&
                            allowed >= max_smooth_steps;
    SmoothOptions smooth = options_of(h, may_change ? max_smooth_steps : allowed, callbacks);
    if (may_give_up) {
        began_ = state;
        stepper_.save_bodies(began_bodies_);
    }
    const OutsideImpulses outside = context_.momentum ? context_.momentum->sum : OutsideImpulses{};
    const RestOfTime rest(options.timed ? &report.seconds : nullptr, StepStage::advance);
    MotionReport moved = stepper_.advance(state, h, smooth);
    if (may_change && moved.status == MotionStatus::step_too_small)
        moved = go_on(state, h, moved, smooth, allowed);
    stepper_.give_stage_times(report.seconds);
    // Velocity steps hold equalities that are taut, which no smooth method may.
    if (may_change &&
        (moved.status == MotionStatus::step_too_small || moved.status == MotionStatus::equality_open ||
         (moved.status == MotionStatus::not_converged && options.implicit.newton == 0))) {
        take_back(state);
        if (context_.momentum) context_.momentum->sum = outside;
        report.rejected += moved.steps + moved.rejected;
        if (!stiffness_.has_stiff_forces(state, h) && report.fallbacks++ == 0)
            report.fallback =
                "velocity steps: smooth ones would have to be too short, although no force is "
                "stiff; what they lose is in the ledger";
        return false;
    }
    // Contacts that are near do not act.
    store_contact_impulses({}, context_.collision.contacts);
    return note(moved, report);
}

bool SmoothStep::take_whole(JointState<double>& state, double dt, const Callbacks& callbacks,
                            StepReport& report) {
    const SimulationOptions& options = context_.options;
    SmoothOptions smooth = options_of(dt, options.max_substeps, callbacks);
    const RestOfTime rest(options.timed ? &report.seconds : nullptr, StepStage::advance);
    const bool moved = note(stepper_.advance(state, dt, smooth), report);
    stepper_.give_stage_times(report.seconds);
    return moved;
}

// Takes what a motion did over into the report. False: it failed.
bool SmoothStep::note(const MotionReport& moved, StepReport& report) {
    report.substeps += moved.steps;
    report.smooth_steps += moved.steps;
    report.rejected += moved.rejected;
    report.newton_iterations += moved.newton_iterations;
    report.projected_steps += moved.projected_steps;
    report.energy.flows += moved.work;
    report.energy.before += moved.found_elastic;
    report.equality_rows = moved.equality_rows;
    report.redundant_rows = moved.redundant_rows;
    report.joint_error = std::max(report.joint_error, moved.joint_error);
    report.equality_error = std::max(report.equality_error, moved.equality_error);
    report.penetration = std::max(report.penetration, moved.penetration);
    report.limit_violation = std::max(report.limit_violation, moved.limit_violation);
    context_.last.kind = SubstepKind::smooth;
    if (moved.status == MotionStatus::ok) return true;
    report.status = status_of(moved.status);
    report.given_up = report.status == StepStatus::not_converged;
    report.where = moved.where;
    return false;
}

}  // namespace lig
