#pragma once

// Formulation: how a simulation moves its state on, and what it keeps between steps whatever the method. Most
// of them step on velocities by one linear algebra or another (velocity_formulation.h); one that goes by
// other means brings its own take_step.

#include "constraints/pose_drive.h"
#include "constraints/rows.h"
#include "constraints/tracking_rows.h"
#include "constraints/warm_starts.h"
#include "simulation/contact_events.h"
#include "simulation/momentum_account.h"

#include <ligament/simulation.h>

#include <memory>
#include <span>
#include <vector>

namespace lig {

namespace formulations {
struct Capabilities;
}

enum class SubstepKind {
    none,      // since the beginning, or since the state was set
    smooth,
    velocity
};
// What the last sub-step began with, for whoever computes forces from what it did.
struct LastSubstep {
    SubstepKind kind = SubstepKind::none;
    double h = 0;                // velocity: its length,
    JointState<double> before;   // … and the state at its beginning
};

class Formulation {
public:
    virtual ~Formulation() = default;
    Formulation(const Formulation&) = delete;
    Formulation& operator=(const Formulation&) = delete;

    // Moves the state on by dt. On failure the report says why, and the caller takes back what has been done.
    StepReport step(JointState<double>& state, double dt, const Callbacks& callbacks);
    // Forgets impulses and contacts.
    virtual void forget();
    // The state is another one than the last step has left: it was set from outside, or is that of a velocity
    // step. For formulations that keep more of it than joint coordinates.
    virtual void state_was_set(const JointState<double>&) {}
    // The same where coordinates are those of the last step.
    virtual void velocities_were_set(const JointState<double>& state) { state_was_set(state); }
    // What such a formulation keeps, in numbers of its own order and always as many; none otherwise.
    // Restoring comes after state_was_set with the state that belongs to it.
    virtual void save_bodies(std::vector<double>& out) const { out.clear(); }
    virtual void restore_bodies(std::span<const double>) {}
    // Where bodies are. (bodies)
    virtual void body_poses(const JointState<double>& state, std::span<Transformd> out);
    // Energy that is in the state: of the joints' state and, where a formulation has such, of penalties.
    Energy<double> energy_of(const JointState<double>& state);
    // The same after forward_kinematics of the state.
    Energy<double> energy_here(const JointState<double>& state);
    // Something has changed the state after a step: what that does to momenta, for its ledger.
    void note_momenta(const JointState<double>& state, StepReport& report);
    // An energy of motion that is as good as none, J: of everything at a millimetre per second.
    double idle_energy() const { return idle_energy_; }
    // Fills in `last`, rows and velocity_change where that was left until somebody asks.
    virtual void look_back() {}

    SmoothMotion motion;           // with the inputs
    CollisionWorkspace collision;
    WarmStarts warm;
    PoseTargets pose_targets;
    Tracking tracking;
    double impulse_time = 0;       // how long the impulses that are kept acted; 0: there are none
    ContactEvents events;          // of the last step
    LastSubstep last;
    // Of the last velocity sub-step: rows with their impulses, and the change of the velocities.
    const Rows& rows() const { return rows_; }
    std::span<const double> velocity_change() const { return change_; }

protected:
    // Keeps a reference to the options.
    Formulation(std::shared_ptr<const Model> model, const SimulationOptions& options);

    // Moves the state on by dt, but for its time at the very end.
    // It puts what flows in and out into report.energy.flows, and adds to report.energy.before what is found
    // to have been in the state besides (of penalties, where a state was set).
    virtual void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                           StepReport& report) = 0;
    // Elastic energy beside that of the model's own springs: of penalties, as the last step has left it; 0
    // after the state was set.
    virtual double penalty_energy() const { return 0; }
    // Momenta that are in the state; of a formulation whose bodies give a little, those of the bodies. With
    // options.momentum_ledger.
    virtual Momenta momenta_of(const JointState<double>& state) { return momentum_->momenta(state); }
    // Whether the last step began with equalities so far open that to close them was most of it: then what it
    // made of the energy counts as a correction.
    bool given_open = false;

    const std::shared_ptr<const Model> model_;
    const SimulationOptions& options_;
    std::unique_ptr<MomentumAccount> momentum_;  // null: nobody asks
    Rows rows_;
    std::vector<double> change_;  // (nv)

private:
    double idle_energy_ = 0;
    // The energy that the last step has left, and of which state it is.
    Energy<double> known_{};
    std::vector<double> known_q_, known_v_;
    double known_penalties_ = 0;
    Momenta left_;  // by the last step
};

}  // namespace lig
