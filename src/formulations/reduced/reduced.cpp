#include "formulations/reduced/reduced.h"

#include "formulations/capabilities.h"

#include <algorithm>

namespace lig {

namespace {

// Where an event step does not exist, this part of the step is made by velocity steps.
constexpr double fallback_parts = 8;
// Sub-steps of an event step, with those that were taken again, per event that is allowed.
constexpr int attempts_per_event = 5;

}  // namespace

Reduced::Reduced(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : VelocityFormulation(model, options), algebra_(*model, collision.contacts, options) {}

constinit const formulations::Capabilities Reduced::capabilities{
    .lacks = {},
    .coordinates = {Coordinates::automatic, Coordinates::joint},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::event, Stepping::smooth},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::euler, SmoothIntegrator::rk4,
                   SmoothIntegrator::rk45},
    .own_options = "event",
    .on_bodies = false,
    .smooth_steps = "Dormand-Prince steps by their error where nothing is touched",
};

MotionReport Reduced::advance_smoothly(JointState<double>& state, double duration, SmoothOptions& options) {
    options.method = options_.integrator == SmoothIntegrator::euler ? SmoothMethod::euler
                     : options_.integrator == SmoothIntegrator::rk4 ? SmoothMethod::rk4
                                                                    : SmoothMethod::rk45;
    return motion.advance(state, duration, options);
}

// From event to event. What event steps cannot do, velocity steps do, and the report says so.
void Reduced::step_by_events(JointState<double>& state, double dt, const Callbacks& callbacks,
                             StepReport& report) {
    const EventStep::Scene scene{motion, collision, warm, pose_targets, tracking, events};
    if (!event_) event_.emplace(model_, options_);
    event_->begin(dt);
    double remaining = dt;
    double piece = dt / fallback_parts;  // grows while it is needed
    std::string not_converged;
    const auto by_velocity = [&](double h, const std::string& why) {
        if (report.fallbacks++ == 0) report.fallback = "velocity steps: " + why;
        std::fill(warm.lambda.begin(), warm.lambda.end(), 0.0);
        step_by_velocity(state, h, true, callbacks, report);
        remaining -= h;
        if (report.status != StepStatus::not_converged) return;
        report.status = StepStatus::ok;  // told at the end: the rest of the step is yet to be made
        if (not_converged.empty()) not_converged = report.where;
    };
    while (remaining > 1e-12 * dt && report.status == StepStatus::ok) {
        if (report.events >= options_.event.max_events ||
            report.substeps + report.rejected >= attempts_per_event * options_.event.max_events) {
            const std::string why =
                "more than " + std::to_string(options_.event.max_events) + " events in one step";
            by_velocity(remaining, why);
            if (report.status != StepStatus::ok) break;
            report.status = StepStatus::too_many_events;
            report.where = why + "; the rest of it was made by velocity steps";
            break;
        }
        impulse_time = 1;
        const EventStep::Result made = event_->advance(scene, state, remaining, callbacks, report);
        switch (made.outcome) {
            case EventStep::Outcome::moved:
                if (made.time > piece) piece = dt / fallback_parts;
                remaining -= made.time;
                ++report.substeps;
                close(state, report);
                break;
            case EventStep::Outcome::jumped: break;
            case EventStep::Outcome::idle:
                if (smooth_step(state, remaining, callbacks, true, report))
                    remaining = 0;
                else if (report.status == StepStatus::ok)
                    by_velocity(remaining, "forces are too stiff");
                break;
            case EventStep::Outcome::stuck:
                if (report.status != StepStatus::ok) break;
                by_velocity(made.forceless ? remaining : std::min(remaining, piece), made.why);
                piece *= 2;
                break;
        }
    }
    if (!was_taken(report)) return;
    if (report.status == StepStatus::ok && !not_converged.empty()) {
        report.status = StepStatus::not_converged;
        report.where = not_converged;
    }
    if (!event_->forces_at(scene, state, callbacks, report)) {
        last.kind = SubstepKind::none;
        return;
    }
    keep_forces(state, event_->rows(), event_->accelerations());
}

}  // namespace lig
