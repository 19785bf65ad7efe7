#include "formulations/formulation.h"

#include "formulations/promises.h"
#include "simulation/energy_guard.h"

#include <ligament/dynamics.h>

#include <algorithm>

namespace lig {

Formulation::Formulation(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : motion(model),
      collision(model),
      warm(*model),
      pose_targets(*model),
      tracking(*model),
      model_(model),
      options_(options),
      change_(model->nv, 0.0),
      idle_energy_(lig::idle_energy(*model, formulations::resting_depth(options))) {
    last.before = JointState<double>(*model);
    if (!options.momentum_ledger || options.multiplier.law == Law::kinematic) return;
    momentum_ = std::make_unique<MomentumAccount>(model);
    motion.dynamics.momentum = momentum_.get();
}

void Formulation::forget() {
    clear_contacts(collision);
    std::fill(warm.lambda.begin(), warm.lambda.end(), 0.0);
    impulse_time = 0;
    last.kind = SubstepKind::none;
}

void Formulation::body_poses(const JointState<double>& state, std::span<Transformd> out) {
    forward_kinematics(state, motion.dynamics.ws);
    for (std::size_t b = 0; b < out.size(); ++b)
        out[b] = body_pose(motion.dynamics.ws, static_cast<int>(b));
}

Energy<double> Formulation::energy_of(const JointState<double>& state) {
    forward_kinematics(state, motion.dynamics.ws);
    return energy_here(state);
}

Energy<double> Formulation::energy_here(const JointState<double>& state) {
    SmoothDynamics& dynamics = motion.dynamics;
    update_drives(state, dynamics.ws, dynamics.drives);
    Energy<double> sum = energy(state, dynamics.ws, dynamics.drives);
    const double penalties = penalty_energy();
    sum.elastic += penalties;
    sum.potential += penalties;
    return sum;
}

void Formulation::note_momenta(const JointState<double>& state, StepReport& report) {
    if (!momentum_) return;
    const Momenta now = momenta_of(state);
    MomentumAccount::note_change(left_, now, report.momentum);
    left_ = now;
}

StepReport Formulation::step(JointState<double>& state, double dt, const Callbacks& callbacks) {
    StepReport report;
    const double end = state.time + dt;
    // Kinematic bodies may have been moved since; then the velocities of what is on them are others.
    const bool known = state.kinematic.empty() && state.q == known_q_ && state.v == known_v_ &&
                       penalty_energy() == known_penalties_;
    const Energy<double> before = known ? known_ : energy_of(state);
    Momenta had;
    if (momentum_) {
        had = momenta_of(state);
        momentum_->sum = {};
    }
    take_step(state, dt, callbacks, report);
    report.contacts = static_cast<int>(collision.contacts.contacts.size());
    if (was_taken(report)) {
        state.time = end;
        known_ = energy_of(state);
        known_q_ = state.q;
        known_v_ = state.v;
        known_penalties_ = penalty_energy();
        EnergyLedger& ledger = report.energy;
        ledger.before += before.kinetic + before.potential;
        ledger.kinetic = known_.kinetic;
        ledger.potential = known_.potential;
        ledger.elastic = known_.elastic;
        ledger.method = ledger.after() - ledger.before - ledger.flows.net();
        if (given_open) {
            ledger.flows.corrections -= ledger.method;
            ledger.method = 0;
        }
        if (momentum_) {
            left_ = momenta_of(state);
            momentum_->close(had, left_, report.momentum);
        }
    }
    report.time = state.time;
    return report;
}

}  // namespace lig
