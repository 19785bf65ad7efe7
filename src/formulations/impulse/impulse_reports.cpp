// What the steps of `impulse` report: work and losses of impulses, joints and limits that are not held.

#include "constraints/limit_rows.h"
#include "formulations/impulse/impulse.h"
#include "formulations/impulse/tuning.h"
#include "model/named.h"

#include <ligament/assemble.h>
#include <ligament/dynamics.h>

#include <fmt/format.h>

#include <algorithm>

namespace lig {

// means_ has the velocities before impulses; from now on the mean of those and of the present ones.
impulse::SubstepVelocities Impulse::velocities_around(double h) {
    for (std::size_t k = 0; k < means_.size(); ++k) {
        means_[k].v = 0.5 * (means_[k].v + bodies_.velocities[k].v);
        means_[k].w = 0.5 * (means_[k].w + bodies_.velocities[k].w);
    }
    bool bases_move = false;
    for (int k = 1; k < bodies_.bases(); ++k)
        bases_move = bases_move || dot(means_[k].v, means_[k].v) + dot(means_[k].w, means_[k].w) > 0;
    return {h, bodies_.view(means_.data()), bodies_.moving(), bodies_.bases(), bases_move};
}

// What the impulses of a sub-step have done, before bodies move on.
void Impulse::account(const JointState<double>& state, double h, StepReport& report) {
    bodies_.hold_still();
    const impulse::SubstepVelocities u = velocities_around(h);
    EnergyFlows& flows = report.energy.flows;
    general_.add_work(state, bodies_, u, flows);
    flows.kinematic += joints_.work_of_bases(u);
    limits_.add_work(u, flows);
    contacts_.add_work(u, flows);
    if (context_.momentum) account_momentum(h);
}

// What corrections of a sub-step put into the elasticity of bodies: exact where it is quadratic.
double Impulse::stretched_energy(const JointState<double>& state, double h) {
    if (model_->deforming.empty() || !model_->options.enabled.spring) return 0;
    stretched_ = state;
    for (std::vector<double>* forces : {&elastic_before_, &elastic_after_}) forces->assign(model_->nv, 0.0);
    add_spring_forces<double>(stretched_, *model_, elastic_before_);
    const std::vector<TreeStretch>& all = model_->tree.stretches;
    const auto moved = [&](std::size_t stretch, int k) {
        return h * bodies_.corrections[bodies_.rates(static_cast<int>(stretch))].rate(k);
    };
    for (std::size_t s = 0; s < all.size(); ++s)
        for (int k = 0; k < all[s].count; ++k) stretched_.q[all[s].q_adr + k] += moved(s, k);
    add_spring_forces<double>(stretched_, *model_, elastic_after_);
    double sum = 0;
    for (std::size_t s = 0; s < all.size(); ++s)
        for (int k = 0; k < all[s].count; ++k)
            sum -= 0.5 * (elastic_before_[all[s].v_adr + k] + elastic_after_[all[s].v_adr + k]) * moved(s, k);
    return sum;
}

// Corrections move bodies without velocity: against gravity and elasticity, that is.
void Impulse::account_corrections(const JointState<double>& state, double h, StepReport& report) {
    report.energy.flows.corrections -= stretched_energy(state, h);
    const Vec3d gravity = model_->options.gravity;
    for (int i = 0; i < bodies_.links(); ++i) {
        const double floating = model_->floating_mass.empty() ? 0 : model_->floating_mass[i];
        report.energy.flows.corrections +=
            h * (bodies_.mass(i) - floating) * dot(gravity, bodies_.corrections[bodies_.index(i)].v);
    }
}

// soft-step: what the second sweep takes out of velocities is what removing errors has put into them. As far
// as contacts, friction and limits have given energy by that, they have not.
void Impulse::account_relaxation(StepReport& report) const {
    double taken = bodies_.kinetic_energy(means_) - bodies_.kinetic_energy(bodies_.velocities);
    EnergyFlows& flows = report.energy.flows;
    for (double* lost : {&flows.impacts, &flows.contact_friction, &flows.limits}) {
        const double given = std::clamp(-*lost, 0.0, std::max(taken, 0.0));
        *lost += given;
        taken -= given;
    }
    // What it has put in, the method has made.
    flows.corrections += std::max(taken, 0.0);
}

// Hard blows of piles open joints by half of torn_way for a moment, and close them again; soft ones may be
// farther apart for a moment, but not go on.
impulse::JointBounds Impulse::joint_bounds(const Errors& begun, const StepReport& report) const {
    using impulse::solver_tuning;
    const bool goes_on = begun.apart > solver_tuning.torn_way && report.joint_error > begun.apart;
    if (way_ == Way::split_step || (way_ == Way::soft_step && goes_on))
        return {solver_tuning.torn_way, solver_tuning.torn_sine};
    return {solver_tuning.torn_way, solver_tuning.soft_torn_sine, true};
}

void Impulse::note_torn_joint(const JointState<double>& state, const Errors& begun, StepReport& report) {
    q_ = state.q;
    const std::optional<impulse::TornJoint> torn =
        impulse::find_torn_joint(bodies_, joint_bounds(begun, report), q_);
    if (!torn) return;
    const int first = model_->tree.links[torn->link].joint_begin;
    report.status = StepStatus::not_converged;
    for (const Model::Joint& joint : model_->joints)
        if (joint.tree_joint == first)
            report.where =
                fmt::format("{} is not held: its bodies are {} by {:.2g} {}", named(*model_, joint),
                            torn->turned ? "turned" : "apart", torn->gap, torn->turned ? "rad" : "m");
}

// Equalities of a state that was set and that no pose closes: sweeps would come to a compromise. What a pose
// closes they close in time.
void Impulse::note_impossible_equality(const JointState<double>& state, StepReport& report) {
    if (!mending_ || equalities_looked_at_ || !model_->deforming.empty() ||
        !(report.equality_error > impulse::solver_tuning.suspicious_gap))
        return;
    equalities_looked_at_ = true;
    JointState<double> closed = state;
    const AssembleReport found = assemble(model_, closed);
    if (found.closed || found.open.empty()) return;
    report.status = StepStatus::equality_open;
    report.where = fmt::format("{} is open by {:.3g} m or rad, and no pose closes it with the others",
                               found.open.front().what, found.open.front().error);
}

// A limit that is passed by far; asked where limits are passed by more than when the step began.
void Impulse::note_passed_limit(const JointState<double>& state, StepReport& report) {
    const LimitViolation passed = largest_limit_violation(state, *model_);
    const double bound = way_ == Way::split_step ? impulse::solver_tuning.passed_by_far
                                                 : impulse::solver_tuning.soft_passed_by_far;
    if (!(passed.size > bound)) return;
    report.status = StepStatus::not_converged;
    report.where = fmt::format("{} is not held at its limit: it is passed by {:.2g}",
                               named(*model_, model_->joints[passed.source]), passed.size);
}

// … of contacts that are deeper than when the step began, and than they were given.
void Impulse::note_passed_contact(StepReport& report) {
    const std::optional<impulse::PassedContact> passed =
        passed_contacts_.find(contacts_, context_.collision.contacts);
    if (!passed) return;
    const auto name = [&](int geom) { return named(*model_, model_->bodies[model_->geoms[geom].body]); };
    report.status = StepStatus::not_converged;
    report.where =
        fmt::format("{} and {} are not held apart: they overlap by {:.2g} m, half of the thinner and more",
                    name(passed->geom_a), name(passed->geom_b), passed->depth);
}

}  // namespace lig
