// The part of a sub-step that finds impulses: sweeps, and where these do not get there, all at once.

#include "formulations/impulse/impulse.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

using impulse::ContactPoints;
using impulse::direct_tuning;
using impulse::Give;
using impulse::sweep_tuning;
using List = impulse::ContactPoints::List;

// One sweep. Returns whether nothing is left to do: velocities are met, or corrective impulses have become
// small.
bool Impulse::sweep(const Give& joints, const Give& contacts, const impulse::Correction& correction,
                    StepReport& report) {
    const impulse::BodyView bodies = bodies_.moving();
    ++report.iterations;
    using Joints = impulse::JointBlocks;
    double general = 0;
    impulse::Swept met;
    const auto sweep_held = [&](bool back) {
        general = std::max(general,
                           general_.sweep_held(back, joints, settings_.slop, settings_.accumulated, bodies));
    };
    const auto sweep_forces = [&](bool back) {
        general = std::max(general, general_.sweep_forces(back, joints, settings_.accumulated, bodies));
    };
    const auto sweep_joints = [&](Joints::Part part) {
        met.join(joints_.sweep(part, joints, correction, bodies));
    };
    if (general_.acts()) {
        // There and back, from the last but one to the first and on to the last.
        sweep_held(true);
        sweep_joints(Joints::middle_back);
        sweep_forces(true);
        sweep_joints(Joints::first);
        sweep_forces(false);
        sweep_joints(Joints::middle);
        sweep_held(false);
        sweep_joints(Joints::last);
    } else {
        met = joints_.sweep(impulse::all, joints, correction, bodies);
    }
    if (correction.u) general_.correct(correction.rate, settings_.slop, bodies_.correcting());
    const impulse::Swept turning = limits_.sweep(impulse::all, settings_, joints, correction, bodies);
    for (const List list :
         {ContactPoints::passing, ContactPoints::footing, ContactPoints::loose, ContactPoints::steady})
        met.join(contacts_.sweep(list, settings_, contacts, correction, bodies));
    met.velocity = std::max(met.velocity, general);
    missed_ = std::max(missed_, met.velocity);
    met.join(turning);
    swept_ = met.missed;
    return met.velocity < options_.accuracy ||
           (met.impulse < options_.impulse.least_impulse && general < options_.accuracy);
}

void Impulse::sweep_until_done(int most, const Give& joints, const Give& contacts, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    for (int k = 0; k < most; ++k)
        if (sweep(joints, contacts, {}, report)) return;
}

// Trees that the last sweep has found far off are swept on, with what touches them, until they are met or the
// budget is spent: the longer it takes, the less is asked. Errors are removed beside it all the way.
void Impulse::sweep_unmet(double missed, const impulse::Correction& correction, StepReport& report) {
    const double shortness = std::min(1.0, settings_.h / sweep_tuning.short_substep);
    const double begin = sweep_tuning.unmet_velocity * shortness * shortness;
    if (missed <= begin) return;
    const impulse::BodyView bodies = bodies_.moving();
    unmet_.begin(direct_islands_ ? direct_islands_->chosen() : std::span<const char>());
    impulse::Scope scope = impulse::all;
    for (int k = 0; k < sweep_tuning.max_unmet_sweeps; ++k) {
        const double bound = k == 0 ? begin : begin * std::min(1.0, sweep_tuning.allowed_by_sweep * k);
        joints_.find_unmet(scope, bound, unmet_);
        limits_.find_unmet(scope, bound, unmet_);
        contacts_.find_unmet(scope, bound, unmet_);
        if (!unmet_.any()) return;
        const impulse::Scope from = unmet_.has_grown() ? impulse::all : impulse::chosen;
        joints_.choose(from, unmet_);
        limits_.choose(from, unmet_);
        contacts_.choose(from, unmet_);
        scope = impulse::chosen;
        unmet_.begin_round();
        ++report.iterations;
        joints_.sweep(scope, Give::none(), correction, bodies);
        limits_.sweep(scope, settings_, Give::none(), correction, bodies);
        for (const List list : {ContactPoints::passing, ContactPoints::footing})
            contacts_.sweep(list, settings_, Give::none(), correction, bodies, scope);
    }
}

void Impulse::sweep_and_correct(int sweeps, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    impulse::Correction correction{sweep_tuning.removed_share / h, bodies_.corrections.data()};
    for (int k = 0; k < sweeps; ++k) {
        const bool met = sweep(Give::none(), Give::none(), correction, report);
        if (k == 0 && direct_islands_ && direct_islands_->may_solve()) ask_for_islands();
        if (met) break;
        if (k == 0 && options_.iterations == 0 && !general_.acts_anywhere()) {
            sweep_unmet(swept_, correction, report);
            if (!general_.acts()) break;
        }
        correction.u = nullptr;
        // A hard blow: what the sweep has left would tear joints apart within the sub-step.
        if (k + 1 == sweeps && options_.iterations == 0 && sweeps < sweep_tuning.blow_sweeps &&
            missed_ > sweep_tuning.blow_speed)
            ++sweeps;
    }
    if (options_.iterations > 0) return;
    sweep_contacts_again(ContactPoints::loose, sweep_tuning.max_loose_sweeps, {}, report);
    sweep_contacts_again(ContactPoints::steady, sweep_tuning.max_steady_sweeps,
                         {correction.rate, bodies_.corrections.data()}, report);
}

// After a first sweep of a list, further ones until velocities are met.
void Impulse::sweep_contacts_again(List list, int most, impulse::Correction correction,
                                   StepReport& report) {
    if (contacts_.empty(list)) return;
    for (int k = 1; k < most; ++k) {
        if (k == sweep_tuning.correcting_sweeps) correction.u = nullptr;
        ++report.iterations;
        const impulse::Swept met =
            contacts_.sweep(list, settings_, Give::none(), correction, bodies_.moving());
        if (met.velocity < sweep_tuning.steady_tolerance && k >= sweep_tuning.correcting_sweeps) return;
    }
}

// By how much sweeps have left velocities off what rows ask.
double Impulse::missed_by_sweeps(double h) {
    const impulse::BodyView bodies = bodies_.moving();
    return std::max({joints_.missed(bodies), general_.missed(bodies), limits_.missed(bodies, h),
                     contacts_.missed(bodies, h)});
}

impulse::DirectSolve::Substep Impulse::direct_substep(double h) const {
    return {.h = h,
            .longest = longest_,
            .removed_share = sweep_tuning.removed_share,
            .slop = settings_.slop,
            .fastest_correction = settings_.fastest,
            .before = means_,
            .pushed = pushed_};
}

bool Impulse::solve_directly(JointState<double>& state, double h, StepReport& report) {
    if (contacts_.count() > direct_tuning.max_points) return false;
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    const impulse::DirectSolve::Substep substep = direct_substep(h);
    direct_->begin(state, substep, {}, general_, bodies_);
    const double missed = direct_->solve(all_links_, state, context_.motion.dynamics.ws, substep,
                                         {general_, joints_, limits_, contacts_}, bodies_, report);
    if (!std::isfinite(missed)) return false;
    tension_rate_ = direct_->tension_rate();
    missed_ = missed;
    return true;
}

// Islands in which the last sweep has met a blow.
void Impulse::ask_for_islands() {
    if (swept_ > direct_tuning.hit_velocity) {
        limits_.ask_hit(direct_tuning.hit_velocity, direct_tuning.hit_substeps, *direct_islands_);
        contacts_.ask_hit(direct_tuning.hit_velocity, direct_tuning.hit_substeps, *direct_islands_);
    }
    direct_islands_->choose(bodies_);
}

// One after the other: one that has no solution stays as it was swept, and leaves the others alone.
void Impulse::solve_islands(JointState<double>& state, double h, StepReport& report) {
    if (direct_islands_->count() == 0) return;
    const Stopwatch watch(report, StepStage::resolve, options_.timed);
    const impulse::DirectSolve::Substep substep = direct_substep(h);
    direct_->begin(state, substep, impulse::ChosenBodies(direct_islands_->chosen()), general_, bodies_);
    for (int k = 0; k < direct_islands_->count() && report.status == StepStatus::ok; ++k)
        direct_->solve(direct_islands_->links(k), state, context_.motion.dynamics.ws, substep,
                       {general_, joints_, limits_, contacts_}, bodies_, report);
    tension_rate_ = direct_->tension_rate();
}

// split-step: by sweeps, or directly where these do not get there. What sweeps leave of velocities is a force
// where something is driven, and much energy times the tension of a light link under a heavy load: there they
// are not asked.
void Impulse::find_impulses(JointState<double>& state, int sweeps, double h, StepReport& report) {
    tension_rate_ = 0;
    if (direct_islands_) {
        sweep_and_correct(sweeps, h, report);
        solve_islands(state, h, report);
        return;
    }
    if (direct_ && (direct_left_ > 0 || always_direct_ || touch_unequally_)) {
        direct_left_ = std::max(0, direct_left_ - 1);
        const bool solved = solve_directly(state, h, report);
        // Nor do they know of tension that a sub-step is too long for.
        if (solved && direct_->holds_tension()) direct_left_ = direct_tuning.substeps;
        if (solved || report.status != StepStatus::ok) return;
    }
    sweep_and_correct(sweeps, h, report);
    if (!direct_) return;
    const double shortness = std::min(1.0, h / direct_tuning.short_substep);
    const double met = direct_tuning.met_velocity * shortness * shortness;
    if (missed_by_sweeps(h) <= met && apart_ <= direct_tuning.met_gap &&
        off_ <= direct_tuning.correctable)
        return;
    if (solve_directly(state, h, report)) direct_left_ = direct_tuning.substeps;
}

}  // namespace lig
