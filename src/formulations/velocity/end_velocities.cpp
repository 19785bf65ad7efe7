#include "formulations/velocity/end_velocities.h"

#include "constraints/base_motion.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/velocity/tuning.h"
#include "model/split_inertia.h"

#include <algorithm>

namespace lig {

namespace {

Force<double> about_centre(const Force<double>& momentum, const RigidInertia<double>& inertia) {
    return inertia.mass > 0 ? shift_back(momentum, (-1 / inertia.mass) * inertia.h) : momentum;
}

}  // namespace

EndVelocities::EndVelocities(StepContext& context, StepAlgebra& algebra, const StepEquations& equations)
    : trees(*context.model),
      context_(context),
      algebra_(algebra),
      equations_(equations),
      transport_(*context.model),
      factor_(*context.model),
      momenta_(context.model->tree.links.size()),
      held_back_(context.model->tree.links.size()),
      motions_(context.model->tree.links.size()),
      x_(context.model->nv),
      found_(context.model->nv),
      closing_(context.model->nv) {}

RigidInertia<double> EndVelocities::inertia_of(std::size_t link) const {
    return world_inertia(context_.motion.dynamics.ws.poses[link].X_WL.R,
                         context_.model->tree.links[link].inertia);
}

void EndVelocities::find_momenta() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const std::span<const Sym3d> turning = algebra_.terms.turning;
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        const RigidInertia<double> inertia = inertia_of(i);
        const Motion<double> V = ws.poses[i].V_WL + algebra_.link_motion(static_cast<int>(i));
        momenta_[i] = about_centre(inertia * V, inertia);
        held_back_[i] = turning.empty() ? Vec3d::zero() : turning[i] * V.ang;
    }
}

bool EndVelocities::flies(std::span<const double> lambda) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    const JointTerms& terms = algebra_.terms;
    if (context_.options.multiplier.law != Law::dynamic || equations_.whole_curvature || equations_.pushed ||
        equations_.has_drives || equations_.two_sided > 0 || trees.any_floats() ||
        context_.model->nkinematic > 0 || dynamics.has_equalities() || !context_.model->deforming.empty() ||
        !dynamics.drives.gravity_force.empty() || !terms.turning.empty())
        return false;
    const auto is_zero = [](double x) { return x == 0; };
    return std::all_of(terms.added.begin(), terms.added.end(), is_zero) &&
           std::all_of(lambda.begin(), lambda.end(), is_zero);
}

bool EndVelocities::take_off(const JointState<double>& state, double h, std::span<double> moving) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    if (factor_.factor(ws) >= 0) return false;
    x_ = equations_.curvature;
    factor_.inward(x_);
    factor_.outward(x_, found_);
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        const RigidInertia<double> inertia = inertia_of(i);
        momenta_[i] += about_centre(inertia * factor_.link_motion(static_cast<int>(i)), inertia);
    }
    for (std::size_t k = 0; k < x_.size(); ++k) {
        const double by_forces = context_.velocity_change[k] + found_[k];
        x_[k] = state.v[k] + by_forces;
        moving[k] -= 0.5 * by_forces;
    }
    transport_.note(ws, momenta_, x_, h);
    return true;
}

void EndVelocities::find(JointState<double>& state, bool in_flight) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    if (in_flight && factor_.factor(ws) < 0)
        transport_.find(ws, factor_, state.v);
    else if (!equations_.whole_curvature)
        average(state);
}

// Momenta from about the centres of mass to about the origins of links as they are now, without what bases
// give them.
void EndVelocities::take_momenta_to_origins() {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        const RigidInertia<double> inertia = inertia_of(i);
        if (inertia.mass > 0) momenta_[i] = shift_back(momenta_[i], (1 / inertia.mass) * inertia.h);
        if (context_.model->nkinematic > 0)
            momenta_[i] -= inertia * velocity_by_base(ws, static_cast<int>(i));
    }
}

// The velocities of the state become the mean of what they are and those that the links have with their
// momenta, where they have got to. After forward_kinematics of the state.
void EndVelocities::average(JointState<double>& state) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Tree<double>& tree = context_.model->tree;
    // Springs, dampers and drives that are stiff hold velocities where they are.
    JointTerms& terms = algebra_.terms;
    terms.turning = {};
    if (factor_.factor(ws, terms) >= 0) return;
    take_momenta_to_origins();
    for (const TreeLink<double>& link : tree.links)
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            x_[k] = tree.armature[k] * state.v[k];
            for (int l = link.v_adr; l < link.v_adr + link.nv; ++l)
                x_[k] += terms.added[terms.added_at(k, l)] * state.v[l];
        }
    factor_.inward(x_, momenta_);
    factor_.outward(x_, found_);
    keep_deforming(state.v, found_);
    for (std::size_t k = 0; k < x_.size(); ++k) state.v[k] = 0.5 * (state.v[k] + found_[k]);
}

// Links that deform have the velocities that they have: to: those of v.
void EndVelocities::keep_deforming(std::span<const double> v, std::span<double> to) const {
    const Tree<double>& tree = context_.model->tree;
    for (const TreeStretch& own : tree.stretches) {
        const TreeLink<double>& link = tree.links[own.link];
        std::copy_n(v.begin() + link.v_adr, link.nv, to.begin() + link.v_adr);
    }
}

void EndVelocities::carry(JointState<double>& state, std::vector<double>& q) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    update_link_velocities(state.v, ws);
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        const RigidInertia<double> inertia = inertia_of(i);
        momenta_[i] = about_centre(inertia * ws.poses[i].V_WL, inertia);
    }
    state.q.swap(q);
    forward_kinematics(state, ws);
    if (factor_.factor(ws) >= 0) return;
    take_momenta_to_origins();
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = context_.model->tree.armature[k] * state.v[k];
    factor_.inward(x_, momenta_);
    factor_.outward(x_, found_);
    keep_deforming(state.v, found_);
    state.v.swap(found_);
}

void EndVelocities::restore_trees(JointState<double>& state) {
    if (!trees.any_floats()) return;
    Workspace<double>& ws = context_.motion.dynamics.ws;
    update_link_velocities(state.v, ws);
    trees.restore(ws, state.v);
}

// Of velocities of joints alone, bases at rest. After forward_kinematics.
double EndVelocities::kinetic_energy_of(std::span<const double> v) {
    const Workspace<double>& ws = context_.motion.dynamics.ws;
    const Tree<double>& tree = context_.model->tree;
    double sum = 0;
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
        const TreeLink<double>& link = tree.links[i];
        motions_[i] =
            link.parent >= 0 ? shift(motions_[link.parent], ws.links[i].r) : Motion<double>::zero();
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            motions_[i] += v[k] * ws.S[k];
            sum += 0.5 * tree.armature[k] * v[k] * v[k];
        }
        sum += 0.5 * dot(motions_[i], inertia_of(i) * motions_[i]);
    }
    return sum;
}

void EndVelocities::slow_down_with_closing(JointState<double>& state, std::span<const double> open_q,
                                           std::span<const double> closed_q, double h) {
    difference<double>(context_.motion.dynamics.ws, open_q, closed_q, closing_);
    for (double& x : closing_) x /= h;
    const double of_closing = kinetic_energy_of(closing_), now = kinetic_energy_of(state.v);
    if (!(of_closing > velocity_tuning.taken_back_share * now)) return;
    for (std::size_t k = 0; k < closing_.size(); ++k) x_[k] = state.v[k] + closing_[k];
    const double product = kinetic_energy_of(x_) - now - of_closing;
    const double share = std::clamp(-product / (2 * of_closing), 0.0, 1.0);
    for (std::size_t k = 0; k < closing_.size(); ++k) state.v[k] += share * closing_[k];
}

}  // namespace lig
