#include <ligament/simulation.h>

#include "formulations/reduced/reduced.h"
#include "linalg/lcp_list.h"

#include <cmath>
#include <stdexcept>

namespace lig {

std::string_view name_of(StepStatus status) {
    switch (status) {
        case StepStatus::ok: return "ok";
        case StepStatus::not_converged: return "not_converged";
        case StepStatus::non_finite: return "non_finite";
        case StepStatus::step_too_small: return "step_too_small";
        case StepStatus::bad_arguments: return "bad_arguments";
        case StepStatus::callback_failed: return "callback_failed";
        case StepStatus::loop_open: return "loop_open";
        case StepStatus::overflow: return "overflow";
    }
    return "unknown";
}

struct Simulation::Inside {
    Inside(std::shared_ptr<const Model> the_model, SimulationOptions the_options)
        : model(std::move(the_model)), options(std::move(the_options)), state(*model), reduced(model, options) {}

    std::shared_ptr<const Model> model;
    SimulationOptions options;
    JointState<double> state;
    Reduced reduced;
};

namespace {

void check_options(const SimulationOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw std::invalid_argument("lig::Simulation: " + what);
    };
    if (!(options.tolerance > 0 && std::isfinite(options.tolerance))) refuse("the tolerance is not positive");
    if (!(options.accuracy > 0 && std::isfinite(options.accuracy))) refuse("the accuracy is not positive");
    if (options.most_substeps < 1) refuse("most_substeps is less than 1");
    if (options.iterations < 0) refuse("the number of iterations is negative");
    if (options.threads < 1) refuse("the number of threads is less than 1");
}

// What is not finite among the inputs, in words; empty if everything is.
std::string find_bad_input(const SmoothDynamics& inputs) {
    const Model& model = inputs.model();
    for (std::size_t k = 0; k < inputs.ctrl.size(); ++k)
        if (!std::isfinite(inputs.ctrl[k]))
            return "the control of actuator '" + model.actuators[k].name + "' is not finite";
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(inputs.qfrc_applied[k]))
                return "the force applied to joint '" + joint.name + "' is not finite";
    for (std::size_t b = 0; b < inputs.xfrc_applied.size(); ++b) {
        const Force<double>& f = inputs.xfrc_applied[b];
        if (!std::isfinite(f.ang.x + f.ang.y + f.ang.z + f.lin.x + f.lin.y + f.lin.z))
            return "the force applied to body '" + model.bodies[b].name + "' is not finite";
    }
    return {};
}

// The same of a state.
std::string find_bad_state(const Model& model, const JointState<double>& state) {
    for (const Model::Joint& joint : model.joints) {
        for (int k = joint.q_adr; k < joint.q_adr + joint.nq; ++k)
            if (!std::isfinite(state.q[k])) return "a coordinate of joint '" + joint.name + "' is not finite";
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(state.v[k])) return "a velocity of joint '" + joint.name + "' is not finite";
    }
    for (const double a : state.act)
        if (!std::isfinite(a)) return "an activation is not finite";
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        const BaseMotion<double>& base = state.kinematic[k];
        const double sum = base.pos.x + base.pos.y + base.pos.z + base.quat.w + base.quat.x + base.quat.y +
                           base.quat.z + base.velocity.ang.x + base.velocity.ang.y + base.velocity.ang.z +
                           base.velocity.lin.x + base.velocity.lin.y + base.velocity.lin.z;
        if (!std::isfinite(sum))
            return "the motion of the kinematic body '" + model.bodies[model.kinematic_bodies[k]].name +
                   "' is not finite";
    }
    return std::isfinite(state.time) ? std::string() : std::string("the time is not finite");
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Model> model, SimulationOptions options) {
    check_options(options);
    inside_ = std::make_unique<Inside>(std::move(model), std::move(options));
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Model& Simulation::model() const { return *inside_->model; }
const SimulationOptions& Simulation::options() const { return inside_->options; }
const JointState<double>& Simulation::state() const { return inside_->state; }
SmoothDynamics& Simulation::inputs() { return inside_->reduced.motion.dynamics; }
const Contacts& Simulation::contacts() const { return inside_->reduced.collision.contacts; }
double Simulation::contact_time() const { return inside_->reduced.impulse_time; }

void Simulation::set_state(const JointState<double>& state) {
    const JointState<double>& own = inside_->state;
    if (state.q.size() != own.q.size() || state.v.size() != own.v.size() ||
        state.act.size() != own.act.size() || state.kinematic.size() != own.kinematic.size())
        throw std::invalid_argument("lig::Simulation: the state is of another model");
    if (const std::string bad = find_bad_state(model(), state); !bad.empty())
        throw std::invalid_argument("lig::Simulation: " + bad);
    inside_->state = state;
}

void Simulation::set_kinematic(int body, const BaseMotion<double>& motion) {
    for (std::size_t k = 0; k < model().kinematic_bodies.size(); ++k)
        if (model().kinematic_bodies[k] == body) {
            inside_->state.kinematic[k] = motion;
            return;
        }
    throw std::invalid_argument("lig::Simulation: body " + std::to_string(body) + " is not kinematic");
}

void Simulation::reset() {
    inside_->state = JointState<double>(model());
    SmoothDynamics& inputs = this->inputs();
    std::fill(inputs.ctrl.begin(), inputs.ctrl.end(), 0.0);
    std::fill(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(), 0.0);
    std::fill(inputs.xfrc_applied.begin(), inputs.xfrc_applied.end(), Force<double>::zero());
    inside_->reduced.forget();
}

void Simulation::reset(int keyframe) {
    if (keyframe < 0 || keyframe >= static_cast<int>(model().keyframes.size()))
        throw std::invalid_argument("lig::Simulation: the model has no keyframe " + std::to_string(keyframe));
    reset();
    inside_->state = keyframe_state(model(), keyframe);
    inputs().ctrl = model().keyframes[keyframe].ctrl;
}

StepReport Simulation::step(double dt) {
    StepReport report;
    report.time = state().time;
    const auto refuse = [&](StepStatus status, std::string where) {
        report.status = status;
        report.where = std::move(where);
        return report;
    };
    if (!(dt > 0 && std::isfinite(dt)))
        return refuse(StepStatus::bad_arguments, "the duration is not a positive number");
    if (std::string bad = find_bad_input(inputs()); !bad.empty())
        return refuse(StepStatus::non_finite, std::move(bad));
    if (std::string bad = find_bad_state(model(), state()); !bad.empty())
        return refuse(StepStatus::non_finite, std::move(bad));
    const char* failing = "the control";
    try {
        report = inside_->reduced.step(inside_->state, dt, callbacks);
        failing = "the contact callback";
        if (callbacks.contacts && report.status == StepStatus::ok)
            callbacks.contacts(*this, contacts().events);
        return report;
    } catch (const std::bad_alloc&) {
        return refuse(StepStatus::overflow, "out of memory");
    } catch (const std::exception& error) {
        return refuse(StepStatus::callback_failed, std::string(failing) + " failed: " + error.what());
    } catch (...) {
        return refuse(StepStatus::callback_failed, std::string(failing) + " failed");
    }
}

Energy<double> Simulation::energy() const {
    SmoothDynamics& dynamics = inside_->reduced.motion.dynamics;
    forward_kinematics(inside_->state, dynamics.ws);
    update_drives(inside_->state, dynamics.ws, dynamics.drives);
    return lig::energy(inside_->state, dynamics.ws, dynamics.drives);
}

Snapshot Simulation::save() const {
    return lig::save(model(), state(), inside_->reduced.collision);
}

void Simulation::restore(const Snapshot& snapshot) {
    lig::restore(model(), snapshot, inside_->state, inside_->reduced.collision);
}

}  // namespace lig
