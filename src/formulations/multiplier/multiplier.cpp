#include "formulations/multiplier/multiplier.h"

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
constexpr int numbers_of_all = 4, numbers_of_link = 13;

}  // namespace

Multiplier::Multiplier(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : VelocityFormulation(model, options),
      algebra_(model, collision.contacts, options),
      bodies_in_time_(model, options.loops) {
    const std::size_t links = model->tree.links.size();
    bodies_.x.assign(links, Vec3d::zero());
    bodies_.quat.assign(links, Quatd{1, 0, 0, 0});
    bodies_.V.assign(links, Motion<double>::zero());
    found_ = bodies_;
    inertias_.assign(model->nv, 0.0);
}

std::string Multiplier::find_unsupported(const SimulationOptions& options) {
    if (options.stepping == Stepping::event) return "stepping from event to event";
    if (options.law == Law::kinematic && options.stepping == Stepping::smooth)
        return "the kinematic law with smooth stepping";
    if (options.touching == Touching::penalty) return "limits and contacts by penalties";
    if (options.integrator == SmoothIntegrator::backward_euler) return "the integrator backward_euler";
    if (options.integrator == SmoothIntegrator::bdf2) return "the integrator bdf2";
    return {};
}

void Multiplier::state_was_set(const JointState<double>& state) {
    q_ = state.q;
    v_ = state.v;
    fitting_ = placed_ = false;
    bodies_in_time_.pace = {};
}

// Poses may be off the coordinates by what constraints have left open: they are kept.
void Multiplier::velocities_were_set(const JointState<double>& state) {
    placed_ = (fitting_ || placed_) && state.q == q_;
    fitting_ = false;
    v_ = state.v;
}

// Whether they belong to the state and how the last step went, then poses and velocities of the links.
void Multiplier::save_bodies(std::vector<double>& out) const {
    const multiplier::BodyMotion::Pace& pace = bodies_in_time_.pace;
    out.assign({fitting_ ? 1.0 : placed_ ? 2.0
                                         : 0.0,
                pace.last_step, static_cast<double>(pace.easy),
                pace.longest});
    if (!fitting_ && !placed_) {
        out.resize(numbers_of_all + numbers_of_link * bodies_.x.size(), 0.0);
        return;
    }
    for (std::size_t i = 0; i < bodies_.x.size(); ++i) {
        const Vec3d& x = bodies_.x[i];
        const Quatd& q = bodies_.quat[i];
        const Motion<double>& V = bodies_.V[i];
        out.insert(out.end(), {x.x, x.y, x.z, q.w, q.x, q.y, q.z, V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y,
                               V.lin.z});
    }
}

void Multiplier::restore_bodies(std::span<const double> numbers) {
    if (numbers.empty()) return;
    fitting_ = numbers[0] == 1;
    placed_ = numbers[0] == 2;
    bodies_in_time_.pace = {numbers[1], static_cast<int>(numbers[2]), numbers[3]};
    const double* n = numbers.data() + numbers_of_all;
    for (std::size_t i = 0; i < bodies_.x.size(); ++i, n += numbers_of_link) {
        bodies_.x[i] = {n[0], n[1], n[2]};
        bodies_.quat[i] = {n[3], n[4], n[5], n[6]};
        bodies_.V[i] = {{n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
    }
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their constraints.
bool Multiplier::find_bodies(JointState<double>& state, MotionReport& made, StepReport& report) {
    if (options_.coordinates != Coordinates::joint && fitting_ && state.q == q_ && state.v == v_)
        return true;
    forward_kinematics(state, motion.dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(motion.dynamics.ws, state, found_);
    multiplier::BodyMotionReport projected;
    if (options_.coordinates != Coordinates::joint && placed_ && state.q == q_) {
        bodies_.V = found_.V;
        if (bodies_in_time_.fit_velocities(state, bodies_, projected)) return true;
    } else {
        bodies_ = found_;
        if (bodies_in_time_.project(state, bodies_, projected)) return true;
    }
    made.status = projected.status == multiplier::BodyMotionStatus::non_finite ? MotionStatus::non_finite
                                                                               : MotionStatus::loop_open;
    made.where = projected.where;
    if (made.status == MotionStatus::loop_open) made.where += " cannot be closed";
    report.newton_iterations += projected.newton_iterations;
    return false;
}

Momenta Multiplier::momenta_of(const JointState<double>& state) {
    return fitting_ && state.q == q_ && state.v == v_ ? maximal::momenta_of(*model_, bodies_, *momentum_)
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
        bodies_in_time_.find_freedom_inertias(state, bodies_, inertias_);
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

MotionReport Multiplier::advance_smoothly(JointState<double>& state, double duration, SmoothOptions& options,
                                          StepReport& report) {
    using multiplier::BodyMotionStatus;
    MotionReport made;
    if (!find_bodies(state, made, report)) return made;
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
    how.baumgarte = options_.baumgarte;
    how.most_steps = options.most_steps;
    how.control = options.control;
    const multiplier::BodyMotionReport moved =
        bodies_in_time_.advance(motion.dynamics, state, bodies_, duration, how);
    made.steps = moved.steps;
    made.rejected = moved.rejected;
    made.redundant_rows = moved.redundant_rows;
    made.loop_rows = bodies_in_time_.dynamics.system.graph.equality_rows();
    made.loop_error = moved.loop_error;
    made.work = moved.work;
    report.newton_iterations += moved.newton_iterations;
    report.joint_error = std::max(report.joint_error, moved.joint_error);
    report.projected_steps += moved.projected;
    made.where = moved.where;
    switch (moved.status) {
        case BodyMotionStatus::ok: made.status = MotionStatus::ok; break;
        case BodyMotionStatus::non_finite: made.status = MotionStatus::non_finite; break;
        case BodyMotionStatus::not_converged: made.status = MotionStatus::loop_open; break;
        case BodyMotionStatus::step_too_small: made.status = MotionStatus::step_too_small; break;
    }
    q_ = state.q;
    v_ = state.v;
    fitting_ = true;
    placed_ = false;
    return made;
}

}  // namespace lig
