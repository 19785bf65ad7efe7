// What an implicit step with penalties finds around it, and what it leaves.

#include "formulations/implicit/implicit_motion.h"
#include "formulations/implicit/tuning.h"
#include "simulation/kinematic_motion.h"

#include <algorithm>

namespace lig::implicit {

namespace {

double deepest(const Contacts& contacts) {
    double depth = 0;
    for (const Contact& contact : contacts.contacts) depth = std::max(depth, -contact.distance);
    return depth;
}

}  // namespace

// Where limits and dry friction of tendons are read from, of a state that find_forces has not seen.
void ImplicitMotion::update_tendons(SmoothDynamics& inputs, const JointState<double>& state) {
    if (dynamics.system.graph.model().tendons.empty()) return;
    forward_kinematics(state, inputs.ws);
    update_drives(state, inputs.ws, inputs.drives);
}

// Contacts that may act within the step.
void ImplicitMotion::look_around(SmoothDynamics& inputs, const JointState<double>& state, double h,
                                 MotionReport& report) {
    const Stopwatch watch(stages.watched(), StepStage::look);
    ImplicitTouching& around = *touching;
    around.penalties.start();
    forward_kinematics(state, inputs.ws);
    around.penalties.remember(around.collision.contacts);
    if (!around.surroundings.look(inputs.ws, h, around.threads, around.collision)) return;
    around.events.add(around.collision.contacts.events);
    report.penetration = std::max(report.penetration, deepest(around.collision.contacts));
    around.penalties.hold_corners(around.collision.contacts, inputs.ws);
    around.penalties.begin(around.collision.contacts, inputs.ws, around.impulse_time);
}

// Where joints that follow something were when the last step began, if there was one.
const JointState<double>* ImplicitMotion::find_last(const JointState<double>& state) {
    if (!tracking || history.before == 0) return nullptr;
    last_ = state;
    last_.time -= history.before;
    for (BaseMotion<double>& motion : last_.kinematic) motion = moved(motion, -history.before);
    look(last_, history.bodies);
    dynamics.system.poses.to_joints(last_);
    return &last_;
}

// Whether bodies have got deeper into each other than the contacts of the step know of: their normals are
// those of its beginning, and what slides around an edge or a round end leaves them.
bool ImplicitMotion::has_passed(SmoothDynamics& inputs, double h, const DifferenceOptions& options) {
    ImplicitTouching& around = *touching;
    if (options.newton > 0 || newton_tuning.max_parts * h <= options.step ||
        around.collision.contacts.contacts.empty())
        return false;
    dynamics.system.poses.to_joints(next_);
    forward_kinematics(next_, inputs.ws);
    if (h * around.surroundings.fastest(inputs.ws) < newton_tuning.min_way) return false;
    if (!around.surroundings.look_here(inputs.ws, around.threads, around.probe)) return false;
    const double known =
        std::max(deepest(around.collision.contacts), around.penalties.depth(penalties_at(inputs, next_)));
    return deepest(around.probe.contacts) > known + newton_tuning.passing_tolerance;
}

// What was touched within a step that was made, for the next one and the report.
void ImplicitMotion::keep_touching(const SmoothDynamics& inputs, MotionReport& report) {
    const Model& model = dynamics.system.graph.model();
    touching->penalties.store(penalties_at(inputs, next_), touching->collision.contacts);
    report.penetration = std::max(report.penetration, deepest(touching->collision.contacts));
    touching->impulse_time = 1;
    report.limit_violation =
        std::max(report.limit_violation, largest_limit_violation(next_, model).size);
    if (touching->penalties.reads_tendons())
        report.limit_violation = std::max(
            report.limit_violation,
            largest_tendon_limit_violation(model, inputs.drives).size);
}

}  // namespace lig::implicit
