#include "formulations/velocity_formulation.h"

#include "constraints/contact_rows.h"
#include "model/split_inertia.h"
#include "simulation/stopwatch.h"

#include <algorithm>

namespace lig {

namespace {

// Steps of the smooth integrator within one of an automatic step: where more are needed, it is looked whether
// velocity steps, which are implicit, would do better; and where they would not, how many it takes at most.
constexpr int max_smooth_steps = 1000, max_patient_steps = 10000;
// Of the inertia of a freedom: springs and dampers with more of it, within a step, are stiff.
constexpr double stiff_share = 0.2;
// Relative to the parts: equalities that are given open by less are closed in passing.
constexpr double given_closed = 1e-5;

}  // namespace

VelocityFormulation::VelocityFormulation(std::shared_ptr<const Model> model,
                                         const SimulationOptions& options)
    : Formulation(model, options),
      smooth_impulses_(*model),
      turning_(*model),
      trees_(*model),
      transport_(*model),
      factor_(*model),
      carried_(model->tree.links.size()),
      held_back_(model->tree.links.size()),
      kept_motion_(model->tree.links.size()),
      pose_drive_(*model),
      equalities_(*model),
      impacts_(options),
      surroundings_(*model),
      tried_(*model) {
    for (std::vector<double>* v : {&moving_, &x_, &zero_, &correction_, &uncorrected_, &curved_, &resisted_,
                                   &driven_, &after_, &closing_})
        v->assign(model->nv, 0.0);
    earlier_.reserve(warm.lambda.size());
    brake_.reserve(model->nv);
    closed_q_.reserve(model->nq);
    for (const Model::Tendon& tendon : model->tendons)
        tendons_are_limited_ = tendons_are_limited_ || tendon.range != Range{};
    if (tendons_are_limited_) tendon_gaps_.resize(model->tendons.size());
    if (LimitClosure::needed_by(*model)) limit_closure_ = std::make_unique<LimitClosure>(*model);
    driven_terms_.reserve(JointTerms(*model).added.size());
}

// What does not fit before anything moves has been given so: to put it right is no affair of the method. What
// is too far open for that is left to how the formulation moves on.
void VelocityFormulation::close_first(JointState<double>& state, StepReport& report) {
    SmoothDynamics& dynamics = motion.dynamics;
    open_before_ = dynamics.equality_errors(state).relative;
    if (last.kind != SubstepKind::none || has_bodies_of(state)) return;
    if (open_before_ <= given_closed && dynamics.velocities_fit(state)) return;
    const Energy<double> before = energy_of(state);
    const ClosingReport closing = dynamics.close_equalities(state);
    given_open = !closing.closed;
    if (given_open) return;
    const Energy<double> after = energy_of(state);
    report.energy.flows.corrections += before.kinetic + before.potential - after.kinetic - after.potential;
    open_before_ = closing.relative;
    state_was_set(state);
}

bool VelocityFormulation::close(JointState<double>& state, StepReport& report) {
    if (!motion.dynamics.has_equalities()) return true;
    const ClosingReport closing = motion.dynamics.close_equalities(state);
    report.equality_error = std::max(report.equality_error, closing.error);
    if (closing.closed) return true;
    report.status = StepStatus::equality_open;
    report.where = closing.where;
    return false;
}

// Whether springs, dampers or drives are stiff for a step of length h. What else makes smooth steps short, as
// tension of light links does, velocity steps would only damp away.
bool VelocityFormulation::has_stiff_forces(const JointState<double>& state, double h) {
    find_stiffness(state, h);
    if (has_stiff_rows()) return true;
    const Workspace<double>& ws = motion.dynamics.ws;
    const Tree<double>& tree = model_->tree;
    const JointTerms& terms = algebra().terms;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, tree.links[i].inertia);
        for (int k = tree.links[i].v_adr; k < tree.links[i].v_adr + tree.links[i].nv; ++k)
            if (terms.added[terms.added_at(k, k)] >
                stiff_share * (dot(ws.S[k], own * ws.S[k]) + tree.armature[k]))
                return true;
    }
    return false;
}

// Goes on with a smooth motion that has used up its first steps, where that is worth it: velocity steps have
// nothing to offer, and the rest takes no more than the most of them. `tried_` is where it began.
MotionReport VelocityFormulation::go_on_smoothly(JointState<double>& state, double h,
                                                 const MotionReport& first, SmoothOptions& smooth,
                                                 int allowed) {
    const double made = state.time - tried_.time;
    const int used = first.steps + first.rejected;
    if (used < max_smooth_steps || made * max_patient_steps < h * used || has_stiff_forces(tried_, h))
        return first;
    smooth.step = h - made;
    smooth.most_steps = std::min(allowed, max_patient_steps) - used;
    if (smooth.most_steps <= 0) return first;
    MotionReport rest = advance_smoothly(state, h - made, smooth);
    rest.add(first);
    return rest;
}

bool VelocityFormulation::smooth_step(JointState<double>& state, double h, const Callbacks& callbacks,
                                      bool may_give_up, StepReport& report) {
    const int allowed = std::max(1, options_.max_substeps - report.substeps);
    // A method that was asked for by name does not give up for another.
    const bool may_change = may_give_up && options_.integrator == SmoothIntegrator::automatic &&
                            allowed >= max_smooth_steps;
    SmoothOptions smooth;
    smooth.step = h;
    smooth.tolerance = options_.tolerance;
    smooth.most_steps = may_change ? max_smooth_steps : allowed;
    smooth.control = callbacks.control;
    if (may_give_up) {
        tried_ = state;
        save_bodies(tried_bodies_);
    }
    const OutsideImpulses outside = momentum_ ? momentum_->sum : OutsideImpulses{};
    const RestOfTime rest(options_.timed ? &report.seconds : nullptr, StepStage::advance);
    MotionReport made = advance_smoothly(state, h, smooth);
    if (may_change && made.status == MotionStatus::step_too_small)
        made = go_on_smoothly(state, h, made, smooth, allowed);
    take_stage_times(report.seconds);
    // Velocity steps hold equalities that are taut, which no smooth method may.
    if (may_change &&
        (made.status == MotionStatus::step_too_small || made.status == MotionStatus::equality_open ||
         (made.status == MotionStatus::not_converged && options_.implicit.newton == 0))) {
        state = tried_;
        state_was_set(state);
        restore_bodies(tried_bodies_);
        if (momentum_) momentum_->sum = outside;
        report.rejected += made.steps + made.rejected;
        if (!has_stiff_forces(state, h) && report.fallbacks++ == 0)
            report.fallback =
                "velocity steps: smooth ones would have to be too short, although no force is "
                "stiff; what they lose is in the ledger";
        return false;
    }
    // Contacts that are near do not act.
    store_contact_impulses({}, collision.contacts);
    return note(made, report);
}

bool VelocityFormulation::note(const MotionReport& made, StepReport& report) {
    report.substeps += made.steps;
    report.smooth_steps += made.steps;
    report.rejected += made.rejected;
    report.newton_iterations += made.newton_iterations;
    report.projected_steps += made.projected_steps;
    report.energy.flows += made.work;
    report.energy.before += made.found_elastic;
    report.equality_rows = made.equality_rows;
    report.redundant_rows = made.redundant_rows;
    report.joint_error = std::max(report.joint_error, made.joint_error);
    report.equality_error = std::max(report.equality_error, made.equality_error);
    report.penetration = std::max(report.penetration, made.penetration);
    report.limit_violation = std::max(report.limit_violation, made.limit_violation);
    last.kind = SubstepKind::smooth;
    if (made.status == MotionStatus::ok) return true;
    report.status = made.status == MotionStatus::non_finite       ? StepStatus::non_finite
                    : made.status == MotionStatus::step_too_small ? StepStatus::step_too_small
                    : made.status == MotionStatus::equality_open  ? StepStatus::equality_open
                    : made.status == MotionStatus::not_converged  ? StepStatus::not_converged
                    : made.status == MotionStatus::control_failed ? StepStatus::callback_failed
                                                                  : StepStatus::non_finite;
    report.given_up = report.status == StepStatus::not_converged;
    report.where = made.where;
    return false;
}

void VelocityFormulation::step_automatically(JointState<double>& state, double dt, const Callbacks& callbacks,
                                             StepReport& report) {
    step_by_velocity(state, dt, true, callbacks, report);
}

void VelocityFormulation::step_by_events(JointState<double>&, double, const Callbacks&, StepReport& report) {
    report.status = StepStatus::bad_arguments;
    report.where = "the formulation has no steps from event to event";
}

void VelocityFormulation::keep_forces(const JointState<double>& state, const Rows& rows,
                                      std::span<const double> accelerations) {
    rows_ = rows;
    std::copy(accelerations.begin(), accelerations.end(), change_.begin());
    last.kind = SubstepKind::velocity;
    last.h = impulse_time = 1;
    last.before = state;
}

void VelocityFormulation::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                                    StepReport& report) {
    given_open = false;
    if (motion.dynamics.has_equalities()) close_first(state, report);
    switch (options_.stepping) {
        case Stepping::smooth: smooth_step(state, dt, callbacks, false, report); break;
        case Stepping::event: step_by_events(state, dt, callbacks, report); break;
        case Stepping::automatic: step_automatically(state, dt, callbacks, report); break;
        case Stepping::velocity: step_by_velocity(state, dt, false, callbacks, report); break;
    }
    report.rows = static_cast<int>(rows_.rows.size());
}

}  // namespace lig
