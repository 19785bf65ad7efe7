// Velocity steps one after the other: how long each may be, and which of them are taken again.

#include "formulations/velocity/velocity_step.h"

#include "formulations/velocity/tuning.h"

#include <algorithm>
#include <string>

namespace lig {

namespace {

constexpr const VelocityTuning& tuning = velocity_tuning;

}  // namespace

VelocityStep::VelocityStep(StepContext& context, StepAlgebra& algebra, SmoothStep& smooth,
                           Stiffness& stiffness)
    : context_(context),
      algebra_(algebra),
      smooth_(smooth),
      equations_(*context.model),
      assembly_(context, algebra.terms, stiffness, equations_),
      impulses_(context, algebra, equations_),
      checks_(context, algebra, equations_),
      advance_(context, algebra, equations_, impulses_, checks_) {}

// What one step by sub-steps is about, and how far it has got.
struct VelocityStep::Substeps {
    double dt;
    bool automatic;  // sub-steps as accuracy asks; else a single one
    bool dragged;    // by the kinematic law
    bool driven;     // by what the smooth integrator knows nothing of, or not to be left to it
    double remaining = dt;
    double longest = dt;  // that the last attempt allows
    const double shortest = dt / tuning.shortest_parts;
    int cuts = 0, misses = 0;
    bool stiff = false;    // too much for the smooth integrator
    bool hurried = false;  // bodies in contact turn too fast for max_bends sub-steps
    double residual = 0;   // by which velocity rows were missed

    bool may_glide() const { return automatic && !driven && !stiff; }
    void lengthen(double h) { longest = std::min(2 * h, dt); }
    void shorten(double h, StepReport& report) {
        ++report.rejected;
        longest = std::max(0.5 * h, h > shortest ? shortest : 0);
    }
};

// The main line of a step: look, assemble, factor, resolve, advance, in sub-steps.
void VelocityStep::take(JointState<double>& state, double dt, bool automatic,
                        const Callbacks& callbacks, StepReport& report) {
    const bool dragged = context_.options.multiplier.law == Law::kinematic;
    const bool driven = !context_.may_glide || dragged || context_.pose_targets.active() ||
                        context_.tracking.acts(state.time, dt) || assembly_.has_constraint_drives();
    Substeps steps{.dt = dt, .automatic = automatic, .dragged = dragged, .driven = driven};
    algebra_.equalities_open = context_.open_before;
    while (steps.remaining > 1e-9 * dt && report.status == StepStatus::ok) {
        if (report.substeps >= context_.options.max_substeps) {
            report.status = StepStatus::step_too_small;
            report.where = "more than " + std::to_string(context_.options.max_substeps) +
                           " sub-steps would be needed: bodies in contact turn too fast for longer ones";
            break;
        }
        double h = begin_substep(state, steps, callbacks, report);
        if (!assembly_.assemble(state, h, report)) break;
        if (steps.may_glide() && !impulses_.has_one_sided_rows()) {
            glide(state, h, steps, callbacks, report);
            continue;
        }
        if (!solve_rows(state, h, report)) break;
        if (is_too_long(state, h, steps)) {
            steps.shorten(h, report);
            continue;
        }
        steps.lengthen(h);
        if (steps.may_glide() && !impulses_.one_sided_rows_act()) {
            glide(state, h, steps, callbacks, report);
            continue;
        }
        Attempt attempt = end_at_impact(state, h, steps, report);
        if (attempt == Attempt::made) attempt = take_substep(state, h, steps, report);
        if (attempt == Attempt::failed) break;
        if (attempt == Attempt::too_long) {
            steps.shorten(h, report);
            continue;
        }
        steps.residual = std::max(steps.residual, impulses_.missed());
        ++report.substeps;
        ++report.velocity_steps;
        steps.remaining -= h;
    }
    report_misses(steps, report);
}

// What acts is set, contacts are looked for, and the length of the next sub-step is chosen.
double VelocityStep::begin_substep(JointState<double>& state, Substeps& steps,
                                   const Callbacks& callbacks, StepReport& report) {
    double h = steps.remaining;
    if (steps.dragged) std::fill(state.v.begin(), state.v.end(), 0.0);
    // Joints that follow a clip are to have the velocities that are found for them.
    equations_.whole_curvature = context_.tracking.acts(state.time, h);
    if (callbacks.control) callbacks.control(state, context_.motion.dynamics);
    checks_.look(state, h, report);
    if (steps.automatic) {
        const double wished = checks_.longest_step(h);
        steps.hurried = steps.hurried || (wished < h && tuning.max_bends * wished < steps.dt);
        h = std::max(wished, std::min(h, steps.dt / tuning.max_bends));
    }
    return std::min(h, steps.longest);
}

// The impulses of the rows that are assembled; and again without curvature where that would drive, or where
// rows contradict each other: without it, standing still would satisfy them.
bool VelocityStep::solve_rows(const JointState<double>& state, double h, StepReport& report) {
    if (!impulses_.factor(state, h, true, report) || !impulses_.resolve(report)) return false;
    if (!impulses_.rows_drive() && !(impulses_.missed() > tuning.gross_miss)) return true;
    equations_.ignores_row_curvature = true;
    const bool found = assembly_.assemble(state, h, report) &&
                       impulses_.factor(state, h, true, report) && impulses_.resolve(report);
    equations_.ignores_row_curvature = false;
    return found;
}

// Leaves a sub-step to the smooth integrator. One that leads into something is taken back.
void VelocityStep::glide(JointState<double>& state, double h, Substeps& steps,
                         const Callbacks& callbacks, StepReport& report) {
    const EnergyFlows flows = report.energy.flows;
    const OutsideImpulses outside = context_.momentum ? context_.momentum->sum : OutsideImpulses{};
    const bool near = impulses_.has_one_sided_rows();
    const StepChecks::Passed before = checks_.passed_at(state);
    if (!smooth_.take(state, h, callbacks, steps.automatic, report)) {
        steps.stiff = report.status == StepStatus::ok;
    } else if (near && h > steps.shortest && checks_.has_passed(state, before)) {
        smooth_.take_back(state);
        report.energy.flows = flows;
        if (context_.momentum) context_.momentum->sum = outside;
        steps.shorten(h, report);
    } else {
        steps.remaining -= h;
        steps.lengthen(h);
    }
}

// Whether the step with these impulses is to be taken again, shorter. Rows that contradict each other are
// missed in steps of any length: shorter ones are tried a few times.
bool VelocityStep::is_too_long(const JointState<double>& state, double h, Substeps& steps) {
    if (!steps.automatic || h <= steps.shortest) return false;
    const bool missing = impulses_.missed() > tuning.gross_miss && steps.misses < tuning.max_misses &&
                         !algebra_.has_large_island();
    if (checks_.fits(state, h, impulses_.landing) && !missing) return false;
    steps.misses += missing;
    return true;
}

// A bounce is to happen at the end of a step, not within it; and what is stopped far from a surface might
// pass it by: nearer to it, it is seen whether it does. Shortens h to that, with the impulses of it.
VelocityStep::Attempt VelocityStep::end_at_impact(const JointState<double>& state, double& h,
                                                  Substeps& steps, StepReport& report) {
    if (!steps.automatic || steps.dragged) return Attempt::made;
    const double impact = impulses_.first_impact(h);
    if (!(impact < 0.999 * h) || steps.cuts >= tuning.max_cuts) return Attempt::made;
    ++steps.cuts;
    h = impact;
    if (!assembly_.assemble(state, h, report) || !solve_rows(state, h, report)) return Attempt::failed;
    const bool fits = h <= steps.shortest || checks_.fits(state, h, impulses_.landing);
    return fits ? Attempt::made : Attempt::too_long;
}

// Bounces, and moves the state on.
VelocityStep::Attempt VelocityStep::take_substep(JointState<double>& state, double h,
                                                 const Substeps& steps, StepReport& report) {
    if (steps.dragged)
        impulses_.keep_landing();
    else
        impulses_.restitute(h, report);
    const bool last_try = h <= steps.shortest;
    const SubstepRules rules{.last_try = last_try,
                             .may_be_pressed = last_try || !steps.automatic,
                             .watches_energy = impulses_.motion_grows() && steps.automatic &&
                                               !steps.dragged && context_.options.energy_guard > 0};
    const bool bounces = impulses_.bounces();
    switch (advance_.advance(state, h, rules, report)) {
        case StepOutcome::moved:
            context_.last.half_curved = context_.options.multiplier.law == Law::dynamic && !bounces;
            return Attempt::made;
        case StepOutcome::failed: return Attempt::failed;
        case StepOutcome::astray: return Attempt::too_long;
        case StepOutcome::open: break;
    }
    if (h > steps.shortest / tuning.closing_parts) return Attempt::too_long;
    report.status = StepStatus::equality_open;
    report.where = advance_.open_equality();
    return Attempt::failed;
}

void VelocityStep::report_misses(const Substeps& steps, StepReport& report) const {
    report.residual = std::max(report.residual, steps.residual);
    if (report.status != StepStatus::ok) return;
    if (steps.residual > tuning.gross_miss) {
        report.status = StepStatus::not_converged;
        report.where = "impulses that satisfy all rows were not found; velocities are off by up to " +
                       std::to_string(steps.residual) + " m/s or rad/s";
    }
    if (steps.hurried) {
        report.status = StepStatus::not_converged;
        report.where = "bodies in contact turn too fast for the " + std::to_string(tuning.max_bends) +
                       " sub-steps that a step may have; take shorter steps";
    }
}

void VelocityStep::look_back() {
    LastSubstep& last = context_.last;
    if (!last.half_curved || last.kind != SubstepKind::velocity) return;
    last.half_curved = false;
    Rows& rows = context_.rows;
    lambda_.resize(rows.rows.size());
    for (std::size_t r = 0; r < lambda_.size(); ++r) lambda_[r] = rows.rows[r].lambda;
    StepReport unused;
    equations_.whole_curvature = true;
    forward_kinematics(last.before, context_.motion.dynamics.ws);
    if (assembly_.assemble(last.before, last.h, unused) && rows.rows.size() == lambda_.size() &&
        impulses_.factor(last.before, last.h, false, unused)) {
        impulses_.hold_equalities(lambda_);
        algebra_.outward(impulses_.landing.s, context_.velocity_change);
        for (std::size_t r = 0; r < lambda_.size(); ++r) rows.rows[r].lambda = lambda_[r];
    }
    equations_.whole_curvature = false;
}

}  // namespace lig
