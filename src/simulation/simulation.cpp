#include <ligament/simulation.h>

#include "core/suggest.h"
#include "formulations/formulation_list.h"
#include "formulations/promises.h"
#include "model/named.h"
#include "simulation/adhesion.h"
#include "simulation/energy_guard.h"
#include "simulation/finite_checks.h"
#include "simulation/follow_leap.h"
#include "simulation/guarded_step.h"
#include "simulation/kinematic_motion.h"
#include "simulation/own_forces.h"
#include "simulation/reactions.h"
#include "simulation/recompile.h"
#include "simulation/step_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lig {

std::string_view name_of(StepStatus status) {
    switch (status) {
        case StepStatus::ok: return "ok";
        case StepStatus::not_converged: return "not_converged";
        case StepStatus::too_many_events: return "too_many_events";
        case StepStatus::non_finite: return "non_finite";
        case StepStatus::step_too_small: return "step_too_small";
        case StepStatus::bad_arguments: return "bad_arguments";
        case StepStatus::callback_failed: return "callback_failed";
        case StepStatus::equality_open: return "equality_open";
        case StepStatus::overflow: return "overflow";
        case StepStatus::energy_gained: return "energy_gained";
    }
    return "unknown";
}

bool was_taken(const StepReport& report) {
    return report.status == StepStatus::ok || report.status == StepStatus::too_many_events ||
           (report.status == StepStatus::not_converged && !report.given_up);
}

struct Simulation::Inside {
    Inside(std::shared_ptr<const Model> the_model, SimulationOptions the_options,
           const formulations::FormulationInfo& the_info)
        : info(the_info),
          model(std::move(the_model)),
          options(std::move(the_options)),
          state(*model),
          formulation(info.make(model, options)),
          guard(formulations::guard_share(options), *model, formulations::has_soft_contacts(options)),
          leaps(*model),
          own_forces(*model),
          before(*model),
          guarded(stepping_parts(), options, info.can.leaves_slop, before) {
        if (Adhesion::is_in(*model)) adhesion = std::make_unique<Adhesion>(model);
        formulation->context().bodies->state_was_set(state);
    }

    Reactions& reactions_of() {
        if (!reactions) reactions = std::make_unique<Reactions>(model);
        return *reactions;
    }
    // Where equalities pull what they hold towards each other over some steps, nothing has to leap.
    bool equalities_hold() const { return info.can.holds_equalities; }
    // Callbacks may read and set inputs. Anything else would pull the ground from under the step that calls
    // them.
    void refuse_within_step(const char* what) const {
        if (stepping)
            throw std::logic_error(std::string("lig::Simulation: it cannot ") + what + " by a callback");
    }
    SteppingParts stepping_parts() { return {*model, state, *formulation, guard}; }
    // Within a step: what acts at a state, as the callback sets it and as bodies have it themselves.
    void set_forces(const Callbacks& callbacks, const JointState<double>& at, SmoothDynamics& dynamics) {
        own_forces.take_off(dynamics.qfrc_applied);
        if (adhesion) adhesion->take_off(dynamics);
        if (callbacks.control) {
            calling = "the control";
            callbacks.control(at, dynamics);
            bad_input = find_bad_input(dynamics);
            if (!bad_input.empty()) bad_input += ", set by the callback";
        }
        if (bad_input.empty()) bad_input = own_forces.add(at, dynamics.qfrc_applied);
        if (!bad_input.empty()) throw std::domain_error(bad_input);
        if (adhesion) adhesion->put_on(at, dynamics, formulation->context().adhesion);
        calling = nullptr;
    }

    const formulations::FormulationInfo& info;
    std::shared_ptr<const Model> model;
    SimulationOptions options;
    JointState<double> state;
    std::unique_ptr<Formulation> formulation;
    EnergyGuard guard;
    Leaps leaps;
    OwnForces own_forces;
    StepMemory before;  // the step under way, to take it back where it fails
    GuardedStep guarded;
    std::unique_ptr<Adhesion> adhesion;    // where something sticks
    std::unique_ptr<Reactions> reactions;  // once they are asked for
    std::unique_ptr<SensorWorkspace<double>> sensors;  // the same
    bool stepping = false;
    const char* calling = nullptr;  // the callback that runs, in words
    std::string bad_input;  // what has been applied within the step that is not finite
};

namespace {

[[noreturn]] void refuse_argument(const std::string& what) {
    throw std::invalid_argument("lig::Simulation: " + what);
}

const formulations::FormulationInfo& formulation_called(const std::string& name) {
    using namespace formulations;
    if (const FormulationInfo* info = find_formulation(name)) return *info;
    std::string text = "there is no formulation '" + name + "'; ";
    if (const std::string_view near = nearest(name, formulation_names); !near.empty())
        refuse_argument(text + "did you mean '" + std::string(near) + "'?");
    text += "there are";
    for (const std::string_view known : formulation_names) text += " " + std::string(known);
    refuse_argument(text);
}

// "lig::find_contacts: the pose …" without what tells programmers where it was thrown.
std::string without_function(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (text.starts_with("lig::") && colon != text.npos) text.remove_prefix(colon + 2);
    return std::string(text);
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Model> model, SimulationOptions options) {
    if (const std::string bad = formulations::find_bad_option(options); !bad.empty()) refuse_argument(bad);
    if (!model) refuse_argument("there is no model");
    const formulations::FormulationInfo& formulation = formulation_called(options.formulation);
    if (const auto lack = formulation.find_unsupported(*model, options)) {
        const std::string where = lack->where.to_string();
        refuse_argument(where.empty() ? lack->text : where + ": " + lack->text);
    }
    inside_ = std::make_unique<Inside>(std::move(model), std::move(options), formulation);
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Model& Simulation::model() const { return *inside_->model; }
const SimulationOptions& Simulation::options() const { return inside_->options; }
const JointState<double>& Simulation::state() const { return inside_->state; }
SmoothDynamics& Simulation::inputs() { return inside_->formulation->context().motion.dynamics; }
const Contacts& Simulation::contacts() const { return inside_->formulation->context().collision.contacts; }
double Simulation::contact_time() const { return inside_->formulation->context().impulse_time; }

void Simulation::set_state(const JointState<double>& state) {
    inside_->refuse_within_step("be set to a state");
    const JointState<double>& own = inside_->state;
    if (state.q.size() != own.q.size() || state.v.size() != own.v.size() ||
        state.act.size() != own.act.size() || state.kinematic.size() != own.kinematic.size() ||
        (!state.loop_q.empty() && state.loop_q.size() != model().loop_q0.size()))
        refuse_argument("the state is of another model");
    if (const std::string bad = find_bad_state(model(), state); !bad.empty()) refuse_argument(bad);
    inside_->state = state;
    if (state.loop_q.empty()) inside_->state.loop_q = model().loop_q0;
    inside_->leaps.expected = false;
    inside_->formulation->context().last.kind = SubstepKind::none;
    inside_->formulation->context().bodies->state_was_set(state);
}

void Simulation::set_kinematic(int body, const BaseMotion<double>& motion) {
    inside_->refuse_within_step("be given another motion");
    const std::vector<int>& bodies = model().kinematic_bodies;
    const auto found = std::find(bodies.begin(), bodies.end(), body);
    if (found == bodies.end()) refuse_argument("body " + std::to_string(body) + " is not kinematic");
    if (const std::string bad = find_bad_motion(motion); !bad.empty())
        refuse_argument("the motion of the kinematic body '" + model().bodies[body].name + "' " + bad);
    BaseMotion<double>& base = inside_->state.kinematic[static_cast<std::size_t>(found - bodies.begin())];
    const bool leaps = !is_at(base, motion);
    base = motion;
    if (!leaps) return;
    inside_->leaps.expected = inside_->equalities_hold();
    inside_->formulation->context().bodies->state_was_set(inside_->state);
}

void Simulation::reset() {
    inside_->refuse_within_step("be reset");
    inside_->leaps.expected = false;
    StepMemory::reset(inside_->stepping_parts());
}

void Simulation::reset(int keyframe) {
    if (keyframe < 0 || keyframe >= static_cast<int>(model().keyframes.size()))
        refuse_argument("the model has no keyframe " + std::to_string(keyframe));
    reset();
    JointState<double> given = keyframe_state(model(), keyframe);
    inside_->state = given;
    inputs().ctrl = model().keyframes[keyframe].ctrl;
    if (inside_->equalities_hold()) follow_leap(inside_->model, inputs(), inside_->state, given);
    inside_->formulation->context().bodies->state_was_set(inside_->state);
}

void Simulation::drive_to_pose(std::span<const double> pose, std::span<const double> velocity,
                               double frequency, double damping_ratio, double max_torque,
                               std::span<const int> joints) {
    PoseTargets& targets = inside_->formulation->context().pose_targets;
    targets.set(model(), pose, velocity, frequency, damping_ratio, max_torque,
                joints);
}

void Simulation::release_drives() { inside_->formulation->context().pose_targets.release(); }

void Simulation::track(const MotionClip& clip, const TrackingOptions& options) {
    inside_->refuse_within_step("be given a clip to track");
    inside_->formulation->context().tracking.set(inside_->model, clip, options);
}

void Simulation::release_tracking() {
    inside_->refuse_within_step("be released from tracking");
    inside_->formulation->context().tracking.release();
}

bool Simulation::is_tracking() const { return inside_->formulation->context().tracking.clip() != nullptr; }

bool Simulation::follows_now() const {
    return is_tracking() && !inside_->formulation->context().tracking.is_limp(state().time);
}

void Simulation::tracking_errors(std::span<double> out) const {
    if (static_cast<int>(out.size()) != model().nv)
        refuse_argument("tracking_errors: out has not one entry for each velocity");
    inside_->formulation->context().tracking.errors(inside_->state, out);
}

StepReport Simulation::step(double dt) {
    StepReport report;
    report.time = state().time;
    if (!(dt > 0 && std::isfinite(dt))) {
        report.status = StepStatus::bad_arguments;
        report.where = "the duration is not a positive number";
        return report;
    }
    if (!(state().time + dt > state().time)) {
        report.status = StepStatus::bad_arguments;
        report.where = "the duration is less than the rounding of the time";
        return report;
    }
    if (report.where = find_bad_input(inputs()); !report.where.empty()) {
        report.status = StepStatus::non_finite;
        return report;
    }
    Inside& inside = *inside_;
    if (inside.stepping) {
        report.status = StepStatus::bad_arguments;
        report.where = "a callback cannot make a step: one is under way";
        return report;
    }
    Formulation& formulation = *inside.formulation;
    const auto fail = [&](StepStatus status, std::string where) {
        report.status = status;
        report.where = std::move(where);
    };
    bool remembered = false;
    try {
        inside.stepping = true;
        inside.bad_input.clear();
        inside.calling = nullptr;
        if (inside.leaps.follow(inside.model, inputs(), inside.state))
            formulation.context().bodies->state_was_set(inside.state);
        inside.before.note(inside.stepping_parts());
        remembered = true;
        Callbacks checked;  // of this step: small enough for std::function to hold without allocating
        if (callbacks.control || inside.own_forces.any() || inside.adhesion)
            checked.control = [this](const JointState<double>& state, SmoothDynamics& dynamics) {
                inside_->set_forces(callbacks, state, dynamics);
            };
        formulation.context().events.clear();
        report = inside.guarded.take(dt, checked);
        if (inside.adhesion) inside.adhesion->take_off(inputs());
        if (was_taken(report))
            if (std::string bad = find_bad_state(model(), inside.state); !bad.empty())
                fail(StepStatus::non_finite, bad + " after the step");
        if (callbacks.contacts && was_taken(report)) {
            inside.calling = "the contact callback";
            callbacks.contacts(*this, formulation.context().events.collect());
        }
    } catch (const std::bad_alloc&) {
        fail(StepStatus::overflow, "out of memory");
    } catch (const std::exception& error) {
        // What else throws are numbers that have left the range of double.
        if (inside.calling)
            fail(StepStatus::callback_failed, std::string(inside.calling) + " failed: " + error.what());
        else
            fail(StepStatus::non_finite, without_function(error.what()));
    } catch (...) {
        fail(StepStatus::callback_failed,
             std::string(inside.calling ? inside.calling : "a callback") + " failed");
    }
    inside.stepping = false;
    inside.own_forces.take_off(inputs().qfrc_applied);
    if (inside.adhesion) inside.adhesion->take_off(inputs());
    if (!inside.bad_input.empty()) fail(StepStatus::non_finite, inside.bad_input);
    if (!was_taken(report)) {
        if (remembered) inside.before.put_back(inside.stepping_parts());
        report.time = state().time;
    }
    if (inside.leaps.end(report, inside.state)) formulation.context().bodies->state_was_set(inside.state);
    return report;
}

Energy<double> Simulation::energy() const {
    return inside_->formulation->context().energy_of(inside_->state);
}

void Simulation::body_poses(std::span<Transformd> out) const {
    if (out.size() != model().bodies.size())
        refuse_argument("body_poses: out has not one entry for each body");
    inside_->formulation->body_poses(inside_->state, out);
}

void Simulation::joint_reactions(std::span<Force<double>> out) const {
    inside_->reactions_of().joints(*inside_->formulation, inside_->state, out);
}
void Simulation::loop_reactions(std::span<Force<double>> out) const {
    inside_->reactions_of().loops(*inside_->formulation, inside_->state, out);
}

void Simulation::loop_coordinates(int loop, std::span<double> q, std::span<double> v) const {
    Workspace<double>& ws = inside_->formulation->context().motion.dynamics.ws;
    forward_kinematics(inside_->state, ws);
    lig::loop_coordinates<double>(inside_->state, ws, loop, q, v);
}

void Simulation::pair_reactions(std::span<Force<double>> out) const {
    inside_->reactions_of().pairs(*inside_->formulation, inside_->state, out);
}
void Simulation::bushing_forces(std::span<Force<double>> out) const {
    inside_->reactions_of().bushings(*inside_->formulation, inside_->state, out);
}
void Simulation::limit_forces(std::span<double> out) const { Reactions::limits(*inside_->formulation, out); }
const SensorWorkspace<double>& Simulation::read_sensors() const {
    if (!inside_->sensors) inside_->sensors = std::make_unique<SensorWorkspace<double>>(model());
    inside_->reactions_of().sensors(*inside_->formulation, inside_->state, *inside_->sensors);
    return *inside_->sensors;
}
void Simulation::tracking_forces(std::span<double> out) const {
    Reactions::tracking(*inside_->formulation, out);
}

Snapshot Simulation::save() const { return StepMemory::snapshot(inside_->stepping_parts()); }

void Simulation::restore(const Snapshot& snapshot) {
    inside_->refuse_within_step("be restored");
    StepMemory::restore(snapshot, inside_->stepping_parts());
    inside_->leaps.expected = model().nkinematic > 0 && inside_->equalities_hold();
}

void Simulation::recompile(const Scene& scene, const Snapshot& snapshot) {
    inside_->refuse_within_step("be recompiled");
    const std::shared_ptr<const Model> to = compile(scene);
    Simulation next(to, options());
    next.restore(carry_over(inside_->model, snapshot, to));
    inside_ = std::move(next.inside_);
}

}  // namespace lig
