#include "formulations/reduced/event_loop.h"

#include "formulations/reduced/tuning.h"

#include <algorithm>

namespace lig {

namespace {

constexpr const EventTuning& tuning = event_tuning;

}  // namespace

void EventLoop::step_by_velocity(JointState<double>& state, double h, const std::string& why,
                                 Progress& progress, const Callbacks& callbacks, StepReport& report) {
    if (report.fallbacks++ == 0) report.fallback = "velocity steps: " + why;
    std::fill(context_.warm.lambda.begin(), context_.warm.lambda.end(), 0.0);
    velocity_.take(state, h, true, callbacks, report);
    progress.remaining -= h;
    if (report.status != StepStatus::not_converged) return;
    report.status = StepStatus::ok;
    if (progress.status != StepStatus::ok) return;
    progress.status = StepStatus::not_converged;
    progress.where = report.where;
}

// Puts the state back onto its equalities.
void EventLoop::close(JointState<double>& state, StepReport& report) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    if (!dynamics.has_equalities()) return;
    const ClosingReport closing = dynamics.close_equalities(state);
    report.equality_error = std::max(report.equality_error, closing.error);
    if (closing.closed) return;
    report.status = StepStatus::equality_open;
    report.where = closing.where;
}

// The next sub-step.
void EventLoop::advance(JointState<double>& state, double dt, Progress& progress, const Callbacks& callbacks,
                        StepReport& report) {
    context_.impulse_time = 1;
    const EventStep::Result result = event_->advance(state, progress.remaining, callbacks, report);
    switch (result.outcome) {
        case EventStep::Outcome::moved:
            if (result.time > progress.piece) progress.piece = dt / tuning.fallback_parts;
            progress.remaining -= result.time;
            ++report.substeps;
            close(state, report);
            break;
        case EventStep::Outcome::jumped: break;
        case EventStep::Outcome::idle:
            if (smooth_.take(state, progress.remaining, callbacks, true, report))
                progress.remaining = 0;
            else if (report.status == StepStatus::ok)
                step_by_velocity(state, progress.remaining, "forces are too stiff", progress, callbacks,
                                 report);
            break;
        case EventStep::Outcome::stuck:
            if (report.status != StepStatus::ok) break;
            step_by_velocity(state,
                             result.forceless ? progress.remaining
                                              : std::min(progress.remaining, progress.piece),
                             result.why, progress, callbacks, report);
            progress.piece *= 2;
            break;
    }
}

void EventLoop::take(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report) {
    const int max_events = context_.options.event.max_events;
    if (!event_) event_.emplace(context_);
    event_->begin(dt);
    Progress progress{.remaining = dt, .piece = dt / tuning.fallback_parts};
    while (progress.remaining > 1e-12 * dt && report.status == StepStatus::ok) {
        if (report.events < max_events &&
            report.substeps + report.rejected < tuning.attempts_per_event * max_events) {
            advance(state, dt, progress, callbacks, report);
            continue;
        }
        const std::string why = "more than " + std::to_string(max_events) + " events in one step";
        step_by_velocity(state, progress.remaining, why, progress, callbacks, report);
        progress.status = StepStatus::too_many_events;
        progress.where = why + "; the rest of it was made by velocity steps";
    }
    if (!was_taken(report)) return;
    if (event_->find_forces(state, callbacks, report))
        context_.keep_forces(state, event_->rows(), event_->accelerations());
    else
        context_.last.kind = SubstepKind::none;
    if (report.status != StepStatus::ok) return;
    report.status = progress.status;
    report.where = progress.where;
}

}  // namespace lig
