#include "formulations/multiplier/body_stepper.h"

#include "formulations/multiplier/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig::multiplier {

namespace {

constexpr const MotionTuning& tuning = motion_tuning;

}  // namespace

BodyStepper::BodyStepper(StepContext& context, maximal::BodyAlgebra& algebra, Stiffness& stiffness)
    : context_(context),
      algebra_(algebra),
      stiffness_(stiffness),
      bodies_in_time_(context.model, context.options.multiplier.equalities),
      bodies_(*context.model),
      found_(bodies_.coordinates),
      inertias_(context.model->nv) {
    bodies_in_time_.stages.on = context.options.timed;
}

void BodyStepper::state_was_set(const JointState<double>& state) {
    bodies_.state_was_set(state);
    bodies_in_time_.pace = {};
}

// Poses may be off the coordinates by what constraints have left open: they are kept.
void BodyStepper::velocities_were_set(const JointState<double>& state) {
    bodies_.velocities_were_set(state);
}

// Whether they belong to the state and how the last step went, then poses and velocities of the links.
void BodyStepper::save_or_restore(NumberStream& numbers) {
    BodyMotion::Pace& pace = bodies_in_time_.pace;
    const std::size_t links = bodies_.coordinates.x.size();
    bodies_.save_or_restore_belongs(numbers);
    pace.steps.save_or_restore(numbers);
    numbers.number(pace.longest);
    const std::size_t shapes = bodies_.coordinates.shapes.size();
    if (!bodies_.are_kept())
        return numbers.skip(maximal::numbers_of_body * links + maximal::numbers_of_shape * shapes);
    for (std::size_t i = 0; i < links; ++i) bodies_.save_or_restore(i, numbers);
    save_or_restore_shapes(bodies_.coordinates, numbers);
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their constraints.
bool BodyStepper::find_bodies(JointState<double>& state, MotionReport& report) {
    const bool kept = context_.options.coordinates != Coordinates::joint;
    if (kept && bodies_.match(state)) return true;
    forward_kinematics(state, context_.motion.dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(context_.motion.dynamics.ws, state, found_);
    maximal::BodyCoordinates& bodies = bodies_.coordinates;
    MotionReport projected;
    if (kept && bodies_.only_poses_match(state)) {
        bodies.V = found_.V;
        for (std::size_t k = 0; k < bodies.shapes.size(); ++k) bodies.shapes[k].rate = found_.shapes[k].rate;
        if (bodies_in_time_.fit_velocities(state, bodies, projected)) return true;
    } else {
        bodies = found_;
        if (bodies_in_time_.project(state, bodies, projected)) return true;
    }
    report.status =
        projected.status == MotionStatus::non_finite ? MotionStatus::non_finite : MotionStatus::equality_open;
    report.where = projected.where;
    if (report.status == MotionStatus::equality_open) report.where += " cannot be closed";
    report.newton_iterations = projected.newton_iterations;
    return false;
}

// In how many parts a step is to be made so that explicit kicks are stable, by the implicit terms that the
// step would have; 0: too many. Joints of several freedoms lose inertia along them near positions in which
// these become one, which the reference configuration does not know of.
int BodyStepper::explicit_parts(const JointState<double>& state, double duration) {
    const bool smooth = context_.options.stepping == Stepping::smooth;
    if (smooth) {
        // Others than RATTLE were asked for by name, with their steps.
        const bool rattle = context_.options.integrator == SmoothIntegrator::automatic ||
                            context_.options.integrator == SmoothIntegrator::rattle;
        if (!rattle || !bodies_in_time_.dynamics.reads_joints(context_.motion.dynamics)) return 1;
        stiffness_.find(state, duration);
    }
    double ratio = algebra_.stiffness(context_.motion.dynamics.ws, context_.rows);
    if (ratio > 0) {
        const JointTerms& terms = algebra_.terms;
        bodies_in_time_.find_freedom_inertias(state, bodies_.coordinates, inertias_);
        for (int k = 0; k < context_.model->nv; ++k)
            ratio = std::max(ratio, terms.added[terms.added_at(k, k)] / inertias_[k]);
    }
    const double allowed = smooth ? tuning.max_stiff_smooth : tuning.max_stiff;
    const int parts = std::max(1, static_cast<int>(std::ceil(std::min(ratio / allowed, 1e6))));
    if (smooth) {
        context_.rows.clear();
        return std::min(parts, tuning.max_smooth_parts);
    }
    return parts <= tuning.max_parts ? parts : 0;
}

MotionReport BodyStepper::advance(JointState<double>& state, double duration, SmoothOptions& options) {
    MotionReport report;
    if (!find_bodies(state, report)) return report;
    const int parts = explicit_parts(state, duration);
    const bool explicit_method = context_.options.integrator != SmoothIntegrator::rk45;
    if (parts == 0 && explicit_method && context_.options.stepping == Stepping::automatic) {
        report.status = MotionStatus::step_too_small;
        return report;
    }
    BodyMotionOptions settings;
    switch (context_.options.integrator) {
        default: settings.method = Method::rattle; break;
        case SmoothIntegrator::euler: settings.method = Method::euler; break;
        case SmoothIntegrator::rk4: settings.method = Method::rk4; break;
        case SmoothIntegrator::rk45: settings.method = Method::rk45; break;
    }
    settings.step = explicit_method ? duration / std::max(parts, 1) : duration;
    settings.baumgarte = context_.options.multiplier.baumgarte;
    return bodies_.advance(bodies_in_time_, context_.motion.dynamics, state, duration, options, settings);
}

}  // namespace lig::multiplier
