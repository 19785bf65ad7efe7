#include "formulations/formulation.h"

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
      change_(model->nv, 0.0) {
    last.before = JointState<double>(*model);
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

StepReport Formulation::step(JointState<double>& state, double dt, const Callbacks& callbacks) {
    StepReport report;
    events.clear();
    const double end = state.time + dt;
    take_step(state, dt, callbacks, report);
    report.contacts = static_cast<int>(collision.contacts.contacts.size());
    if (was_taken(report)) state.time = end;
    report.time = state.time;
    return report;
}

}  // namespace lig
