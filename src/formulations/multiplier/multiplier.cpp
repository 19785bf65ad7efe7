#include "formulations/multiplier/multiplier.h"

#include "formulations/capabilities.h"
#include "formulations/maximal/body_momenta.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Kicks are explicit: of a freedom's own force by a change of its coordinate or velocity, relative to its
// inertia, no more than this within one of them, in so many parts of a step at most.
constexpr double most_stiff = 0.5;
constexpr int most_parts = 16;
// The same where there are no velocity steps to leave it to, and steps are kept as they are while they are
// stable.
constexpr double most_stiff_smooth = 1;
constexpr int most_smooth_parts = 4096;

std::optional<formulations::Unsupported> find_excluded(const Model&, const SimulationOptions& options) {
    using formulations::Unsupported;
    if (options.multiplier.law == Law::kinematic && options.stepping == Stepping::smooth)
        return Unsupported{Unsupported::Kind::option, "the kinematic law with smooth stepping"};
    const bool by_rattle = options.integrator == SmoothIntegrator::automatic ||
                           options.integrator == SmoothIntegrator::rattle;
    if (options.multiplier.baumgarte > 0 && (by_rattle || options.stepping == Stepping::velocity))
        return Unsupported{Unsupported::Kind::option,
                           "multiplier.baumgarte (--baumgarte) with steps whose joints hold by their "
                           "positions; take the integrator rk4 or rk45"};
    return std::nullopt;
}

}  // namespace

Multiplier::Multiplier(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : VelocityFormulation(model, options),
      algebra_(model, collision.contacts, options),
      bodies_in_time_(model, options.multiplier.equalities),
      bodies_(*model),
      found_(bodies_.coordinates),
      inertias_(model->nv) {
    bodies_in_time_.stages.on = options.timed;
}

constinit const formulations::Capabilities Multiplier::capabilities{
    .lacks = formulations::not_on_bodies,
    .coordinates = {Coordinates::automatic, Coordinates::maximal, Coordinates::joint},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::smooth},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::euler, SmoothIntegrator::rk4,
                   SmoothIntegrator::rk45, SmoothIntegrator::rattle},
    .own_options = "multiplier",
    .smooth_steps = "RATTLE where nothing is touched",
    .find_excluded = find_excluded,
};

void Multiplier::state_was_set(const JointState<double>& state) {
    bodies_.state_was_set(state);
    bodies_in_time_.pace = {};
}

// Poses may be off the coordinates by what constraints have left open: they are kept.
void Multiplier::velocities_were_set(const JointState<double>& state) {
    bodies_.velocities_were_set(state);
}

// Whether they belong to the state and how the last step went, then poses and velocities of the links.
void Multiplier::save_bodies(std::vector<double>& out) const {
    const multiplier::BodyMotion::Pace& pace = bodies_in_time_.pace;
    const maximal::BodyCoordinates& bodies = bodies_.coordinates;
    out.assign({bodies_.belongs(), pace.steps.last_step, static_cast<double>(pace.steps.easy), pace.longest});
    if (!bodies_.are_kept()) {
        out.resize(out.size() + maximal::numbers_of_body * bodies.x.size(), 0.0);
        return;
    }
    NumberWriter to(out);
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        write_pose(bodies, i, to);
        to.motion(bodies.V[i]);
    }
}

void Multiplier::restore_bodies(std::span<const double> numbers) {
    if (numbers.empty()) return;
    NumberReader from(numbers.data());
    bodies_.restore_belongs(from.number());
    multiplier::BodyMotion::Pace& pace = bodies_in_time_.pace;
    pace.steps.last_step = from.number();
    pace.steps.easy = static_cast<int>(from.number());
    pace.longest = from.number();
    maximal::BodyCoordinates& bodies = bodies_.coordinates;
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        read_pose(from, i, bodies);
        bodies.V[i] = from.motion();
    }
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their constraints.
bool Multiplier::find_bodies(JointState<double>& state, MotionReport& made) {
    const bool kept = options_.coordinates != Coordinates::joint;
    if (kept && bodies_.match(state)) return true;
    forward_kinematics(state, motion.dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(motion.dynamics.ws, state, found_);
    maximal::BodyCoordinates& bodies = bodies_.coordinates;
    MotionReport projected;
    if (kept && bodies_.only_poses_match(state)) {
        bodies.V = found_.V;
        if (bodies_in_time_.fit_velocities(state, bodies, projected)) return true;
    } else {
        bodies = found_;
        if (bodies_in_time_.project(state, bodies, projected)) return true;
    }
    made.status =
        projected.status == MotionStatus::non_finite ? MotionStatus::non_finite : MotionStatus::equality_open;
    made.where = projected.where;
    if (made.status == MotionStatus::equality_open) made.where += " cannot be closed";
    made.newton_iterations = projected.newton_iterations;
    return false;
}

Momenta Multiplier::momenta_of(const JointState<double>& state) {
    return bodies_.match(state) ? maximal::momenta_of(*model_, bodies_.coordinates, *momentum_)
                                : Formulation::momenta_of(state);
}

// In how many parts a step is to be made so that explicit kicks are stable, by the implicit terms that the
// step would have; 0: too many. Joints of several freedoms lose inertia along them near positions in which
// these become one, which the reference configuration does not know of.
int Multiplier::explicit_parts(const JointState<double>& state, double duration) {
    const bool smooth = options_.stepping == Stepping::smooth;
    if (smooth) {
        // Others than RATTLE were asked for by name, with their steps.
        const bool rattle = options_.integrator == SmoothIntegrator::automatic ||
                            options_.integrator == SmoothIntegrator::rattle;
        if (!rattle || !bodies_in_time_.dynamics.reads_joints(motion.dynamics)) return 1;
        find_stiffness(state, duration);
    }
    double ratio = algebra_.stiffness(motion.dynamics.ws, rows());
    if (ratio > 0) {
        const JointTerms& terms = algebra_.terms;
        bodies_in_time_.find_freedom_inertias(state, bodies_.coordinates, inertias_);
        for (int k = 0; k < model_->nv; ++k)
            ratio = std::max(ratio, terms.added[terms.added_at(k, k)] / inertias_[k]);
    }
    const double most = smooth ? most_stiff_smooth : most_stiff;
    const int parts = std::max(1, static_cast<int>(std::ceil(std::min(ratio / most, 1e6))));
    if (smooth) {
        rows_.clear();
        return std::min(parts, most_smooth_parts);
    }
    return parts <= most_parts ? parts : 0;
}

MotionReport Multiplier::advance_smoothly(JointState<double>& state, double duration,
                                          SmoothOptions& options) {
    MotionReport made;
    if (!find_bodies(state, made)) return made;
    const int parts = explicit_parts(state, duration);
    const bool explicit_method = options_.integrator != SmoothIntegrator::rk45;
    if (parts == 0 && explicit_method && options_.stepping == Stepping::automatic) {
        made.status = MotionStatus::step_too_small;
        return made;
    }
    multiplier::BodyMotionOptions how;
    switch (options_.integrator) {
        default: how.method = multiplier::Method::rattle; break;
        case SmoothIntegrator::euler: how.method = multiplier::Method::euler; break;
        case SmoothIntegrator::rk4: how.method = multiplier::Method::rk4; break;
        case SmoothIntegrator::rk45: how.method = multiplier::Method::rk45; break;
    }
    how.step = explicit_method ? duration / std::max(parts, 1) : duration;
    how.tolerance = options.tolerance;
    how.baumgarte = options_.multiplier.baumgarte;
    how.most_steps = options.most_steps;
    how.control = options.control;
    made = bodies_in_time_.advance(motion.dynamics, state, bodies_.coordinates, duration, how);
    made.equality_rows = bodies_in_time_.dynamics.system.graph.equality_rows();
    bodies_.belong_to(state);
    return made;
}

}  // namespace lig
