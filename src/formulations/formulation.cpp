#include "formulations/formulation.h"

#include <ligament/drives.h>
#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig {

Formulation::Formulation(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : context_(std::move(model), options) {}

void Formulation::forget() {
    clear_contacts(context_.collision);
    std::fill(context_.warm.lambda.begin(), context_.warm.lambda.end(), 0.0);
    context_.impulse_time = 0;
    context_.last.kind = SubstepKind::none;
}

void Formulation::body_poses(const JointState<double>& state, std::span<Transformd> out) {
    Workspace<double>& ws = context_.motion.dynamics.ws;
    forward_kinematics(state, ws);
    for (std::size_t b = 0; b < out.size(); ++b) out[b] = body_pose(ws, static_cast<int>(b));
}

void Formulation::note_momenta(const JointState<double>& state, StepReport& report) {
    if (!context_.momentum) return;
    const Momenta now = momenta_of(state);
    MomentumAccount::note_change(left_, now, report.momentum);
    left_ = now;
}

StepReport Formulation::step(JointState<double>& state, double dt, const Callbacks& callbacks) {
    StepReport report;
    const BodyMemory& bodies = *context_.bodies;
    MomentumAccount* const momentum = context_.momentum.get();
    const double end = state.time + dt;
    // Kinematic bodies may have been moved since; then the velocities of what is on them are others.
    const bool known = state.kinematic.empty() && state.q == known_q_ && state.v == known_v_ &&
                       bodies.penalty_energy() == known_penalties_;
    const Energy<double> before = known ? known_ : context_.energy_of(state);
    Momenta had;
    if (momentum) {
        had = momenta_of(state);
        momentum->sum = {};
    }
    take_step(state, dt, callbacks, report);
    report.contacts = static_cast<int>(context_.collision.contacts.contacts.size());
    if (was_taken(report)) {
        state.time = end;
        known_ = context_.energy_of(state);
        count_loop_turns(context_.motion.dynamics.ws, state);
        known_q_ = state.q;
        known_v_ = state.v;
        known_penalties_ = bodies.penalty_energy();
        EnergyLedger& ledger = report.energy;
        ledger.before += before.kinetic + before.potential;
        ledger.kinetic = known_.kinetic;
        ledger.potential = known_.potential;
        ledger.elastic = known_.elastic;
        ledger.method = ledger.after() - ledger.before - ledger.flows.net();
        if (context_.given_open) {
            // Motion is made by no correction that moves bodies beside their velocities.
            const double raised = context_.corrects_beside_velocities
                                      ? std::max(0.0, known_.potential - before.potential)
                                      : HUGE_VAL;
            const double corrected = std::min(ledger.method, raised);
            ledger.flows.corrections -= corrected;
            ledger.method -= corrected;
        }
        if (momentum) {
            left_ = momenta_of(state);
            momentum->close(had, left_, report.momentum);
        }
    }
    report.time = state.time;
    return report;
}

}  // namespace lig
