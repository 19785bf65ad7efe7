#include "formulations/implicit/implicit.h"

#include "constraints/contact_rows.h"
#include "formulations/capabilities.h"
#include "formulations/maximal/body_momenta.h"
#include "model/named.h"

#include <ligament/bushing.h>

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

bool acts_by_penalties(const Model& model, const SimulationOptions& options) {
    if (options.touching != Touching::automatic) return options.touching == Touching::penalty;
    return options.stepping != Stepping::velocity && has_bushings(model);
}

// How high something bounces is a matter of impulses: stiff springs at the end of the step lose it.
std::optional<formulations::Unsupported> find_bounce(const Model& model) {
    const auto bounces = [](const std::string& what, const SourceLocation& where) {
        return formulations::Unsupported{formulations::Unsupported::Kind::model,
                                         "bounces by penalties, as the restitution of " + what +
                                             " asks for; take touching hard (--touching hard)",
                                         where};
    };
    for (std::size_t k = 0; k < model.geoms.size(); ++k) {
        const GeomSpec& geom = model.geoms[k].spec;
        const bool touches = geom.collides && (geom.contype != 0 || geom.conaffinity != 0);
        if (touches && geom.restitution > 0) return bounces(named("geom", geom.name, k), geom.where);
    }
    for (std::size_t k = 0; k < model.pairs.size(); ++k)
        if (const auto& pair = model.pairs[k].spec; pair.restitution > 0)
            return bounces(named("contact pair", pair.name, k), pair.where);
    return std::nullopt;
}

std::optional<formulations::Unsupported> find_excluded(const Model& model, const SimulationOptions& options) {
    using formulations::Unsupported;
    if (options.stepping == Stepping::velocity && options.touching == Touching::penalty)
        return Unsupported{Unsupported::Kind::option, "velocity steps with penalties"};
    const ImplicitOptions &own = options.implicit, defaults;
    const bool by_penalties = acts_by_penalties(model, options) && options.stepping != Stepping::smooth;
    if (by_penalties) return find_bounce(model);
    if (own.penalty_frequency != defaults.penalty_frequency ||
        own.penalty_dissipation != defaults.penalty_dissipation)
        return Unsupported{Unsupported::Kind::contradiction,
                           "implicit.penalty_frequency (--penalty-frequency) and "
                           "implicit.penalty_dissipation (--penalty-dissipation) go with touching penalty"};
    return std::nullopt;
}

}  // namespace

Implicit::Implicit(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : VelocityFormulation(model, options),
      algebra_(model, collision.contacts, options),
      bodies_in_time_(model),
      bodies_(*model),
      accelerations_(model->nv) {
    if (by_penalties() && options.stepping != Stepping::smooth) {
        bodies_in_time_.touching.reset(new implicit::ImplicitTouching{
            {*model, options.implicit.penalty_frequency, options.implicit.penalty_dissipation},
            Surroundings(*model),
            collision,
            CollisionWorkspace(model),
            events,
            impulse_time,
            options.threads});
    }
    bodies_in_time_.stages.on = options.timed;
}

constinit const formulations::Capabilities Implicit::capabilities{
    .lacks = formulations::not_on_bodies,
    .coordinates = {Coordinates::automatic, Coordinates::maximal},
    .stepping = {Stepping::automatic, Stepping::velocity, Stepping::smooth},
    .integrator = {SmoothIntegrator::automatic, SmoothIntegrator::backward_euler, SmoothIntegrator::bdf2},
    .touching = {Touching::automatic, Touching::hard, Touching::penalty},
    .own_options = "implicit",
    .takes_any_stiffness = true,
    .smooth_steps = "implicit steps",
    .find_excluded = find_excluded,
};

bool Implicit::by_penalties() const { return acts_by_penalties(*model_, options_); }

void Implicit::state_was_set(const JointState<double>& state) {
    bodies_.state_was_set(state);
    bodies_in_time_.forget(state);
}

void Implicit::save_bodies(std::vector<double>& out) const {
    const implicit::ImplicitMotion::History& history = bodies_in_time_.history;
    const maximal::BodyCoordinates& bodies = bodies_.coordinates;
    const maximal::StepPacer::Memory& pace = history.pace;
    out.assign({bodies_.belongs(), pace.last_step, static_cast<double>(pace.easy), history.before,
                history.impulse_time});
    NumberWriter to(out);
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        write_pose(bodies, i, to);
        to.motion(bodies.V[i]);
        write_pose(history.bodies, i, to);
    }
    for (const std::vector<double>* v : {&history.momenta, &history.velocities, &history.impulses})
        to.numbers(*v);
    for (const Vec3d& e : bodies_in_time_.springs()) to.vector(e);
    for (const EnergyFlow& flow : energy_flows) to.number(history.work.*flow.value);
    to.number(history.penalties);
    for (const MomentumFlow& flow : momentum_flows) to.force(history.outside.flows.*flow.value);
    to.force(history.outside.on_floating);
}

void Implicit::restore_bodies(std::span<const double> numbers) {
    if (numbers.empty()) return;
    implicit::ImplicitMotion::History& history = bodies_in_time_.history;
    maximal::BodyCoordinates& bodies = bodies_.coordinates;
    NumberReader from(numbers.data());
    bodies_.restore_belongs(from.number());
    history.pace.last_step = from.number();
    history.pace.easy = static_cast<int>(from.number());
    history.before = from.number();
    history.impulse_time = from.number();
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        read_pose(from, i, bodies);
        bodies.V[i] = from.motion();
        read_pose(from, i, history.bodies);
    }
    for (std::vector<double>* v : {&history.momenta, &history.velocities, &history.impulses})
        from.numbers(*v);
    for (Vec3d& e : bodies_in_time_.springs()) e = from.vector();
    for (const EnergyFlow& flow : energy_flows) history.work.*flow.value = from.number();
    history.penalties = from.number();
    for (const MomentumFlow& flow : momentum_flows) history.outside.flows.*flow.value = from.force();
    history.outside.on_floating = from.force();
}

// The bodies of the state: those that are kept, if they belong to it, or found from its coordinates and put
// onto their equalities.
bool Implicit::find_bodies(JointState<double>& state, MotionReport& made) {
    if (bodies_.match(state)) return true;
    bodies_in_time_.forget(state);
    if (motion.dynamics.has_equalities()) {
        const ClosingReport closing = motion.dynamics.close_equalities(state);
        if (!closing.closed) {
            made.status = MotionStatus::equality_open;
            made.where = closing.where;
            return false;
        }
    }
    forward_kinematics(state, motion.dynamics.ws);
    bodies_in_time_.dynamics.system.poses.from_joints(motion.dynamics.ws, state, bodies_.coordinates);
    return true;
}

double Implicit::penalty_energy() const {
    return std::max(bodies_in_time_.history.penalties, 0.0);
}

Momenta Implicit::momenta_of(const JointState<double>& state) {
    return bodies_.match(state) ? maximal::momenta_of(*model_, bodies_.coordinates, *momentum_)
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
    smooth.most_steps = options_.max_substeps;
    smooth.control = callbacks.control;
    bodies_in_time_.pose_targets = pose_targets.active() ? &pose_targets : nullptr;
    const RestOfTime rest(options_.timed ? &report.seconds : nullptr, StepStage::advance);
    const bool made = note(advance_smoothly(state, dt, smooth), report);
    take_stage_times(report.seconds);
    if (made && bodies_in_time_.touching->penalties.act())
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
        Equalities::add(equality, {state, ws, nullptr, state.time, false}, acting_, terms_);
        for (std::size_t r = first; r < acting_.rows.size(); ++r)
            acting_.rows[r].lambda =
                -history.impulses[equality.begin + terms_[r].part] / history.impulse_time;
    }
    bodies_in_time_.touching->penalties.add_acting_rows(motion.dynamics.drives, acting_);
    add_contact_rows(collision.contacts, ws, {.h = 1, .reach_speed = HUGE_VAL}, 1, acting_);
    keep_forces(state, acting_, accelerations_);
}

MotionReport Implicit::advance_smoothly(JointState<double>& state, double duration, SmoothOptions& options) {
    MotionReport made;
    if (!find_bodies(state, made)) return made;
    implicit::DifferenceOptions how;
    how.method = options_.integrator == SmoothIntegrator::bdf2 ? implicit::Difference::bdf2
                                                               : implicit::Difference::euler;
    how.step = duration;
    how.newton = options_.implicit.newton;
    how.tolerance = options.tolerance;
    how.geometric_stiffness = options_.implicit.geometric_stiffness;
    how.most_steps = options.most_steps;
    how.control = options.control;
    made = bodies_in_time_.advance(motion.dynamics, state, bodies_.coordinates, duration, how);
    made.equality_rows = bodies_in_time_.dynamics.system.graph.equality_rows();
    bodies_.belong_to(state);
    return made;
}

}  // namespace lig
