// `impulse`, after Catto, Modeling and Solving Constraints. Bodies move freely. Joints, limits, contacts and
// all else that holds are rows on velocities, met one block after the other, again and again, by impulses
// that are summed and clamped:
//
//     v⁺ = v + M⁻¹ (h f + Jᵀ λ),    J v⁺ + b = 0 or λ at a bound
//     of a block:  Δλ = −(J M⁻¹ Jᵀ)⁻¹ (J v + b)
//
// Unknowns: six velocities per body, and λ, one per row. Cost: O(rows) per sweep. A step is sub-steps with
// these stages:
//   look      contacts within reach, once for several sub-steps         Impulse::look
//   factor    who sleeps, islands, packs of contacts                    Impulse::find_contacts_within
//   assemble  forces, J, b and matrices of blocks; warm starts          Impulse::prepare
//   resolve   sweeps there and back (joint_blocks.h)                    Impulse::sweep_until_done, sweep
//             … on over trees that are left far off (unmet_trees.h)     Impulse::sweep_unmet
//             … or all impulses at once (direct_solve.h)                Impulse::find_impulses
//   advance   positions, bounces; at last joint coordinates             Impulse::drift, restitute, end_step
//
// Solvers, by what removes errors of position:
//   classic     the slides: one sub-step, sweeps until done, errors fed back into velocities (Baumgarte)
//   soft-step   one sweep with soft rows that remove errors, then positions move, then one sweep without
//               that: velocities keep nothing of the corrections. Contacts bounce at the end of the step.
//   split-step  velocities of their own, which move bodies and are then forgotten: they cannot pile up in the
//               impulses that the next sub-step starts from, so nearly all of an error goes at once and
//               nothing is given up for it. What sweeps leave is looked at: where that is too much, impulses
//               of small models are found all at once, in larger ones those of islands that sweeps are too
//               slow for (direct_islands.h). The default.
//
// All else that acts (forces, drives, equalities, tendons …) comes through general_forces.h.
// Not handled, and refused by name: bodies without mass, the kinematic law, smooth and event steps. Joints
// give a little, by what sweeps leave.

#include "formulations/impulse/impulse.h"

#include "formulations/capabilities.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

using impulse::Give;
using impulse::solver_tuning;

namespace {

// What is apart that should not be: m, rad.
double largest_gap(const StepReport& report) {
    return std::max({report.joint_error, report.equality_error, report.penetration});
}

constexpr std::string_view unused_options[] = {"tolerance", "max_substeps", "seed"};

}  // namespace

constinit const formulations::Capabilities Impulse::capabilities{
    .lacks = {formulations::Feature::massless_bodies},
    .coordinates = {Coordinates::automatic, Coordinates::maximal},
    .stepping = {Stepping::automatic},
    .integrator = {SmoothIntegrator::automatic},
    .impact = {ImpactLaw::automatic, ImpactLaw::simultaneous},
    .friction = {FrictionLaw::cone, FrictionLaw::per_axis},
    .solvers = formulations::SolverFamily::sequential,
    .own_options = "impulse",
    .unused = unused_options,
    .holds_equalities = false,
    .leaves_slop = true,
    .smooth_steps = "impulses in sub-steps",
};

void Impulse::take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                        StepReport& report) {
    begin_step(state, dt, callbacks);
    Course course{dt, first_substeps(dt)};
    Errors begun;
    rough_ = 0;
    const double longest = dt / (chooses_substeps() ? impulse::sweep_tuning.min_substeps : course.substeps);
    longest_ = chooses_substeps() ? longest : 0;
    if (direct_islands_) direct_islands_->begin_step(longest);
    for (double left = dt; left > 0 && report.status == StepStatus::ok;) {
        look_when_due(course, left, report);  // look, factor
        const double count = std::max(1.0, std::ceil(left * course.substeps / dt - 1e-6));
        const double h = left / count;
        scale_impulses(h, course.looked == 0);
        if (count == 1) keep_before(state, h);
        missed_ = 0;
        substep(state, h, report);  // assemble, resolve, advance
        left = count == 1 ? 0 : left - h;
        if (++report.substeps == 1)
            begun = {report.joint_error, largest_gap(report),
                     std::max(report.limit_violation, general_.limit_violation(state)), report.penetration};
        if (direct_islands_) direct_islands_->end_substep();
        refine(course, h);
    }
    report.velocity_steps = report.substeps;
    report.residual = rough_;
    if (report.status == StepStatus::ok) end_step(state, dt, begun, report);
}

void Impulse::substep(JointState<double>& state, double h, StepReport& report) {
    const ImpulseOptions& how = options_.impulse;
    lead_bases(state, h);
    means_ = bodies_.velocities;
    prepare(state, h, report);
    if (report.status != StepStatus::ok) return;
    const int sweeps = options_.iterations > 0  ? options_.iterations
                       : way_ == Way::classic   ? solver_tuning.classic_sweeps
                       : !general_.is_stiff()   ? solver_tuning.sweeps
                       : way_ == Way::soft_step ? solver_tuning.soft_stiff_sweeps
                                                : solver_tuning.stiff_sweeps;
    switch (way_) {
        case Way::classic: {
            const Give feedback = Give::rigid(how.bias_factor / h);
            sweep_until_done(sweeps, feedback, feedback, report);
            account(state, h, report);
            drift(h, report);
            break;
        }
        case Way::soft_step:
            sweep_until_done(sweeps, Give::of(how.joints, h),
                             Give::of(how.contacts, h), report);
            account(state, h, report);
            drift(h, report);
            // Gaps to bases that had stayed behind would look open, and let go of what they push.
            move_bases(state, h);
            means_ = bodies_.velocities;
            // The same impulses at the arms of the new poses, so that angular momentum is kept.
            contacts_.prepare(bodies_, false);
            joints_.prepare(bodies_, false, follows_ ? find_bend(-h / 2) : impulse::Bend{}, state.q.data());
            limits_.prepare(bodies_, h, false);
            general_.renew_responses(bodies_);
            take_contacts(-1);
            sweep_until_done(sweeps, Give::none(), Give::none(), report);
            take_contacts(1);
            bodies_.hold_still();
            account_relaxation(report);
            break;
        case Way::split_step:
            find_impulses(state, sweeps, h, report);
            if (report.status != StepStatus::ok) return;
            account(state, h, report);
            account_corrections(state, h, report);
            drift(h, report);
            restitute(h, report);
            break;
    }
    general_.finish(state, h, bodies_.moving());
    for (std::size_t k = 0; k < bases_.size(); ++k) state.kinematic[k] = moved(bases_[k], h);
    state.time += h;
}

void Impulse::begin_step(JointState<double>& state, double dt, const Callbacks& callbacks) {
    const ImpulseOptions& how = options_.impulse;
    find_bodies(state);
    limits_.follow(state.q);
    if (callbacks.control) callbacks.control(state, context_.motion.dynamics);
    if (how.sleeping)
        sleeping_.begin_step(state, context_.motion.dynamics, general_.drives_joints(state.time, dt));
    general_.begin_step(state, dt);
    settings_ = {.slop = how.slop,
                 .per_axis = options_.friction == FrictionLaw::per_axis,
                 .accumulated = how.accumulated_clamping,
                 .bounce = way_ == Way::classic,
                 .min_bounce = solver_tuning.min_bounce};
}

// Impulses are kept for a sub-step of this length. Those of contacts come as forces where they are new.
void Impulse::scale_impulses(double h, bool new_contacts) {
    settings_.h = h;
    contacts_.scale(new_contacts ? h : h / context_.impulse_time);
    if (context_.impulse_time > 0 && h != context_.impulse_time) {
        const double scale = h / context_.impulse_time;
        joints_.scale(scale);
        limits_.scale(scale);
        general_.scale(scale);
        for (double& lambda : context_.warm.lambda) lambda *= scale;
    }
    context_.impulse_time = h;
}

// Kinematic bodies within a sub-step: where they are at its beginning, with the velocity that leads them to
// where they are at its end. Their acceleration is constant, so that is the one at half time; rows that
// follow bodies are not to count it again. state.kinematic has these velocities until the sub-step is over.
void Impulse::lead_bases(JointState<double>& state, double h) {
    bases_ = state.kinematic;
    for (BaseMotion<double>& base : state.kinematic) {
        base.velocity = moved(base, h / 2).velocity;
        if (equalities_follow_) base.acceleration = Motion<double>::zero();
    }
    place_bases(state);
}

// Where they are at the end of the sub-step, still with these velocities.
void Impulse::move_bases(JointState<double>& state, double h) {
    for (std::size_t k = 0; k < bases_.size(); ++k) {
        const BaseMotion<double> end = moved(bases_[k], h);
        state.kinematic[k].pos = end.pos;
        state.kinematic[k].quat = end.quat;
    }
    place_bases(state);
}

// Forces, and rows where bodies are now.
void Impulse::prepare(JointState<double>& state, double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::assemble, options_.timed);
    const impulse::Bend bend = follows_ || general_.acts() ? find_bend(h / 2) : impulse::Bend{};
    general_.prepare(state, h, {options_.impulse.warm_starting, bend}, bodies_, report);
    const Vec3d gravity = model_->options.gravity;
    for (int i = 0; i < bodies_.links(); ++i) {
        if (bodies_.is_asleep(bodies_.index(i))) continue;
        bodies_.moving().push(bodies_.index(i), (h * bodies_.mass(i)) * gravity);
    }
    if (direct_ && (!direct_islands_ || direct_islands_->may_solve())) pushed_ = bodies_.velocities;
    const bool warmly = options_.impulse.warm_starting;
    if (!warmly) {
        joints_.scale(0);
        limits_.scale(0);
        contacts_.scale(0);
    }
    // Contacts first: with what they are hit is what bodies do before the impulses of joints, which may be
    // large and against each other, are all there.
    const double deep = contacts_.prepare(bodies_, warmly);
    report.penetration = std::max(report.penetration, deep);
    if (warmly) general_.warm_start(bodies_.moving());
    apart_ = joints_.prepare(bodies_, warmly, follows_ ? bend : impulse::Bend{}, state.q.data());
    report.joint_error = std::max(report.joint_error, apart_);
    const double passed = limits_.prepare(bodies_, h, warmly);
    report.limit_violation = std::max(report.limit_violation, passed);
    off_ = std::max({deep, passed, general_.acts() ? report.equality_error : 0.0});
}

// How joints follow the bodies, which have the velocities means_.
impulse::Bend Impulse::find_bend(double half) {
    if (!equalities_follow_) return {};
    bodies_.find_spins(means_, 2 * std::fabs(half), spins_);
    return {half, spins_.data(), means_.data()};
}

void Impulse::drift(double h, StepReport& report) {
    const Stopwatch watch(report, StepStage::advance, options_.timed);
    bodies_.hold_still();
    general_.before_drift(bodies_.moving());
    bodies_.drift(h);
    general_.after_drift(bodies_.moving());
}

void Impulse::restitute(double h, StepReport& report) {
    if (!contacts_.may_bounce()) return;
    means_ = bodies_.velocities;
    const double before = bodies_.kinetic_energy(means_);
    const double by_bases = -contacts_.work_of_bases(velocities_around(h));
    take_contacts(-1);
    contacts_.restitute(solver_tuning.min_bounce, bodies_.moving());
    take_contacts(1);
    const double kinematic = by_bases + contacts_.work_of_bases(velocities_around(h));
    report.energy.flows.kinematic += kinematic;
    report.energy.flows.impacts -= bodies_.kinetic_energy(bodies_.velocities) - before - kinematic;
}

void Impulse::end_step(JointState<double>& state, double dt, const Errors& begun, StepReport& report) {
    if (way_ == Way::soft_step) restitute(context_.impulse_time, report);
    contacts_.store(context_.collision.contacts);
    limits_.store(context_.warm.lambda);
    const Stopwatch watch(report, StepStage::advance, options_.timed);
    place_bases(state);
    bodies_.to_joints_of_awake(state);
    // What is left, where bodies are now.
    report.joint_error = joints_.prepare(bodies_, false, {}, state.q.data());
    report.penetration = contacts_.prepare(bodies_, false);
    report.limit_violation =
        std::max(limits_.prepare(bodies_, settings_.h, false), general_.limit_violation(state));
    // To mend what was off to begin with takes energy, or gives it.
    mending_ = mending_ && begun.gap > solver_tuning.min_broken;
    context_.given_open = (mending_ && largest_gap(report) <= begun.gap) || gives_unseen_;
    // Joints that were apart to begin with and come together are as they should be.
    if (!(report.joint_error <= std::max(begun.apart, solver_tuning.suspicious_gap)))
        note_torn_joint(state, begun, report);
    if (report.status == StepStatus::ok) note_impossible_equality(state, report);
    if (report.status == StepStatus::ok && report.limit_violation > begun.passed)
        note_passed_limit(state, report);
    // What was given so deep in something else may go to and fro until it is out.
    if (given_deep_ < 0) given_deep_ = begun.deep;
    if (report.penetration <= solver_tuning.min_broken) given_deep_ = 0;
    if (report.status == StepStatus::ok && report.penetration > std::max(begun.deep, given_deep_))
        note_passed_contact(report);
    if (!options_.impulse.sleeping) return;
    sleeping_.end_step(bodies_, dt);
    report.sleeping = sleeping_.count();
}

}  // namespace lig
