// What forces do at the end of a step.

#include "core/rotation.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/implicit/implicit_motion.h"
#include "simulation/kinematic_motion.h"

#include <algorithm>

namespace lig::implicit {

namespace {

// The velocity that leads a base from one place to another.
Motion<double> velocity_between(const BaseMotion<double>& from, const BaseMotion<double>& to, double time) {
    return {(1 / time) * rotation_log(to.quat * conjugate(from.quat)), (1 / time) * (to.pos - from.pos)};
}

}  // namespace

// At next_ and trial_, which the system looks at, after a step from `state`.
EnergyFlows ImplicitMotion::powers_at_end(SmoothDynamics& inputs, const JointState<double>& state,
                                          bool second_order) {
    BodySystem& system = dynamics.system;
    const double eta = stage_.eta;
    bool bases = false;
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        bases = bases || !is_at(state.kinematic[k], next_.kinematic[k]);
    const bool acts = dynamics.reads_joints(inputs) && (bases || flows_.act(inputs));
    // Springs and dampers alone need no kinematics.
    if (acts && (bases || !springs_alone_ || !bushings_.empty()))
        dynamics.find_forces(inputs, next_, true, f_);
    if (bases && !second_order) {
        // Backward Euler takes forces along what bodies move by, bases too.
        set_bases(next_, bases_);
        for (std::size_t k = 0; k < state.kinematic.size(); ++k)
            bases_.bases[1 + k].V_WL = velocity_between(state.kinematic[k], next_.kinematic[k], eta);
        system.poses.look(trial_, bases_.bases, next_.time);
        system.matrix.find_rows(false);
    }
    system.poses.velocities(u_);
    EnergyFlows out;
    std::fill(tau_.begin(), tau_.end(), 0.0);
    if (pose_targets) {
        joints_.add_pose_drive(*pose_targets, next_, system.poses.workspace(), eta, tau_);
        for (std::size_t k = 0; k < tau_.size(); ++k) out.drives += tau_[k] * next_.v[k];
    }
    if (joints_.has_rotors()) joints_.add_rotors(next_.v, stage_.velocities, eta, tau_);
    flows_.find(system, inputs, next_, acts, tau_);
    out += flows_.work(u_, 1);
    out.kinematic += BodyFlows::work_of_rows(system, y_) / eta;
    if (touching) {
        update_tendons(inputs, next_);
        const Penalties::Work work = touching->penalties.work(penalties_at(inputs, next_));
        out += work.powers;
        out.drives += touching->clips.power(next_.v);
        history.penalties = work.energy;
    }
    if (inputs.momentum) {
        outside_ = inputs.momentum->forces(system.poses.workspace(), inputs);
        if (touching)
            touching->penalties.add_contacts(penalties_at(inputs, next_), *inputs.momentum, outside_);
    }
    if (bases && !second_order) {
        look(next_, trial_);
        system.matrix.find_rows(false);
    }
    return out;
}

}  // namespace lig::implicit
