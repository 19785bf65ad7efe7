// The part of a velocity step after impulses: the new state.

#include "constraints/base_motion.h"
#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "core/length.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity_step.h"
#include "model/named.h"
#include "model/split_inertia.h"
#include "simulation/equality_closure.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double limit_tolerance = 0.01;  // rad, m: how far limits may be passed by corrections
// m/s, of the centre of mass of a link: no correction is faster. Nearly dependent rows ask for any speed.
constexpr double fastest_correction = 2;
constexpr double passing_tolerance = 1e-3;  // m: how deep a step may lead into something
constexpr double max_made = 0.05;    // of the kinetic energy, by a sub-step
constexpr double max_slowed = 0.85;  // of the kinetic energy, taken out of a sub-step
// Of the kinetic energy: closing that moves links by more of it has taken back motion. Where equalities are
// far from singular it is of fourth order in the step.
constexpr double taken_back_share = 0.01;

}  // namespace

// Adds to moving_, the velocities with which coordinates are about to move, those that remove errors; what
// they were before is in uncorrected_ afterwards.
// Something deep inside something else is not pushed out at the price of a limit: then by half as much, or
// less.
void VelocityStep::correct(const JointState<double>& state, double h, StepReport& report) {
    const Model& model = context_.motion.dynamics.model();
    find_impulses(b_, true, landing_, s_, report);
    algebra_.outward(s_, correction_);
    // link_motion is of the whole change; of it the correction is what moving_ does not have.
    double fastest = 0;
    for (std::size_t i = 0; i < model.tree.links.size(); ++i) {
        const TreeLink<double>& link = model.tree.links[i];
        if (!(link.inertia.mass > 0)) continue;
        const Vec3d com =
            context_.motion.dynamics.ws.poses[i].X_WL.R * ((1 / link.inertia.mass) * link.inertia.h);
        const Motion<double> own = algebra_.link_motion(static_cast<int>(i)) - kept_motion_[i];
        fastest = std::max(fastest, length(shift(own, com).lin));
    }
    for (int k = 0; k < model.nv; ++k) correction_[k] += state.v[k] - moving_[k];
    double allowed = std::max(limit_tolerance, largest_limit_violation(state, model).size);
    // What follows a clip is to get to where it is to be.
    const double most = fastest > fastest_correction && !whole_ ? fastest_correction / fastest : 1;
    uncorrected_ = moving_;
    for (double share = most; share > 0.1 * most; share *= 0.5) {
        for (int k = 0; k < model.nv; ++k) moving_[k] = uncorrected_[k] + share * correction_[k];
        const auto beyond = [&] {
            integrate<double>(context_.motion.dynamics.ws, state.q, moving_, h, tried_.q);
            return largest_limit_violation(tried_, model).size;
        };
        const double corrected = beyond();
        if (corrected > allowed && share == most) {
            // Nor is it kept back for what the step does to limits without it.
            std::swap(moving_, uncorrected_);
            allowed = std::max(allowed, beyond());
            std::swap(moving_, uncorrected_);
        }
        if (corrected <= allowed) return;
    }
    moving_ = uncorrected_;
}

// The momenta of the links with the velocities after impulses, about their centres of mass: carried_; and
// held_back_. After outward of these.
void VelocityStep::find_momenta() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const std::vector<TreeLink<double>>& links = ws.model().tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        const Motion<double> V = ws.poses[i].V_WL + algebra_.link_motion(static_cast<int>(i));
        carried_[i] = own * V;
        held_back_[i] = algebra_.terms.turning.empty() ? Vec3d::zero() : algebra_.terms.turning[i] * V.ang;
        if (own.mass > 0) carried_[i] = shift_back(carried_[i], (-1 / own.mass) * own.h);
    }
}

// Whether links fly freely on joints that hold to the world: weight acts on them, and what is applied to
// joints, but nothing elastic, nothing one-sided, and no loop. What floats is placed by its momentum.
bool VelocityStep::flies() {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const JointTerms& terms = algebra_.terms;
    if (context_.options.multiplier.law != Law::dynamic || whole_ || pushed_ || has_drives_ ||
        two_sided_ > 0 || trees_.any_floats() || context_.model->nkinematic > 0 ||
        dynamics.has_equalities() || !dynamics.drives.gravity_force.empty() || !terms.turning.empty())
        return false;
    return std::all_of(terms.added.begin(), terms.added.end(), [](double x) { return x == 0; }) &&
           std::all_of(lambda_.begin(), lambda_.end(), [](double x) { return x == 0; });
}

// Of a step in flight: coordinates move with half of what forces do to velocities, and the curvature of
// coordinates is left to transport_. Before anything moves, and after find_momenta.
bool VelocityStep::take_off(const JointState<double>& state, double h) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const std::vector<TreeLink<double>>& links = context_.model->tree.links;
    if (factor_.factor(ws) >= 0) return false;
    after_ = curved_;
    factor_.inward(after_);
    factor_.outward(after_, uncorrected_);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        const Force<double> curved = own * factor_.link_motion(static_cast<int>(i));
        carried_[i] += own.mass > 0 ? shift_back(curved, (-1 / own.mass) * own.h) : curved;
    }
    for (std::size_t k = 0; k < after_.size(); ++k) {
        const double by_forces = context_.velocity_change[k] + uncorrected_[k];
        after_[k] = state.v[k] + by_forces;
        moving_[k] -= 0.5 * by_forces;
    }
    transport_.note(ws, carried_, after_, h);
    return true;
}

// The velocities of the state become the mean of what they are and those that the links have with their
// momenta carried_, where they have got to. After forward_kinematics of the state.
void VelocityStep::average_velocities(JointState<double>& state) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    const Model& model = ws.model();
    const std::vector<TreeLink<double>>& links = model.tree.links;
    // Springs, dampers and drives that are stiff hold velocities where they are.
    JointTerms& terms = algebra_.terms;
    terms.turning = {};
    if (factor_.factor(ws, terms) >= 0) return;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const RigidInertia<double> own = world_inertia(ws.poses[i].X_WL.R, links[i].inertia);
        if (own.mass > 0) carried_[i] = shift_back(carried_[i], (1 / own.mass) * own.h);
        if (model.nkinematic > 0) carried_[i] -= own * velocity_by_base(ws, static_cast<int>(i));
    }
    for (const TreeLink<double>& link : links)
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            after_[k] = model.tree.armature[k] * state.v[k];
            for (int l = link.v_adr; l < link.v_adr + link.nv; ++l)
                after_[k] += terms.added[terms.added_at(k, l)] * state.v[l];
        }
    factor_.inward(after_, carried_);
    factor_.outward(after_, uncorrected_);
    for (int k = 0; k < model.nv; ++k) state.v[k] = 0.5 * (state.v[k] + uncorrected_[k]);
}

// Of velocities of joints alone, bases at rest. After forward_kinematics.
double VelocityStep::kinetic_energy_of(std::span<const double> v) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Tree<double>& tree = ws.model().tree;
    std::vector<Motion<double>>& motions = kept_motion_;
    double sum = 0;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        motions[i] =
            link.parent >= 0 ? shift(motions[link.parent], ws.links[i].r) : Motion<double>::zero();
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            motions[i] += v[k] * ws.S[k];
            sum += 0.5 * tree.armature[k] * v[k] * v[k];
        }
        sum += 0.5 * dot(motions[i], world_inertia(ws.poses[i].X_WL.R, link.inertia) * motions[i]);
    }
    return sum;
}

// Equalities that are taut (a rope drawn straight) let links go in no direction, though no row of velocities
// says so: closing takes back what they have moved, and they lose the velocity of it, as far as that takes
// energy. tried_.q and q_on_equalities_: where coordinates were before closing and after it. After
// forward_kinematics of the state.
void VelocityStep::slow_down_with_closing(JointState<double>& state, double h) {
    difference<double>(context_.motion.dynamics.ws, tried_.q, q_on_equalities_, closing_);
    for (double& x : closing_) x /= h;
    const double of_closing = kinetic_energy_of(closing_), now = kinetic_energy_of(state.v);
    if (!(of_closing > taken_back_share * now)) return;
    for (std::size_t k = 0; k < closing_.size(); ++k) after_[k] = state.v[k] + closing_[k];
    const double product = kinetic_energy_of(after_) - now - of_closing;
    const double share = std::clamp(-product / (2 * of_closing), 0.0, 1.0);
    for (std::size_t k = 0; k < closing_.size(); ++k) state.v[k] += share * closing_[k];
}

// Whether the step has led into something that its rows, tangents at its beginning, have not seen: by the
// bodies as they are now. Limits have been looked at before, but for what closing equalities has done. After
// forward_kinematics of the state's coordinates.
bool VelocityStep::leads_astray(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = context_.motion.dynamics;
    if (dynamics.has_equalities() || limits_stay_passed_) {
        const double before = largest_limit_violation(context_.last.before, *context_.model).size;
        if (largest_limit_violation(state, *context_.model).size >
            std::max(limit_tolerance, before + max_pressed))
            return true;
    }
    if (tendons_are_limited_) {
        update_drives(state, dynamics.ws, dynamics.drives);
        if (largest_tendon_limit_violation(*context_.model, dynamics.drives).size >
            std::max(passing_tolerance, tendons_beyond_ + max_pressed))
            return true;
    }
    // Where bodies hardly move, nothing is met.
    if (!(h * surroundings_.fastest(dynamics.ws) > max_pressed)) return false;
    if (!probe_) probe_ = std::make_unique<CollisionWorkspace>(context_.model);
    if (!surroundings_.look_here(dynamics.ws, context_.options.threads, *probe_)) return false;
    const Contacts &now = probe_->contacts, &then = context_.collision.contacts;
    for (const Manifold& manifold : now.manifolds) {
        double deep = 0, before = 0;
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c)
            deep = std::max(deep, -now.contacts[c].distance);
        if (!(deep > passing_tolerance)) continue;
        for (const Manifold& own : then.manifolds)
            if (own.geom_a == manifold.geom_a && own.geom_b == manifold.geom_b)
                for (int c = own.begin; c < own.begin + own.count; ++c)
                    before = std::max(before, -then.contacts[c].distance);
        if (deep > before + max_pressed) return true;
    }
    return false;
}

// Whether the energy of the state, after a sub-step with these flows, is not far above what it may be. Where
// sub-steps cannot be shorter the surplus is taken out. What runs away within a step would be beyond all
// numbers before the guard of the whole step sees it.
bool VelocityStep::admits(JointState<double>& state, EnergyFlows& flows, StepReport& report) {
    const Energy<double> before = context_.energy_of(context_.last.before), after = context_.energy_of(state);
    const double given = flows.drives + flows.applied + flows.kinematic + std::max(0.0, -flows.corrections) +
                         std::max(0.0, -flows.dampers);
    const double risen = after.kinetic + after.potential - before.kinetic - before.potential - given;
    const double surplus =
        std::min(risen - max_made * after.kinetic - context_.idle_energy, max_slowed * after.kinetic);
    if (!(surplus > 0)) return true;
    if (!last_try_) return false;
    if (brake_.slow_down(surplus, context_.motion.dynamics, state)) {
        flows.removed += surplus;
        ++report.guarded;
    }
    return true;
}

// moving_: the velocities that coordinates move by, as impulses without bounce have them, and with the
// corrections of errors if there are any. Returns whether there are.
bool VelocityStep::find_moving(const JointState<double>& state, double h, bool bounces,
                               StepReport& report) {
    if (bounces)
        algebra_.outward(s_, moving_);
    else
        std::copy(context_.velocity_change.begin(), context_.velocity_change.end(), moving_.begin());
    const bool corrects = b_ != b_kept_;
    if (corrects)
        for (std::size_t i = 0; i < kept_motion_.size(); ++i)
            kept_motion_[i] = algebra_.link_motion(static_cast<int>(i));
    for (std::size_t k = 0; k < moving_.size(); ++k) moving_[k] += state.v[k];
    if (corrects) correct(state, h, report);
    return corrects;
}

// The velocities of the state where coordinates have got to, before they are put onto the equalities.
void VelocityStep::find_end_velocities(JointState<double>& state, double h, bool in_flight) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    if (limits_put_back_) {
        state.q.swap(closed_q_);
        forward_kinematics(state, ws);
    }
    if (in_flight && factor_.factor(ws) < 0)
        transport_.find(ws, factor_, state.v);
    else if (!whole_)
        average_velocities(state);
    if (limits_put_back_) carry_velocities(state);
    if (trees_.any_floats()) {
        update_link_velocities(state.v, ws);
        trees_.restore(ws, state.v);
    }
    if (context_.motion.dynamics.has_equalities()) slow_down_with_closing(state, h);
}

VelocityStep::Advance VelocityStep::advance(JointState<double>& state, double h,
                                            StepReport& report) {
    const Stopwatch watch(report, StepStage::advance, context_.options.timed);
    SmoothDynamics& dynamics = context_.motion.dynamics;
    const Model& model = dynamics.model();
    algebra_.outward(s_after_, context_.velocity_change);
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(context_.velocity_change[k])) {
                report.status = StepStatus::non_finite;
                report.where = "the velocity of " + named(model, joint) + " would not be finite";
                return Advance::failed;
            }
    const bool bounces = s_ != s_after_;
    EnergyFlows flows;
    add_flows(state, h, flows);
    if (context_.momentum) propose_impulses(h);
    find_momenta();
    const bool corrects = find_moving(state, h, bounces, report);
    const bool in_flight = !corrects && flies() && take_off(state, h);
    const TreeMomenta::Step step{context_.rows, lambda_, carried_, held_back_, curved_, moving_, h};
    const bool dynamic = context_.options.multiplier.law == Law::dynamic;
    if (dynamic) trees_.note(dynamics.ws, step);
    if (dynamics.has_equalities()) note_contacts();

    context_.last.kind = SubstepKind::velocity;
    context_.last.h = h;
    context_.last.before = state;
    next_activation<double>(state, model, dynamics.drives, h, state.act);
    for (BaseMotion<double>& base : state.kinematic) base = moved(base, h);
    if (corrects) {
        // Where the step would lead without corrections. correct has left those velocities in uncorrected_.
        tried_.kinematic = state.kinematic;
        integrate<double>(dynamics.ws, state.q, uncorrected_, h, tried_.q);
        forward_kinematics(tried_, dynamics.ws);
        flows.corrections += context_.energy_here(tried_).potential;
    }
    integrate<double>(dynamics.ws, state.q, moving_, h, state.q);
    for (int k = 0; k < model.nv; ++k) state.v[k] += context_.velocity_change[k];
    state.time += h;
    if (const Advance closed = close_behind(state, step, report); closed != Advance::moved) {
        state = context_.last.before;
        return closed;
    }
    put_limits_back(state, h);
    if (!may_be_pressed_ && leads_astray(state, h)) {
        state = context_.last.before;
        return Advance::astray;
    }
    flows.corrections += corrects ? -context_.energy_here(state).potential : potential_put_back_;
    if (dynamic) find_end_velocities(state, h, in_flight);
    dynamics.fit_velocities(state);
    if (model.nkinematic > 0) {
        update_link_velocities(state.v, dynamics.ws);
        flows.kinematic += trees_.work_of_bases(dynamics.ws);
    }
    if (grows_ && !admits(state, flows, report)) {
        state = context_.last.before;
        return Advance::astray;
    }
    report.energy.flows += flows;
    if (context_.momentum) context_.momentum->accept();
    for (int k = 0; k < model.nv; ++k) context_.velocity_change[k] = state.v[k] - context_.last.before.v[k];
    to_look_back_ = dynamic && !bounces;
    keep_impulses(h);
    context_.bodies->state_was_set(state);
    return Advance::moved;
}

// Forces are asked for at the state that the step began with, where all of the curvature counts:
// accelerations and forces of equalities are found again for that, the other impulses stay.
void VelocityStep::look_back() {
    if (!to_look_back_ || context_.last.kind != SubstepKind::velocity) return;
    to_look_back_ = false;
    whole_ = looking_back_ = true;
    earlier_.resize(context_.rows.rows.size());
    for (std::size_t r = 0; r < earlier_.size(); ++r) earlier_[r] = context_.rows.rows[r].lambda;
    StepReport unused;
    forward_kinematics(context_.last.before, context_.motion.dynamics.ws);
    if (assemble(context_.last.before, context_.last.h, unused) &&
        context_.rows.rows.size() == earlier_.size() &&
        factor(context_.last.before, context_.last.h, unused)) {
        std::copy(s_free_.begin(), s_free_.end(), s_.begin());
        algebra_.apply(earlier_, s_);
        algebra_.hold_equalities(b_kept_, earlier_, s_);
        algebra_.outward(s_, context_.velocity_change);
        for (std::size_t r = 0; r < earlier_.size(); ++r) context_.rows.rows[r].lambda = earlier_[r];
    }
    whole_ = looking_back_ = false;
}

void VelocityStep::keep_impulses(double h) {
    for (std::size_t r = 0; r < lambda_.size(); ++r) context_.rows.rows[r].lambda = lambda_[r];
    store_contact_impulses(context_.rows, context_.collision.contacts);
    earlier_ = context_.warm.lambda;
    std::fill(context_.warm.lambda.begin(), context_.warm.lambda.end(), 0.0);
    for (const Row& row : context_.rows.rows) {
        if (row.warm < 0) continue;
        context_.warm.lambda[row.warm] = row.lambda;
        if (const int earlier = context_.warm.earlier(row.warm); earlier >= 0 && context_.impulse_time > 0)
            context_.warm.lambda[earlier] = earlier_[row.warm] / context_.impulse_time;
    }
    context_.impulse_time = h;
}

}  // namespace lig
