// Velocity steps one after the other: how long each may be, and which of them are taken again.

#include "formulations/velocity_step.h"
#include "constraints/limit_rows.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// How far a contact point may curve away from its tangent within a step, by the rotation of its bodies.
constexpr double curvature_tolerance = 5e-4;  // m
// How far a link may turn in a step: forces that depend on velocities are taken at its beginning.
constexpr double rotation_tolerance = 0.4;
constexpr double limit_tolerance = 0.01;    // rad, m: how far limits may be passed
constexpr double passing_tolerance = 1e-3;  // m: how deep a smooth step may lead into contacts
constexpr int shortest_parts = 256;         // of a step: no sub-step is shorter for the sake of accuracy
constexpr int closing_parts = 16;           // of such a part, before equalities are said to be open
// Contacts that would act from afar are approached first, in so many parts of a step at most.
constexpr int max_cuts = 40;
// Rows that are missed by more than this, m/s or rad/s, are not satisfied: steps are taken again, or the
// report says so.
constexpr double gross_miss = 0.1;
constexpr int max_misses = 4;  // within one step
// Sub-steps of a step that contact points ask for which leave their tangents, at most.
constexpr int max_bends = 4096;

}  // namespace

// The longest step up to h in which contact points do not leave their tangents by more than the tolerance, as
// their bodies turn now.
double VelocityStep::longest_step(double h) const {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    double bend = 0;  // m/s²
    for (const Manifold& manifold : context_.collision.contacts.manifolds) {
        const Vec3d& p = context_.collision.contacts.contacts[manifold.begin].on_a;
        double sum = 0;
        for (const int geom : {manifold.geom_a, manifold.geom_b}) {
            const int link = model.bodies[model.geoms[geom].body].link;
            const Vec3d& w = carrier_velocity(ws, link).ang;
            sum += dot(w, w) * length(p - carrier_pose(ws, link).p);
        }
        bend = std::max(bend, sum);
    }
    const double longest = bend > 0 ? std::sqrt(2 * curvature_tolerance / bend) : h;
    return h <= 1.2 * longest ? h : h / std::ceil(h / longest);
}

double VelocityStep::deepest_contact() const {
    double deepest = 0;
    for (const Contact& contact : context_.collision.contacts.contacts)
        deepest = std::max(deepest, -contact.distance);
    return deepest;
}

// Whether a smooth step has led into something that it was to pass by: rows are tangents, and bodies turn.
// deep, beyond: what was deep, and beyond its limits, before it.
bool VelocityStep::has_passed(const JointState<double>& state, double deep, double beyond) {
    if (largest_limit_violation(state, *context_.model).size > std::max(limit_tolerance, beyond)) return true;
    if (!probe_) probe_ = std::make_unique<CollisionWorkspace>(context_.model);
    forward_kinematics(state, context_.motion.dynamics.ws);
    if (!surroundings_.look_here(context_.motion.dynamics.ws, context_.options.threads, *probe_))
        return false;
    return std::any_of(probe_->contacts.contacts.begin(), probe_->contacts.contacts.end(),
                       [&](const Contact& contact) {
                           return -contact.distance > std::max(passing_tolerance, deep);
                       });
}

// Whether the step with these impulses is short enough: rows are tangents, and an impact can make joints turn
// so fast that limits and contact points leave theirs within the step.
bool VelocityStep::fits(const JointState<double>& state, double h) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    algebra_.outward(s_, context_.velocity_change);
    for (int k = 0; k < model.nv; ++k) moving_[k] = state.v[k] + context_.velocity_change[k];
    for (const RowBlock& block : context_.rows.blocks) {
        if (block.kind != RowKind::contact || !(lambda_[block.begin] > 0)) continue;
        const Vec3d& p = context_.collision.contacts.contacts[block.source].on_a;
        double bend = 0;
        for (const int link : {block.link_a, block.link_b}) {
            if (link < 0) continue;
            const Vec3d w = ws.poses[link].V_WL.ang + algebra_.link_motion(link).ang;
            bend += dot(w, w) * length(p - ws.poses[link].X_WL.p);
        }
        if (0.5 * h * h * bend > 2 * curvature_tolerance) return false;
    }
    for (std::size_t i = 0; i < ws.poses.size(); ++i) {
        const Vec3d w = ws.poses[i].V_WL.ang + algebra_.link_motion(static_cast<int>(i)).ang;
        if (h * h * dot(w, w) > rotation_tolerance * rotation_tolerance) return false;
    }
    tried_.time = state.time;
    integrate<double>(ws, state.q, moving_, h, tried_.q);
    const double now = largest_limit_violation(state, model).size;
    // What is beyond its limit already must not be held up by the last digits of where it is.
    return largest_limit_violation(tried_, model).size <=
           std::max(limit_tolerance, now + 0.05 * limit_tolerance);
}

// What one step by sub-steps is about, and how far it has got.
struct VelocityStep::Substeps {
    double dt;
    bool automatic;  // sub-steps as accuracy asks; else a single one
    bool dragged;    // by the kinematic law
    bool driven;     // by what the smooth integrator knows nothing of
    double remaining = dt;
    double longest = dt;  // that the last attempt allows
    const double shortest = dt / shortest_parts;
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

// What acts is set, contacts are looked for, and the length of the next sub-step is chosen.
double VelocityStep::begin_substep(JointState<double>& state, Substeps& steps,
                                   const Callbacks& callbacks, StepReport& report) {
    double h = steps.remaining;
    if (steps.dragged) std::fill(state.v.begin(), state.v.end(), 0.0);
    // Joints that follow a clip are to have the velocities that are found for them.
    whole_ = context_.tracking.acts(state.time, h);
    if (callbacks.control) callbacks.control(state, context_.motion.dynamics);
    look(state, h, report);
    if (steps.automatic) {
        const double wished = longest_step(h);
        steps.hurried = steps.hurried || (wished < h && max_bends * wished < steps.dt);
        h = std::max(wished, std::min(h, steps.dt / max_bends));
    }
    return std::min(h, steps.longest);
}

bool VelocityStep::has_one_sided_rows() const {
    return static_cast<int>(context_.rows.blocks.size()) > two_sided_;
}

// Whether a limit, contact or dry friction has an impulse.
bool VelocityStep::one_sided_rows_act() const {
    for (std::size_t i = static_cast<std::size_t>(two_sided_); i < context_.rows.blocks.size(); ++i)
        for (int r = 0; r < context_.rows.blocks[i].count; ++r)
            if (lambda_[context_.rows.blocks[i].begin + r] != 0) return true;
    return false;
}

// The impulses of the rows that are assembled; and again without curvature where that would drive, or where
// rows contradict each other: without it, standing still would satisfy them.
bool VelocityStep::solve_rows(const JointState<double>& state, double h, StepReport& report) {
    if (!factor(state, h, report) || !resolve(report)) return false;
    if (!rows_drive() && !(missed_ > gross_miss)) return true;
    calm_ = true;
    const bool found = assemble(state, h, report) && factor(state, h, report) && resolve(report);
    calm_ = false;
    return found;
}

// Leaves a sub-step to the smooth integrator. One that leads into something is taken back.
void VelocityStep::glide(JointState<double>& state, double h, Substeps& steps,
                         const Callbacks& callbacks, StepReport& report) {
    const EnergyFlows flows = report.energy.flows;
    const OutsideImpulses outside = context_.momentum ? context_.momentum->sum : OutsideImpulses{};
    const bool near = has_one_sided_rows();
    const double deep = deepest_contact(), beyond = largest_limit_violation(state, *context_.model).size;
    if (!smooth_.take(state, h, callbacks, steps.automatic, report)) {
        steps.stiff = report.status == StepStatus::ok;
    } else if (near && h > steps.shortest && has_passed(state, deep, beyond)) {
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
    const bool missing =
        missed_ > gross_miss && steps.misses < max_misses && !algebra_.has_large_island();
    if (fits(state, h) && !missing) return false;
    steps.misses += missing;
    return true;
}

// A bounce is to happen at the end of a step, not within it; and what is stopped far from a surface might
// pass it by: nearer to it, it is seen whether it does. Shortens h to that, with the impulses of it.
VelocityStep::Attempt VelocityStep::end_at_impact(const JointState<double>& state, double& h,
                                                  Substeps& steps, StepReport& report) {
    if (!steps.automatic || steps.dragged) return Attempt::made;
    const double impact = first_impact(h);
    if (!(impact < 0.999 * h) || steps.cuts >= max_cuts) return Attempt::made;
    ++steps.cuts;
    h = impact;
    if (!assemble(state, h, report) || !solve_rows(state, h, report)) return Attempt::failed;
    return h > steps.shortest && !fits(state, h) ? Attempt::too_long : Attempt::made;
}

// Bounces, and moves the state on.
VelocityStep::Attempt VelocityStep::take_substep(JointState<double>& state, double h,
                                                 const Substeps& steps, StepReport& report) {
    if (steps.dragged)
        s_after_ = s_;
    else
        restitute(h, report);
    last_try_ = h <= steps.shortest;
    may_be_pressed_ = last_try_ || !steps.automatic;
    grows_ = grows_ && steps.automatic && !steps.dragged && context_.options.energy_guard > 0;
    switch (advance(state, h, report)) {
        case Advance::moved: return Attempt::made;
        case Advance::failed: return Attempt::failed;
        case Advance::astray: return Attempt::too_long;
        case Advance::open: break;
    }
    if (h > steps.shortest / closing_parts) return Attempt::too_long;
    report.status = StepStatus::equality_open;
    report.where = open_equality_;
    return Attempt::failed;
}

void VelocityStep::report_misses(const Substeps& steps, StepReport& report) const {
    report.residual = std::max(report.residual, steps.residual);
    if (report.status != StepStatus::ok) return;
    if (steps.residual > gross_miss) {
        report.status = StepStatus::not_converged;
        report.where = "impulses that satisfy all rows were not found; velocities are off by up to " +
                       std::to_string(steps.residual) + " m/s or rad/s";
    }
    if (steps.hurried) {
        report.status = StepStatus::not_converged;
        report.where = "bodies in contact turn too fast for the " + std::to_string(max_bends) +
                       " sub-steps that a step may have; take shorter steps";
    }
}

// The main line of a step: look, assemble, factor, resolve, advance, in sub-steps.
void VelocityStep::take(JointState<double>& state, double dt, bool automatic,
                        const Callbacks& callbacks, StepReport& report) {
    const bool dragged = context_.options.multiplier.law == Law::kinematic;
    const bool driven = dragged || context_.pose_targets.active() || context_.tracking.acts(state.time, dt);
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
        if (!assemble(state, h, report)) break;
        if (steps.may_glide() && !has_one_sided_rows()) {
            glide(state, h, steps, callbacks, report);
            continue;
        }
        grows_ = false;
        if (!solve_rows(state, h, report)) break;
        if (is_too_long(state, h, steps)) {
            steps.shorten(h, report);
            continue;
        }
        steps.lengthen(h);
        if (steps.may_glide() && !one_sided_rows_act()) {
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
        steps.residual = std::max(steps.residual, missed_);
        ++report.substeps;
        ++report.velocity_steps;
        steps.remaining -= h;
    }
    report_misses(steps, report);
}

}  // namespace lig
