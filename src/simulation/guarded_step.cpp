#include "simulation/guarded_step.h"

#include "formulations/promises.h"
#include "model/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double max_paid = 0.5;  // of the kinetic energy, for what corrections raise in a step
// Parts of a step that is taken again for what corrections raise, and what they may leave of that.
constexpr int max_parts_of_leap = 4;
constexpr double leap_left = 0.5;

}  // namespace

GuardedStep::GuardedStep(const SteppingParts& parts, const SimulationOptions& options, bool leaves_slop,
                         const StepMemory& before)
    : parts_(parts),
      state_(parts.state),
      context_(parts.formulation.context()),
      guard_(parts.guard),
      options_(options),
      leaves_slop_(leaves_slop),
      before_(before) {
    brake_.reserve(parts.model.nv);
}

// A step in equal parts; it ends with one that fails.
StepReport GuardedStep::take_parts(double dt, int parts, const Callbacks& checked) {
    const double end = state_.time + dt;
    StepReport whole = parts_.formulation.step(state_, dt / parts, checked);
    for (int k = 1; k < parts && was_taken(whole); ++k)
        add_part(
            parts_.formulation.step(state_, k + 1 < parts ? dt / parts : end - state_.time, checked), whole);
    return whole;
}

// "the method makes 12 J in a step, most of it at joint 'knee'"
std::string GuardedStep::name_of_gain(double made) const {
    std::size_t most = 0;
    const auto faster = [&](std::size_t k) { return std::abs(state_.v[k]) - std::abs(before_.state().v[k]); };
    for (std::size_t k = 1; k < state_.v.size(); ++k)
        if (!(faster(k) <= faster(most))) most = k;
    std::string where =
        std::isfinite(made)
            ? fmt::format("the method makes {:.3g} J in a step, more than can be taken out", made)
            : "the energy of where the step leads is not finite";
    const Model& model = parts_.model;
    for (const Model::Joint& joint : model.joints)
        if (static_cast<int>(most) >= joint.v_adr && static_cast<int>(most) < joint.v_adr + joint.nv)
            where +=
                ", most of it at " + named(model, joint) + " of " + named(model, model.bodies[joint.body]);
    return where;
}

// Takes the surplus out of the motion after a step. False: there is not as much.
bool GuardedStep::slow_down(double surplus, StepReport& report) {
    if (!brake_.slow_down(surplus, context_.motion.dynamics, state_)) return false;
    context_.bodies->velocities_were_set(state_);
    parts_.formulation.note_momenta(state_, report);
    report.energy.flows.removed += surplus;
    report.energy.kinetic -= surplus;
    return true;
}

// Takes the step again by velocity steps alone, which dissipate, where smooth ones have made more energy than
// can be taken out: next to singular positions of equalities no length of theirs does. False: that is no
// better, and the report is as before.
bool GuardedStep::take_calmly(double dt, const Callbacks& checked, StepReport& report) {
    if (report.smooth_steps == 0 || options_.stepping != Stepping::automatic ||
        options_.integrator != SmoothIntegrator::automatic)
        return false;
    int rejected = report.substeps;
    context_.may_glide = false;
    for (int parts = 1; parts <= EnergyGuard::max_parts; parts *= 4) {
        before_.put_back(parts_);
        StepReport calm = take_parts(dt, parts, checked);
        if (!was_taken(calm)) return false;
        const double surplus = guard_.surplus(calm.energy, dt, context_.idle_energy);
        if (surplus <= 0 || slow_down(surplus, calm)) {
            calm.rejected += rejected;
            if (calm.fallbacks++ == 0) calm.fallback = "velocity steps: smooth ones would have made energy";
            report = calm;
            return true;
        }
        rejected += calm.substeps;
    }
    return false;
}

// Of what corrections have raised, J: what is too much, and more than the motion can pay.
double GuardedStep::unpaid_corrections(double dt, const StepReport& report) const {
    const double surplus = guard_.surplus_raised(report.energy, dt, context_.idle_energy);
    return std::max(0.0, surplus - max_paid * report.energy.kinetic);
}

// Corrections that raise more than the motion can pay have leapt to other positions, or they put back what
// does not fit in the state. Shorter parts do without the leap; what does not fit they raise as well, and
// the step stays as it was. parts: of the step, and of the one that it is replaced by.
void GuardedStep::avoid_leap(double dt, const Callbacks& checked, int& parts, StepReport& report) {
    const double unpaid = unpaid_corrections(dt, report);
    if (unpaid == 0) return;
    int guarded = 0, rejected = 0;
    const auto take_again = [&](int count) {
        rejected += report.substeps;
        before_.put_back(parts_);
        report = take_parts(dt, count, checked);
        ++guarded;
    };
    const int most = std::min(max_parts_of_leap * parts, EnergyGuard::max_parts);
    for (int tried = 2 * parts; tried <= most; tried *= 2) {
        take_again(tried);
        if (was_taken(report) && unpaid_corrections(dt, report) <= leap_left * unpaid) {
            parts = tried;
            break;
        }
        if (2 * tried > most) take_again(parts);
    }
    report.guarded += guarded;
    report.rejected += rejected;
}

// Takes a step into the account of the guard, with what corrections have raised. What is too much of that is
// taken out of the motion, or as much of it as may be. Where contacts and joints give, they are put back all
// the time: that counts, and leaves the method less to make, but no motion pays for it.
void GuardedStep::count_corrections(double dt, StepReport& report) {
    const double raised = guard_.raised_in(report.energy);
    if (leaves_slop_) return guard_.note(report.energy, dt, raised);
    const double surplus = guard_.surplus_raised(report.energy, dt, context_.idle_energy);
    guard_.note(report.energy, dt, raised - surplus);
    const double paid = std::min(surplus, max_paid * report.energy.kinetic);
    if (paid > 0 && !formulations::is_only_watched(options_) && slow_down(paid, report)) ++report.guarded;
}

StepReport GuardedStep::take(double dt, const Callbacks& checked) {
    context_.may_glide = true;
    const bool first = context_.last.kind == SubstepKind::none;
    const bool follows = context_.tracking.acts(state_.time, dt);
    const auto surplus_of = [&](const StepReport& report) {
        return guard_.surplus(report.energy, dt, context_.idle_energy);
    };
    // What does not fit in a state that was set is no affair of the method (where contacts and joints give,
    // the formulation says until when); what follows a clip is put to where it is to be.
    const bool counts = !follows && (leaves_slop_ || !first);
    const bool watched = formulations::is_only_watched(options_);
    int parts = std::max(1, guard_.account.parts / 2), guarded = 0, rejected = 0;
    StepReport report = take_parts(dt, parts, checked);
    if (counts && !leaves_slop_ && !watched && was_taken(report)) avoid_leap(dt, checked, parts, report);
    double least = was_taken(report) ? surplus_of(report) : 0;
    int best = parts, tried = parts;
    while (least > 0 && !watched && 2 * tried <= EnergyGuard::max_parts &&
           rejected + report.substeps + report.rejected < EnergyGuard::max_attempts) {
        ++guarded;
        rejected += report.substeps;
        before_.put_back(parts_);
        report = take_parts(dt, tried *= 2, checked);
        // One that fails is no better.
        if (!was_taken(report)) break;
        if (surplus_of(report) < least) {
            least = surplus_of(report);
            best = tried;
        }
        if (least <= 0) break;
    }
    parts = tried;
    if (least > 0) {
        ++guarded;
        if (best != tried || !was_taken(report)) {
            rejected += report.substeps;
            before_.put_back(parts_);
            report = take_parts(dt, best, checked);
            least = was_taken(report) ? surplus_of(report) : 0;
        }
        if (least > 0 && (watched || (!slow_down(least, report) && !take_calmly(dt, checked, report)))) {
            report.status = std::isfinite(report.energy.method) ? StepStatus::energy_gained
                                                                : StepStatus::non_finite;
            report.where = name_of_gain(report.energy.method);
        }
    }
    report.guarded += guarded;
    report.rejected += rejected;
    if (was_taken(report)) {
        guard_.account.parts = parts;
        if (counts && !context_.given_open)
            count_corrections(dt, report);
        else
            guard_.note(report.energy, dt);
    }
    return report;
}

}  // namespace lig
