#include "formulations/velocity/step_advance.h"

#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "constraints/row_rate.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity/tuning.h"
#include "model/named.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

}  // namespace

StepAdvance::StepAdvance(StepContext& context, StepAlgebra& algebra, const StepEquations& equations,
                         StepImpulses& impulses, StepChecks& checks)
    : context_(context),
      algebra_(algebra),
      equations_(equations),
      impulses_(impulses),
      checks_(checks),
      gaps_(context, impulses),
      closing_(context, gaps_),
      limits_(context, equations, gaps_),
      ends_(context, algebra, equations),
      ledger_(context, algebra, equations, impulses.after.lambda, impulses.rate),
      moving_(context.model->nv),
      uncorrected_(context.model->nv),
      correction_(context.model->nv),
      kept_motion_(context.model->tree.links.size()),
      tried_(*context.model) {
    brake_.reserve(context.model->nv);
}

StepOutcome StepAdvance::advance(JointState<double>& state, double h, const SubstepRules& rules,
                                 StepReport& report) {
    const Stopwatch watch(report, StepStage::advance, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const bool dynamic = context_.options.multiplier.law == Law::dynamic;
    algebra_.outward(impulses_.after.s, context_.velocity_change);
    if (!velocities_are_finite(report)) return StepOutcome::failed;
    EnergyFlows flows;
    ledger_.add_flows(state, h, flows);
    if (context_.momentum) ledger_.propose_impulses(h);
    ends_.find_momenta();
    const bool corrects = find_moving(state, h, report);
    const bool in_flight =
        !corrects && ends_.flies(impulses_.after.lambda) && ends_.take_off(state, h, moving_);
    const TreeMomenta::Step step{context_.rows, impulses_.after.lambda, ends_.momenta(),
                                 ends_.held_back(), equations_.curvature, moving_,
                                 h};
    if (dynamic) ends_.trees.note(dynamics.ws, step);
    if (dynamics.has_equalities()) gaps_.note();

    context_.last.kind = SubstepKind::velocity;
    context_.last.h = h;
    context_.last.before = state;
    context_.move_beside_coordinates(state, h);
    if (corrects) flows.corrections += potential_without_corrections(state, h);
    integrate<double>(dynamics.ws, state.q, moving_, h, state.q);
    forward_kinematics(state, dynamics.ws);
    ends_.trees.place(step, dynamics.ws, state.q);
    StepOutcome outcome = put_right(state, h, rules, report);
    if (outcome == StepOutcome::moved) {
        flows.corrections +=
            corrects ? -context_.energy_here(state).potential : limits_.potential_lost();
        if (dynamic) find_end_velocities(state, h, in_flight);
        dynamics.fit_velocities(state, h);
        if (context_.model->nkinematic > 0) {
            update_link_velocities(state.v, dynamics.ws);
            flows.kinematic += ends_.trees.work_of_bases(dynamics.ws);
        }
        if (rules.watches_energy && !admits(state, rules, flows, report)) outcome = StepOutcome::astray;
    }
    if (outcome != StepOutcome::moved) {
        state = context_.last.before;
        return outcome;
    }
    report.energy.flows += flows;
    if (context_.momentum) context_.momentum->accept();
    for (std::size_t k = 0; k < state.v.size(); ++k)
        context_.velocity_change[k] = state.v[k] - context_.last.before.v[k];
    context_.keep_impulses(impulses_.after.lambda, h);
    context_.bodies->state_was_set(state);
    return StepOutcome::moved;
}

bool StepAdvance::velocities_are_finite(StepReport& report) const {
    for (const Model::Joint& joint : context_.model->joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(context_.velocity_change[k])) {
                report.status = StepStatus::non_finite;
                report.where =
                    "the velocity of " + named(*context_.model, joint) + " would not be finite";
                return false;
            }
    return true;
}

// moving_: the velocities that coordinates move by, as impulses without bounce have them, and with the
// corrections of errors if there are any. Returns whether there are.
bool StepAdvance::find_moving(const JointState<double>& state, double h, StepReport& report) {
    if (impulses_.bounces())
        algebra_.outward(impulses_.landing.s, moving_);
    else
        std::copy(context_.velocity_change.begin(), context_.velocity_change.end(), moving_.begin());
    const bool corrects = impulses_.corrects();
    if (corrects)
        for (std::size_t i = 0; i < kept_motion_.size(); ++i)
            kept_motion_[i] = algebra_.link_motion(static_cast<int>(i));
    for (std::size_t k = 0; k < moving_.size(); ++k) moving_[k] += state.v[k];
    if (corrects) correct(state, h, report);
    return corrects;
}

// The share of the correction by which no link is too fast or turns too far. The algebra's link motions are
// of the whole change; of it the correction is what moving_ does not have.
double StepAdvance::correction_share(double h) const {
    const std::vector<TreeLink<double>>& links = context_.model->tree.links;
    double fastest = 0, spin = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const TreeLink<double>& link = links[i];
        if (!(link.inertia.mass > 0)) continue;
        const Vec3d com =
            context_.motion.dynamics.ws.poses[i].X_WL.R * ((1 / link.inertia.mass) * link.inertia.h);
        const Motion<double> by_correction = algebra_.link_motion(static_cast<int>(i)) - kept_motion_[i];
        fastest = std::max(fastest, length(shift(by_correction, com).lin));
        spin = std::max(spin, length(by_correction.ang));
    }
    return 1 / std::max({1.0, fastest / tuning.max_correction_speed, h * spin / tuning.max_correction_turn});
}

// Adds to moving_ the velocities that remove errors; what they were before is in uncorrected_ afterwards.
// Something deep inside something else is not pushed out at the price of a limit; nor by a way that is so
// long that the contact bends, and half of it would have got it out farther: then by half as much, or less.
// Bodies that joints hold in each other would leap to and fro for ever.
void StepAdvance::correct(const JointState<double>& state, double h, StepReport& report) {
    const Model& model = *context_.model;
    impulses_.correct(report);
    algebra_.outward(impulses_.landing.s, correction_);
    // What follows a clip is to get to where it is to be.
    const double whole = equations_.whole_curvature ? 1 : correction_share(h);
    for (int k = 0; k < model.nv; ++k) correction_[k] += state.v[k] - moving_[k];
    double allowed = std::max(tuning.limit_tolerance, largest_limit_violation(state, model).size);
    const auto beyond = [&](const std::vector<double>& velocities) {
        integrate<double>(context_.motion.dynamics.ws, state.q, velocities, h, tried_.q);
        return largest_limit_violation(tried_, model).size;
    };
    uncorrected_ = moving_;
    const auto move_by = [&](double share) {
        for (int k = 0; k < model.nv; ++k) moving_[k] = uncorrected_[k] + share * correction_[k];
    };
    const bool deep = checks_.deepest() > tuning.passing_tolerance;
    const auto overlap_by = [&](double share) {
        move_by(share);
        return overlap_behind(state, moving_, h);
    };
    const double left = deep ? overlap_by(0) : 0;
    double overlap = deep ? overlap_by(whole) : 0;
    for (double share = whole; share > 0.1 * whole; share *= 0.5) {
        const double by_half = deep ? overlap_by(0.5 * share) : 0;
        const bool gets_out = overlap <= std::min(left, by_half) + tuning.passed_rounding;
        overlap = by_half;
        move_by(share);
        const double corrected = beyond(moving_);
        // Nor is it kept back for what the step does to limits without it.
        if (corrected > allowed && share == whole) allowed = std::max(allowed, beyond(uncorrected_));
        if (corrected <= allowed && gets_out) return;
    }
    moving_ = uncorrected_;
}

// By how much geoms would be in each other behind the step, equalities closed.
double StepAdvance::overlap_behind(const JointState<double>& state, std::span<const double> velocities,
                                   double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    tried_.time = state.time + h;
    tried_.kinematic = state.kinematic;
    for (BaseMotion<double>& base : tried_.kinematic) base = moved(base, h);
    integrate<double>(dynamics.ws, state.q, velocities, h, tried_.q);
    forward_kinematics(tried_, dynamics.ws);
    if (dynamics.has_equalities()) dynamics.close_coordinates(tried_, nullptr, h);
    const double overlap = checks_.overlap_here();
    forward_kinematics(state, dynamics.ws);
    return overlap;
}

// Where the step would lead without corrections.
double StepAdvance::potential_without_corrections(const JointState<double>& state, double h) {
    tried_.kinematic = state.kinematic;
    tried_.loop_q = state.loop_q;
    integrate<double>(context_.motion.dynamics.ws, state.q, uncorrected_, h, tried_.q);
    return context_.energy_of(tried_).potential;
}

// Equalities closed and limits put back. After forward_kinematics of the state.
StepOutcome StepAdvance::put_right(JointState<double>& state, double h, const SubstepRules& rules,
                                   StepReport& report) {
    const bool has_equalities = context_.motion.dynamics.has_equalities();
    if (has_equalities) {
        const StepOutcome closed = closing_.close(state, h, rules, report);
        if (closed != StepOutcome::moved) return closed;
        algebra_.equalities_open = closing_.left_open();
    }
    limits_.put_back(state, h);
    if (limits_.were_put_back() && has_equalities)
        algebra_.equalities_open = std::max(algebra_.equalities_open, limits_.left_open());
    if (!rules.may_be_pressed && checks_.leads_astray(state, h, limits_.stay_passed()))
        return StepOutcome::astray;
    return StepOutcome::moved;
}

// Before they are put onto the equalities.
void StepAdvance::find_end_velocities(JointState<double>& state, double h, bool in_flight) {
    if (limits_.were_put_back()) {
        state.q.swap(limits_.passed_q());
        forward_kinematics(state, context_.motion.dynamics.ws);
    }
    ends_.find(state, in_flight);
    if (limits_.were_put_back()) ends_.carry(state, limits_.passed_q());
    ends_.restore_trees(state);
    if (context_.motion.dynamics.has_equalities())
        ends_.slow_down_with_closing(state, closing_.open_q(), closing_.closed_q(), h);
}

// Whether the energy of the state, after a sub-step with these flows, is not far above what it may be. Where
// sub-steps cannot be shorter the surplus is taken out. What runs away within a step would be beyond all
// numbers before the guard of the whole step sees it.
bool StepAdvance::admits(JointState<double>& state, const SubstepRules& rules, EnergyFlows& flows,
                         StepReport& report) {
    const Energy<double> before = context_.energy_of(context_.last.before), after = context_.energy_of(state);
    const double given = flows.drives + flows.applied + flows.kinematic + std::max(0.0, -flows.corrections) +
                         std::max(0.0, -flows.dampers);
    const double risen = after.kinetic + after.potential - before.kinetic - before.potential - given;
    const double surplus =
        std::min(risen - tuning.max_made * after.kinetic - context_.idle_energy,
                 tuning.max_slowed * after.kinetic);
    if (!(surplus > 0)) return true;
    if (!rules.last_try) return false;
    if (brake_.slow_down(surplus, context_.motion.dynamics, state)) {
        flows.removed += surplus;
        ++report.guarded;
    }
    return true;
}

}  // namespace lig
