#include "formulations/step_context.h"

#include "constraints/contact_rows.h"
#include "formulations/promises.h"
#include "formulations/surroundings.h"
#include "simulation/energy_guard.h"
#include "simulation/kinematic_motion.h"
#include "simulation/stopwatch.h"

#include <ligament/dynamics.h>

#include <algorithm>

namespace lig {

namespace {

// Relative to the parts: equalities that are given open by less are closed in passing.
constexpr double given_closed = 1e-5;

}  // namespace

void BodyMemory::save_bodies(std::vector<double>& out) const {
    out.clear();
    NumberStream numbers(out);
    const_cast<BodyMemory*>(this)->save_or_restore(numbers);
}

void BodyMemory::restore_bodies(std::span<const double> kept) {
    if (kept.empty()) return;
    NumberStream numbers(kept.data());
    save_or_restore(numbers);
}

StepContext::StepContext(std::shared_ptr<const Model> model_, const SimulationOptions& options_)
    : model(model_),
      options(options_),
      motion(model),
      collision(model),
      warm(*model),
      pose_targets(*model),
      tracking(*model),
      velocity_change(model->nv, 0.0),
      idle_energy(lig::idle_energy(*model, formulations::resting_depth(options))) {
    last.before = JointState<double>(*model);
    earlier_.reserve(warm.lambda.size());
    if (!options.momentum_ledger || options.multiplier.law == Law::kinematic) return;
    momentum = std::make_unique<MomentumAccount>(model);
    motion.dynamics.momentum = momentum.get();
}

void StepContext::look(const JointState<double>& state, double h, Surroundings& surroundings,
                       StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options.timed);
    forward_kinematics(state, motion.dynamics.ws);
    if (!surroundings.look(motion.dynamics.ws, h, options.threads, collision)) return;
    events.add(collision.contacts.events);
    for (const Contact& contact : collision.contacts.contacts)
        report.penetration = std::max(report.penetration, -contact.distance);
}

void StepContext::move_beside_coordinates(JointState<double>& state, double h) {
    next_activation<double>(state, *model, motion.dynamics.drives, h, state.act);
    for (BaseMotion<double>& base : state.kinematic) base = moved(base, h);
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] += velocity_change[k];
    state.time += h;
}

void StepContext::keep_impulses(std::span<const double> lambda, double h) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) rows.rows[r].lambda = lambda[r];
    store_contact_impulses(rows, collision.contacts);
    earlier_ = warm.lambda;
    std::fill(warm.lambda.begin(), warm.lambda.end(), 0.0);
    for (const Row& row : rows.rows) {
        if (row.warm < 0) continue;
        warm.lambda[row.warm] = row.lambda;
        if (const int earlier = warm.earlier(row.warm); earlier >= 0 && impulse_time > 0)
            warm.lambda[earlier] = earlier_[row.warm] / impulse_time;
    }
    impulse_time = h;
}

Energy<double> StepContext::energy_of(const JointState<double>& state) {
    forward_kinematics(state, motion.dynamics.ws);
    return energy_here(state);
}

Energy<double> StepContext::energy_here(const JointState<double>& state) {
    SmoothDynamics& dynamics = motion.dynamics;
    update_drives(state, dynamics.ws, dynamics.drives);
    Energy<double> sum = energy(state, dynamics.ws, dynamics.drives);
    const double penalties = bodies->penalty_energy();
    sum.elastic += penalties;
    sum.potential += penalties;
    return sum;
}

void StepContext::close_given(JointState<double>& state, StepReport& report) {
    SmoothDynamics& dynamics = motion.dynamics;
    given_open = false;
    if (!dynamics.has_equalities()) return;
    open_before = dynamics.equality_errors(state).relative;
    if (last.kind != SubstepKind::none || bodies->has_bodies_of(state)) return;
    if (open_before <= given_closed && dynamics.velocities_fit(state)) return;
    const Energy<double> before = energy_of(state);
    const ClosingReport closing = dynamics.close_equalities(state);
    given_open = !closing.closed;
    if (given_open) return;
    const Energy<double> after = energy_of(state);
    report.energy.flows.corrections += before.kinetic + before.potential - after.kinetic - after.potential;
    open_before = closing.relative;
    bodies->state_was_set(state);
}

void StepContext::keep_forces(const JointState<double>& state, const Rows& acting,
                              std::span<const double> accelerations) {
    rows = acting;
    std::copy(accelerations.begin(), accelerations.end(), velocity_change.begin());
    last.kind = SubstepKind::velocity;
    last.h = impulse_time = 1;
    last.before = state;
    last.half_curved = false;
}

}  // namespace lig
