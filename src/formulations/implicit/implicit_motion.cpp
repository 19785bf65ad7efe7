#include "formulations/implicit/implicit_motion.h"

#include "core/length.h"
#include "core/rotation_vector.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/bad_inertia.h"
#include "formulations/implicit/tuning.h"
#include "linalg/vector_ops.h"
#include "model/named.h"
#include "simulation/kinematic_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lig::implicit {

ImplicitMotion::ImplicitMotion(std::shared_ptr<const Model> model)
    : dynamics(BodyDynamics::with_body_blocks(model)),
      bases_(model),
      geometric_(dynamics.system),
      joints_(*model),
      bushings_(*model),
      flows_(dynamics.system),
      next_(*model),
      last_(*model) {
    const std::size_t n = static_cast<std::size_t>(dynamics.system.graph.size());
    for (std::vector<double>* v : {&u_, &p_, &f_, &y_, &x_, &rates_, &history.impulses}) v->assign(n, 0.0);
    for (std::vector<double>* v : {&history.momenta, &stage_.momenta})
        v->assign(static_cast<std::size_t>(dynamics.system.graph.body_entries()), 0.0);
    for (std::vector<double>* v :
         {&start_velocities_, &tau_, &history.velocities, &stage_.velocities})
        v->assign(model->nv, 0.0);
    const std::size_t links = model->tree.links.size();
    stage_.shift.resize(links);
    stage_.turn.resize(links);
    stage_.stretch.resize(model->tree.stretches.size());
    for (BodyCoordinates* b : {&history.bodies, &trial_}) {
        b->x.resize(links);
        b->quat.assign(links, Quatd{1, 0, 0, 0});
        b->V.resize(links);
        b->shapes.resize(model->tree.stretches.size());
    }
}

void ImplicitMotion::forget(const JointState<double>& state) {
    joints_.springs.start(state);
    history.before = history.impulse_time = 0;
    history.work = {};
    history.outside = {};
    history.penalties = History::unknown;
    history.pace = {};
}

void ImplicitMotion::look(const JointState<double>& state, const BodyCoordinates& bodies) {
    const Stopwatch watch(stages.watched(), StepStage::look);
    set_bases(state, bases_);
    dynamics.system.poses.look(bodies, bases_.bases, state.time);
}

// p_ and joint velocities are those of the beginning.
void ImplicitMotion::prepare_stage(const BodyCoordinates& bodies, double h, bool second_order) {
    const std::size_t links = bodies.x.size();
    const int nb = dynamics.system.graph.body_entries();
    stage_.eta = h;
    stage_.of_last = 0;
    std::copy_n(p_.begin(), nb, stage_.momenta.begin());
    stage_.velocities = start_velocities_;
    std::fill(stage_.shift.begin(), stage_.shift.end(), Vec3d::zero());
    std::fill(stage_.turn.begin(), stage_.turn.end(), Vec3d::zero());
    std::fill(stage_.stretch.begin(), stage_.stretch.end(), Sym3d::zero());
    if (!second_order) return;
    const double w = h / history.before, share = 1 / (1 + 2 * w);
    stage_.eta = h * (1 + w) * share;
    const double now = (1 + w) * (1 + w) * share, then = w * w * share;
    stage_.of_last = then;
    for (std::size_t i = 0; i < links; ++i) {
        stage_.shift[i] = then * (bodies.x[i] - history.bodies.x[i]);
        stage_.turn[i] = -then * rotation_log(history.bodies.quat[i] * conjugate(bodies.quat[i]));
    }
    for (std::size_t k = 0; k < stage_.stretch.size(); ++k)
        stage_.stretch[k] = then * (bodies.shapes[k].S - history.bodies.shapes[k].S);
    for (int k = 0; k < nb; ++k) stage_.momenta[k] = now * p_[k] - then * history.momenta[k];
    for (std::size_t k = 0; k < start_velocities_.size(); ++k)
        stage_.velocities[k] = now * start_velocities_[k] - then * history.velocities[k];
}

// (1): velocities at the end from where bodies have got to.
void ImplicitMotion::find_velocities(const BodyCoordinates& from, BodyCoordinates& to) const {
    const double by_time = 1 / stage_.eta;
    for (std::size_t i = 0; i < from.x.size(); ++i) {
        to.V[i].lin = by_time * (to.x[i] - from.x[i] - stage_.shift[i]);
        const Vec3d theta = rotation_log(to.quat[i] * conjugate(from.quat[i]));
        to.V[i].ang = by_time * angular_velocity(-theta, theta - stage_.turn[i]);
    }
    for (std::size_t k = 0; k < stage_.stretch.size(); ++k)
        to.shapes[k].rate = by_time * (to.shapes[k].S - from.shapes[k].S - stage_.stretch[k]);
}

// Impulses of the rows for a second of what acts now, in history.
bool ImplicitMotion::find_impulses(SmoothDynamics& inputs, JointState<double>& state,
                                   const BodyCoordinates& bodies, MotionReport& report) {
    look(state, bodies);
    dynamics.system.poses.find_freedoms();
    dynamics.find_forces(inputs, state, false, f_);
    const BodyDynamics::Solved solved = dynamics.accelerate_bodies(f_, 0);
    if (solved.bad_link >= 0) {
        report.status = MotionStatus::non_finite;
        report.where = bad_inertia(dynamics.system.graph.model(), solved.bad_link);
        return false;
    }
    const std::span<const double> solution = dynamics.solution();
    std::copy(solution.begin(), solution.end(), history.impulses.begin());
    history.impulse_time = 1;
    return true;
}

// f_: forces at the bodies looked at; x_: what is missed of (2) and (3), negative, with rows divided by η.
void ImplicitMotion::find_residual(SmoothDynamics& inputs, JointState<double>& state) {
    const Stopwatch watch(stages.watched(), StepStage::assemble);
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const double eta = stage_.eta;
    joints_.springs.follow(system);
    bushings_.look(system);
    if (springs_alone_) {
        std::fill(f_.begin(), f_.end(), 0.0);
        system.poses.add_gravity(f_);
        joints_.springs.add_forces(system, f_);
        bushings_.add_forces(system, f_);
        if (reads_joints_) system.poses.to_joints(state);
    } else {
        dynamics.find_forces(inputs, state, reads_joints_, f_);
    }
    system.poses.velocities(u_);
    if (reads_joints_ || !springs_alone_) {
        std::fill(tau_.begin(), tau_.end(), 0.0);
        if (joints_.has_rotors()) joints_.add_rotors(state.v, stage_.velocities, eta, tau_);
        if (pose_targets) joints_.add_pose_drive(*pose_targets, state, system.poses.workspace(), eta, tau_);
        if (!springs_alone_) joints_.springs.add_torques(tau_);
        system.poses.add_joint_forces(tau_, f_);
    }
    system.poses.add_shape_forces(u_, f_);
    system.poses.momenta(u_, x_);
    system.matrix.add_row_forces(y_, x_);
    for (int k = 0; k < nb; ++k) x_[k] = stage_.momenta[k] + eta * f_[k] - x_[k];
    const std::span<const double> errors = system.matrix.errors(), base = system.matrix.base_rates();
    const std::span<const char> velocity_rows = system.matrix.velocity_rows();
    bool any = false;
    for (int k = nb; k < n; ++k) {
        x_[k] = -errors[k] / eta;
        any = any || velocity_rows[k];
    }
    if (!any) return;
    system.matrix.row_velocities(u_, rates_);
    for (int k = nb; k < n; ++k)
        if (velocity_rows[k]) x_[k] = -(rates_[k] + base[k]);
}

void ImplicitMotion::add_stiffness(SmoothDynamics& inputs, const JointState<double>& state, bool careful,
                                   const DifferenceOptions& options) {
    BodySystem& system = dynamics.system;
    loads_.clear();
    if (touching) touching->penalties.add_loads(system, loads_);
    if (options.geometric_stiffness) geometric_.add(y_, loads_, stage_.eta, system);
    stiff_rows_.clear();
    if (springs_alone_) joints_.springs.add_blocks(stage_.eta, careful, system);
    if (!springs_alone_ || pose_targets || joints_.has_rotors())
        joints_.add_blocks(inputs, state, stage_.eta, careful, !springs_alone_, system, stiff_rows_);
    if (!bushings_.empty()) bushings_.add_stiffness(stage_.eta, system, stiff_rows_);
    if (touching) touching->penalties.add_blocks(stage_.eta, system);
}

bool ImplicitMotion::factor(MotionReport& report) {
    const Stopwatch watch(stages.watched(), StepStage::factor);
    const BlockLdlt::Factored factored = dynamics.system.matrix.factor();
    redundant_ = report.redundant_rows = factored.redundant_rows;
    if (factored.bad_node < 0) return true;
    failure_ = Failure::matrix;
    failed_link_ = factored.bad_node;
    return false;
}

// x_: what is missed becomes the change of velocities and impulses. False: some law of the rows beside the
// matrix could not be met.
bool ImplicitMotion::solve(const SmoothDynamics& inputs, double tolerance) {
    const Stopwatch watch(stages.watched(), StepStage::resolve);
    BodySystem& system = dynamics.system;
    const auto by_blocks = [&](std::span<double> b) {
        if (redundant_ == 0)
            system.matrix.solve(b);
        else
            system.matrix.solve_refined(b, newton_tuning.max_solves);
    };
    right_ = x_;
    by_blocks(x_);
    if (touching) {
        const Penalties& penalties = touching->penalties;
        touching->penalties.add_rows(penalties_at(inputs, next_), stage_.eta, x_, stiff_rows_);
        touching->clips.add_rows(system, next_, penalties.joint_inertia(), penalties.links_of_freedoms(),
                                 stage_.eta, stiff_rows_);
    }
    if (stiff_rows_.empty()) return true;
    const bool met = stiff_rows_.find_forces(system, x_, tolerance);
    if (touching) {
        touching->penalties.keep_forces(stage_.eta, stiff_rows_);
        touching->clips.keep_forces(stage_.eta, stiff_rows_);
    }
    stiff_rows_.add_forces(system, right_);
    x_ = right_;
    by_blocks(x_);
    return met;
}

// Newton's method from where the velocities lead (predict) or from where bodies are, into trial_ and next_.
bool ImplicitMotion::iterate(SmoothDynamics& inputs, const JointState<double>& state,
                             const BodyCoordinates& bodies, double h, bool predict,
                             const DifferenceOptions& options, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries(), n = system.graph.size();
    const double eta = stage_.eta;
    next_ = state;
    next_.time = state.time + h;
    for (BaseMotion<double>& motion : next_.kinematic) motion = moved(motion, h);
    trial_ = bodies;
    if (predict)
        for (int i = 0; i < system.graph.links(); ++i) {
            trial_.x[i] += h * bodies.V[i].lin;
            trial_.quat[i] = normalized(rotation_exp(h * bodies.V[i].ang) * bodies.quat[i]);
        }
    if (predict)
        for (std::size_t k = 0; k < trial_.shapes.size(); ++k)
            trial_.shapes[k].S += h * bodies.shapes[k].rate;
    const double share = history.impulse_time > 0 ? eta / history.impulse_time : 0.0;
    for (int k = nb; k < n; ++k) y_[k] = share * history.impulses[k];
    const double extent = system.graph.extent();
    double change = std::numeric_limits<double>::infinity();
    bool met = true;  // the laws of the last solution
    for (int iteration = 0;; ++iteration) {
        find_velocities(bodies, trial_);
        look(next_, trial_);
        system.matrix.find_rows(false);
        const double off = largest_of(system.matrix.errors().subspan(nb));
        const bool done = options.newton > 0 ? iteration == options.newton
                                             : met && change <= options.tolerance &&
                                                   off <= newton_tuning.position_tolerance * extent;
        if (done) return options.newton == 0 || looks_right(bodies, off);
        if (!std::isfinite(off) || off > newton_tuning.too_far * extent ||
            iteration == newton_tuning.max_iterations) {
            failure_ = Failure::rows;
            return false;
        }
        find_residual(inputs, next_);
        system.matrix.find_inertias();
        add_stiffness(inputs, next_, !predict, options);
        if (!factor(report)) return false;
        met = solve(inputs, newton_tuning.law_tolerance * options.tolerance * std::min(1.0, extent) / eta);
        ++report.newton_iterations;
        change = 0;
        for (int i = 0; i < system.graph.links(); ++i) {
            const Motion<double> moved = system.graph.motion_of(x_, i);
            const Vec3d step = eta * moved.lin, turn = eta * moved.ang;
            const double most = std::max(length(step) / extent, length(turn));
            if (!(most <= change)) change = most;
            system.poses.displace(i, eta, x_, trial_);
        }
        for (const TreeStretch& own : system.graph.tree().stretches)
            for (int k = 6; k < 6 + own.count; ++k) {
                const double most = eta * std::abs(x_[system.graph.offset(own.link) + k]);
                if (!(most <= change)) change = most;
            }
        for (int k = nb; k < n; ++k) y_[k] += x_[k];
        if (!std::isfinite(change)) {
            failure_ = Failure::velocities;
            return false;
        }
    }
}

// A single solution is taken as it is, as long as what it says is a motion of these bodies at all: joints
// have not come apart by more than a share of the parts, and nothing has turned by more than half a turn.
bool ImplicitMotion::looks_right(const BodyCoordinates& from, double off) {
    const BodySystem& system = dynamics.system;
    if (!(off <= newton_tuning.max_apart * system.graph.extent())) {
        failure_ = Failure::rows;
        return false;
    }
    for (std::size_t i = 0; i < from.x.size(); ++i)
        if (!(stage_.eta * length(trial_.V[i].ang) < std::numbers::pi)) {
            failure_ = Failure::turn;
            return false;
        }
    return true;
}

std::string ImplicitMotion::what_failed() const {
    switch (failure_) {
        case Failure::none: break;
        case Failure::rows: return dynamics.system.matrix.name_of_worst();
        case Failure::matrix:
            for (const Model::Body& body : dynamics.system.graph.model().bodies)
                if (body.link == failed_link_) return named(dynamics.system.graph.model(), body);
            break;
        case Failure::velocities: return "velocities, which would not be finite,";
        case Failure::turn: return "a body that would turn by more than half a turn at once";
    }
    return "a constraint";
}

bool ImplicitMotion::step(SmoothDynamics& inputs, JointState<double>& state, BodyCoordinates& bodies,
                          double h, const DifferenceOptions& options, MotionReport& report) {
    BodySystem& system = dynamics.system;
    const int nb = system.graph.body_entries();
    if (options.control) {
        look(state, bodies);
        system.poses.to_joints(state);
        options.control(state, inputs);
    }
    reads_joints_ = joints_.has_rotors() || pose_targets || tracking ||
                    (touching && touching->penalties.reads_joints());
    springs_alone_ = joints_.springs.alone(inputs);
    if (touching) look_around(inputs, state, h, report);
    if (history.impulse_time == 0 && !find_impulses(inputs, state, bodies, report)) return false;
    const JointState<double>* last = find_last(state);
    look(state, bodies);
    system.poses.velocities(u_);
    system.poses.momenta(u_, p_);
    if (touching && history.penalties == History::unknown) {
        if (reads_joints_) system.poses.to_joints(state);
        update_tendons(inputs, state);
        report.found_elastic = touching->penalties.energy(penalties_at(inputs, state));
    }
    start_velocities_ = state.v;
    const bool second_order = options.method == Difference::bdf2 && history.before > 0 &&
                              h <= newton_tuning.largest_ratio * history.before;
    bool made = false;
    // BDF2 may fail where backward Euler does not.
    for (const bool second : {true, false}) {
        if (second && !second_order) continue;
        prepare_stage(bodies, h, second);
        if (touching) touching->clips.begin(tracking, state, h, last, second);
        made = iterate(inputs, state, bodies, h, true, options, report);
        if (!made && report.status == MotionStatus::ok && options.newton == 0)
            made = iterate(inputs, state, bodies, h, false, options, report);
        if (made || report.status != MotionStatus::ok) break;
    }
    if (!made || (touching && has_passed(inputs, h, options))) return false;
    report.joint_error = std::max(report.joint_error, system.matrix.joint_error());
    report.equality_error = std::max(report.equality_error, system.matrix.equality_error());
    system.poses.to_joints(next_);
    // Work is integrated as coordinates are.
    EnergyFlows work = stage_.eta * powers_at_end(inputs, state, stage_.of_last > 0);
    work += stage_.of_last * history.work;
    report.work += work;
    history.work = work;
    if (inputs.momentum) {
        OutsideImpulses impulses = stage_.eta * outside_;
        impulses += stage_.of_last * history.outside;
        inputs.momentum->sum += impulses;
        history.outside = impulses;
    }
    if (system.graph.model().na > 0)
        next_activation<double>(state, system.graph.model(), inputs.drives, h, next_.act);
    if (touching) keep_touching(inputs, report);
    std::swap(history.bodies, bodies);
    std::swap(bodies, trial_);
    std::copy_n(p_.begin(), nb, history.momenta.begin());
    std::swap(history.velocities, start_velocities_);
    history.before = h;
    joints_.springs.accept();
    std::swap(history.impulses, y_);
    history.impulse_time = stage_.eta;
    std::swap(state, next_);
    return true;
}

MotionReport ImplicitMotion::advance(SmoothDynamics& inputs, JointState<double>& state,
                                     BodyCoordinates& bodies, double duration,
                                     const DifferenceOptions& options) {
    MotionReport report;
    maximal::StepPacer pacer(duration, options.step, history.pace);
    const double shortest = std::ldexp(pacer.wanted(), -newton_tuning.max_halvings);
    while (!pacer.is_done() && report.status == MotionStatus::ok) {
        if (options.max_steps > 0 && report.steps + report.rejected >= options.max_steps) {
            report.status = MotionStatus::step_too_small;
            report.where = "more than " + std::to_string(options.max_steps) + " steps would be needed";
            break;
        }
        const double h = pacer.next();
        if (step(inputs, state, bodies, h, options, report)) {
            pacer.was_made(h);
            ++report.steps;
            pacer.lengthen();
            continue;
        }
        if (report.status != MotionStatus::ok) break;
        ++report.rejected;
        pacer.shorten(0.5 * h);
        if (pacer.length() < shortest || options.newton > 0) {
            report.status = MotionStatus::not_converged;
            report.where = fmt::format("{} cannot be held, in steps of {:.2g} s", what_failed(), h);
        }
    }
    return report;
}

}  // namespace lig::implicit
