#include "formulations/implicit/difference_stepper.h"

#include "constraints/contact_rows.h"

#include <algorithm>
#include <cmath>

namespace lig::implicit {

DifferenceStepper::DifferenceStepper(StepContext& context, bool with_penalties)
    : context_(context),
      bodies_in_time_(context.model),
      bodies_(*context.model),
      accelerations_(context.model->nv) {
    bodies_in_time_.stages.on = context.options.timed;
    if (!with_penalties) return;
    const ImplicitOptions& options = context.options.implicit;
    bodies_in_time_.touching.reset(
        new ImplicitTouching{{*context.model, options.penalty_frequency, options.penalty_dissipation},
                             {},
                             Surroundings(*context.model),
                             context.collision,
                             CollisionWorkspace(context.model),
                             context.events,
                             context.impulse_time,
                             context.options.threads});
}

void DifferenceStepper::state_was_set(const JointState<double>& state) {
    bodies_.state_was_set(state);
    bodies_in_time_.forget(state);
}

void DifferenceStepper::save_or_restore(NumberStream& numbers) {
    ImplicitMotion::History& history = bodies_in_time_.history;
    bodies_.save_or_restore_belongs(numbers);
    history.pace.save_or_restore(numbers);
    numbers.number(history.before);
    numbers.number(history.impulse_time);
    for (std::size_t i = 0; i < history.bodies.x.size(); ++i) {
        bodies_.save_or_restore(i, numbers);
        save_or_restore_pose(i, history.bodies, numbers);
    }
    save_or_restore_shapes(bodies_.coordinates, numbers);
    save_or_restore_shapes(history.bodies, numbers);
    for (std::vector<double>* v : {&history.momenta, &history.velocities, &history.impulses})
        numbers.numbers(*v);
    for (Vec3d& e : bodies_in_time_.springs()) numbers.vector(e);
    for (const EnergyFlow& flow : energy_flows) numbers.number(history.work.*flow.value);
    numbers.number(history.penalties);
    for (const MomentumFlow& flow : momentum_flows) numbers.spatial(history.outside.flows.*flow.value);
    numbers.spatial(history.outside.on_floating);
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their equalities.
bool DifferenceStepper::find_bodies(JointState<double>& state, MotionReport& report) {
    if (bodies_.match(state)) return true;
    bodies_in_time_.forget(state);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    if (dynamics.has_equalities()) {
        const ClosingReport closing = dynamics.close_equalities(state);
        if (!closing.closed) {
            report.status = MotionStatus::equality_open;
            report.where = closing.where;
            return false;
        }
    }
    forward_kinematics(state, dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(dynamics.ws, state, bodies_.coordinates);
    return true;
}

double DifferenceStepper::penalty_energy() const {
    return std::max(bodies_in_time_.history.penalties, 0.0);
}

void DifferenceStepper::keep_penalties(const JointState<double>& state) {
    const ImplicitTouching& touching = *bodies_in_time_.touching;
    if (!touching.penalties.act() && !touching.clips.act()) return;
    const ImplicitMotion::History& history = bodies_in_time_.history;
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    forward_kinematics(state, context_.motion.dynamics.ws);
    if (!ws.model().tendon_couplings.empty()) update_drives(state, ws, context_.motion.dynamics.drives);
    for (std::size_t k = 0; k < accelerations_.size(); ++k)
        accelerations_[k] = (state.v[k] - history.velocities[k]) / history.before;
    acting_.clear();
    terms_.clear();
    const maximal::BodySystem& system = bodies_in_time_.dynamics.system;
    for (std::size_t e = 0; e < system.graph.equalities().size(); ++e) {
        const maximal::BodyGraph::Equality& equality = system.graph.equalities()[e];
        const std::size_t first = acting_.rows.size();
        const EqualityState now{state, ws, &context_.motion.dynamics.drives, state.time, false};
        Equalities::add(equality, now, acting_, terms_);
        for (std::size_t r = first; r < acting_.rows.size(); ++r)
            acting_.rows[r].lambda =
                -history.impulses[equality.begin + terms_[r].part] / history.impulse_time;
    }
    touching.penalties.add_acting_rows(context_.motion.dynamics.drives, acting_);
    touching.clips.add_acting_rows(acting_);
    add_contact_rows(context_.collision.contacts, ws, {.h = 1, .reach_speed = HUGE_VAL}, 1, acting_);
    context_.keep_forces(state, acting_, accelerations_);
}

MotionReport DifferenceStepper::advance(JointState<double>& state, double duration, SmoothOptions& options) {
    MotionReport report;
    if (!find_bodies(state, report)) return report;
    if (bodies_in_time_.touching) {
        bodies_in_time_.pose_targets = context_.pose_targets.active() ? &context_.pose_targets : nullptr;
        bodies_in_time_.tracking =
            context_.tracking.acts(state.time, duration) ? &context_.tracking : nullptr;
    }
    DifferenceOptions settings;
    settings.method = context_.options.integrator == SmoothIntegrator::bdf2 ? Difference::bdf2
                                                                            : Difference::euler;
    settings.step = duration;
    settings.newton = context_.options.implicit.newton;
    settings.geometric_stiffness = context_.options.implicit.geometric_stiffness;
    return bodies_.advance(bodies_in_time_, context_.motion.dynamics, state, duration, options, settings);
}

}  // namespace lig::implicit
