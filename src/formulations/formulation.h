#pragma once

// Formulation: how a simulation moves its state on. Three of them are composed of the same parts, with a
// linear algebra and a way of moving smoothly of their own (velocity_step.h, smooth_step.h); one goes by
// other means.

#include "formulations/step_context.h"

#include <memory>
#include <span>
#include <vector>

namespace lig {

namespace formulations {
struct Capabilities;
}

class Formulation {
public:
    virtual ~Formulation() = default;
    Formulation(const Formulation&) = delete;
    Formulation& operator=(const Formulation&) = delete;

    // Moves the state on by dt. On failure the report says why, and the caller takes back what has been done.
    StepReport step(JointState<double>& state, double dt, const Callbacks& callbacks);
    // Forgets impulses and contacts.
    virtual void forget();
    // Where bodies are. (bodies)
    virtual void body_poses(const JointState<double>& state, std::span<Transformd> out);
    // Something has changed the state after a step: what that does to momenta, for its ledger.
    void note_momenta(const JointState<double>& state, StepReport& report);
    // Fills in what the context keeps of the last sub-step, where that was left until somebody asks.
    virtual void look_back() {}

    StepContext& context() { return context_; }
    const StepContext& context() const { return context_; }

protected:
    // Keeps a reference to the options.
    Formulation(std::shared_ptr<const Model> model, const SimulationOptions& options);

    // Moves the state on by dt, but for its time at the very end.
    // It puts what flows in and out into report.energy.flows, and adds to report.energy.before what is found
    // to have been in the state besides (of penalties, where a state was set).
    virtual void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                           StepReport& report) = 0;

    StepContext context_;

private:
    Momenta momenta_of(const JointState<double>& state) {
        return context_.bodies->momenta_of(state, *context_.momentum);
    }

    // The energy that the last step has left, and of which state it is.
    Energy<double> known_{};
    std::vector<double> known_q_, known_v_;
    double known_penalties_ = 0;
    Momenta left_;  // by the last step
};

}  // namespace lig
