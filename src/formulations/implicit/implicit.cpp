#include "formulations/implicit/implicit.h"

#include "constraints/contact_rows.h"
#include "constraints/coupling_rows.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "formulations/maximal/body_momenta.h"
#include "model/named.h"

#include <ligament/bushing.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lig {

namespace {

void write(const Vec3d& v, std::vector<double>& out) { out.insert(out.end(), {v.x, v.y, v.z}); }
void write(const Force<double>& f, std::vector<double>& out) {
    write(f.ang, out);
    write(f.lin, out);
}
void write(const Quatd& q, std::vector<double>& out) { out.insert(out.end(), {q.w, q.x, q.y, q.z}); }

constexpr double EnergyFlows::* all_flows[] = {&EnergyFlows::drives,
                                               &EnergyFlows::applied,
                                               &EnergyFlows::kinematic,
                                               &EnergyFlows::dampers,
                                               &EnergyFlows::joint_friction,
                                               &EnergyFlows::contact_friction,
                                               &EnergyFlows::impacts,
                                               &EnergyFlows::limits,
                                               &EnergyFlows::corrections,
                                               &EnergyFlows::removed};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("implicit: " + what); }

// How high something bounces is a matter of impulses: stiff springs at the end of the step lose it.
void refuse_bounces(const Model& model) {
    constexpr const char* why =
        " bounces (restitution), which penalties do not; take touching hard (--touching hard)";
    for (std::size_t k = 0; k < model.geoms.size(); ++k) {
        const GeomSpec& geom = model.geoms[k].spec;
        const bool touches = geom.collides && (geom.contype != 0 || geom.conaffinity != 0);
        if (touches && geom.restitution > 0) refuse(named("geom", geom.name, k) + why);
    }
    for (std::size_t k = 0; k < model.pairs.size(); ++k)
        if (model.pairs[k].spec.restitution > 0)
            refuse(named("contact pair", model.pairs[k].spec.name, k) + why);
}

// Reads numbers one after the other.
struct Reader {
    const double* at;
    double next() { return *at++; }
    Vec3d vector() {
        at += 3;
        return {at[-3], at[-2], at[-1]};
    }
    Force<double> force() {
        const Vec3d ang = vector();
        return {ang, vector()};
    }
    Quatd quaternion() {
        at += 4;
        return {at[-4], at[-3], at[-2], at[-1]};
    }
    void copy(std::vector<double>& out) {
        std::copy_n(at, out.size(), out.begin());
        at += out.size();
    }
};

}  // namespace

Implicit::Implicit(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : VelocityFormulation(model, options),
      algebra_(model, collision.contacts, options),
      bodies_in_time_(model),
      accelerations_(model->nv) {
    if (by_penalties() && options.stepping != Stepping::smooth) {
        refuse_bounces(*model);
        bodies_in_time_.touching.reset(new implicit::ImplicitTouching{
            {*model, options.penalty_frequency, options.penalty_dissipation},
            Surroundings(*model),
            collision,
            events,
            impulse_time,
            options.threads});
    }
    const std::size_t links = model->tree.links.size();
    bodies_.x.assign(links, Vec3d::zero());
    bodies_.quat.assign(links, Quatd{1, 0, 0, 0});
    bodies_.V.assign(links, Motion<double>::zero());
}

std::string Implicit::find_unsupported(const SimulationOptions& options) {
    if (options.stepping == Stepping::event) return "stepping from event to event";
    if (options.law == Law::kinematic) return "the kinematic law";
    if (options.coordinates == Coordinates::joint) return "joint coordinates";
    if (options.loops == LoopMethod::anticipation) return "loops by anticipation";
    if (options.baumgarte > 0) return "Baumgarte's stabilization: joints hold by their positions";
    if (options.stepping == Stepping::velocity && options.touching == Touching::penalty)
        return "velocity steps with penalties";
    switch (options.integrator) {
        case SmoothIntegrator::euler: return "the integrator euler (backward_euler is its own)";
        case SmoothIntegrator::rk4: return "the integrator rk4";
        case SmoothIntegrator::rk45: return "the integrator rk45";
        case SmoothIntegrator::rattle: return "the integrator rattle";
        default: return {};
    }
}

bool Implicit::by_penalties() const {
    if (options_.touching != Touching::automatic) return options_.touching == Touching::penalty;
    return options_.stepping != Stepping::velocity && has_bushings(*model_);
}

void Implicit::state_was_set(const JointState<double>& state) {
    q_ = state.q;
    v_ = state.v;
    fitting_ = false;
    bodies_in_time_.forget(state);
}

void Implicit::save_bodies(std::vector<double>& out) const {
    const implicit::ImplicitMotion::History& history = bodies_in_time_.history;
    out.assign({fitting_ ? 1.0 : 0.0, history.last_step, static_cast<double>(history.easy), history.before,
                history.impulse_time});
    for (std::size_t i = 0; i < bodies_.x.size(); ++i) {
        write(bodies_.x[i], out);
        write(bodies_.quat[i], out);
        write(bodies_.V[i].ang, out);
        write(bodies_.V[i].lin, out);
        write(history.bodies.x[i], out);
        write(history.bodies.quat[i], out);
    }
    for (const std::vector<double>* v : {&history.momenta, &history.velocities, &history.impulses})
        out.insert(out.end(), v->begin(), v->end());
    for (const Vec3d& e : bodies_in_time_.springs()) write(e, out);
    for (const double EnergyFlows::* flow : all_flows) out.push_back(history.work.*flow);
    out.push_back(history.penalties);
    for (const MomentumFlow& flow : momentum_flows) write(history.outside.flows.*flow.value, out);
    write(history.outside.on_floating, out);
}

void Implicit::restore_bodies(std::span<const double> numbers) {
    if (numbers.empty()) return;
    implicit::ImplicitMotion::History& history = bodies_in_time_.history;
    Reader in{numbers.data()};
    fitting_ = in.next() != 0;
    history.last_step = in.next();
    history.easy = static_cast<int>(in.next());
    history.before = in.next();
    history.impulse_time = in.next();
    for (std::size_t i = 0; i < bodies_.x.size(); ++i) {
        bodies_.x[i] = in.vector();
        bodies_.quat[i] = in.quaternion();
        bodies_.V[i].ang = in.vector();
        bodies_.V[i].lin = in.vector();
        history.bodies.x[i] = in.vector();
        history.bodies.quat[i] = in.quaternion();
    }
    for (std::vector<double>* v : {&history.momenta, &history.velocities, &history.impulses}) in.copy(*v);
    for (Vec3d& e : bodies_in_time_.springs()) e = in.vector();
    for (double EnergyFlows::* flow : all_flows) history.work.*flow = in.next();
    history.penalties = in.next();
    for (const MomentumFlow& flow : momentum_flows) history.outside.flows.*flow.value = in.force();
    history.outside.on_floating = in.force();
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their loops.
bool Implicit::find_bodies(JointState<double>& state, MotionReport& made) {
    if (fitting_ && state.q == q_ && state.v == v_) return true;
    bodies_in_time_.forget(state);
    if (motion.dynamics.has_loops()) {
        const ClosingReport closing = motion.dynamics.close_loops(state);
        if (!closing.closed) {
            made.status = MotionStatus::loop_open;
            made.where = closing.where;
            return false;
        }
    }
    forward_kinematics(state, motion.dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(motion.dynamics.ws, state, bodies_);
    return true;
}

double Implicit::penalty_energy() const {
    return std::max(bodies_in_time_.history.penalties, 0.0);
}

Momenta Implicit::momenta_of(const JointState<double>& state) {
    return fitting_ && state.q == q_ && state.v == v_ ? maximal::momenta_of(*model_, bodies_, *momentum_)
                                                      : Formulation::momenta_of(state);
}

void Implicit::step_automatically(JointState<double>& state, double dt, const Callbacks& callbacks,
                                  StepReport& report) {
    if (!by_penalties()) {
        VelocityFormulation::step_automatically(state, dt, callbacks, report);
        return;
    }
    if (tracking.acts(state.time, dt)) {
        report.status = StepStatus::bad_arguments;
        report.where =
            "the formulation 'implicit' does not track a clip with penalties; take touching hard "
            "(--touching hard)";
        return;
    }
    SmoothOptions smooth;
    smooth.tolerance = options_.tolerance;
    smooth.most_steps = options_.most_substeps;
    smooth.control = callbacks.control;
    bodies_in_time_.pose_targets = pose_targets.active() ? &pose_targets : nullptr;
    if (note(advance_smoothly(state, dt, smooth, report), report) &&
        bodies_in_time_.touching->penalties.act())
        keep_penalties(state);
}

// For whoever asks for forces: those of the last step, at its end. Where nothing is touched they follow from
// the state.
void Implicit::keep_penalties(const JointState<double>& state) {
    const implicit::ImplicitMotion::History& history = bodies_in_time_.history;
    const Workspace<double>& ws = motion.dynamics.ws;
    forward_kinematics(state, motion.dynamics.ws);
    for (std::size_t k = 0; k < accelerations_.size(); ++k)
        accelerations_[k] = (state.v[k] - history.velocities[k]) / history.before;
    acting_.clear();
    terms_.clear();
    const maximal::BodySystem& system = bodies_in_time_.dynamics.system;
    for (std::size_t e = 0; e < system.graph.equalities().size(); ++e) {
        const maximal::BodyGraph::Equality& equality = system.graph.equalities()[e];
        const std::size_t first = acting_.rows.size();
        if (equality.kind == RowKind::loop)
            add_loop(ws, equality.source, false, acting_, terms_);
        else if (equality.kind == RowKind::pair)
            add_pair(ws, equality.source, state.time, false, acting_, terms_);
        else
            add_coupling(state, *model_, equality.source, acting_, terms_);
        for (std::size_t r = first; r < acting_.rows.size(); ++r)
            acting_.rows[r].lambda =
                -history.impulses[equality.begin + terms_[r].part] / history.impulse_time;
    }
    bodies_in_time_.touching->penalties.add_acting_rows(motion.dynamics.drives, acting_);
    add_contact_rows(collision.contacts, ws, {.h = 1, .reach_speed = HUGE_VAL}, 1, acting_);
    keep_forces(state, acting_, accelerations_);
}

MotionReport Implicit::advance_smoothly(JointState<double>& state, double duration, SmoothOptions& options,
                                        StepReport& report) {
    using implicit::ImplicitStatus;
    MotionReport made;
    if (!find_bodies(state, made)) return made;
    implicit::ImplicitOptions how;
    how.method = options_.integrator == SmoothIntegrator::bdf2 ? implicit::Difference::bdf2
                                                               : implicit::Difference::euler;
    how.step = duration;
    how.newton = options_.newton;
    how.tolerance = options.tolerance;
    how.geometric_stiffness = options_.geometric_stiffness;
    how.most_steps = options.most_steps;
    how.control = options.control;
    const implicit::ImplicitReport moved =
        bodies_in_time_.advance(motion.dynamics, state, bodies_, duration, how);
    made.steps = moved.steps;
    made.rejected = moved.rejected;
    made.redundant_rows = moved.redundant_rows;
    made.loop_rows = bodies_in_time_.dynamics.system.graph.equality_rows();
    made.loop_error = moved.loop_error;
    report.newton_iterations += moved.solves;
    report.joint_error = std::max(report.joint_error, moved.joint_error);
    report.penetration = std::max(report.penetration, moved.penetration);
    report.limit_violation = std::max(report.limit_violation, moved.limit_violation);
    report.energy.before += moved.found;
    made.work = moved.work;
    made.where = moved.where;
    switch (moved.status) {
        case ImplicitStatus::ok: made.status = MotionStatus::ok; break;
        case ImplicitStatus::non_finite: made.status = MotionStatus::non_finite; break;
        case ImplicitStatus::not_converged: made.status = MotionStatus::not_converged; break;
        case ImplicitStatus::step_too_small: made.status = MotionStatus::step_too_small; break;
    }
    q_ = state.q;
    v_ = state.v;
    fitting_ = true;
    return made;
}

}  // namespace lig
