#pragma once

// StepContext: what all parts of a step work on, whatever the formulation. A formulation owns one, and its
// parts keep a reference to it.

#include "constraints/pose_drive.h"
#include "constraints/rows.h"
#include "constraints/tracking_rows.h"
#include "constraints/warm_starts.h"
#include "core/number_stream.h"
#include "simulation/contact_events.h"
#include "simulation/momentum_account.h"

#include <ligament/simulation.h>

#include <memory>
#include <span>
#include <vector>

namespace lig {

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
    // velocity: its forces count half of the curvature (VelocityStep::look_back).
    bool half_curved = false;
};

// What a formulation keeps of its state besides joint coordinates: bodies whose joints give a little, and the
// penalties by which they do. Nothing, where joints are exact.
class BodyMemory {
public:
    virtual ~BodyMemory() = default;

    // The state is another one than the last step has left: it was set from outside, or is that of a velocity
    // step.
    virtual void state_was_set(const JointState<double>&) {}
    // The same where coordinates are those of the last step.
    virtual void velocities_were_set(const JointState<double>& state) { state_was_set(state); }
    // What is kept, in numbers of its own order and always as many. Restoring comes after state_was_set with
    // the state that belongs to it.
    void save_bodies(std::vector<double>& out) const;
    void restore_bodies(std::span<const double> kept);
    // Whether bodies are kept that belong to the state: what they have left open is for the next steps.
    virtual bool has_bodies_of(const JointState<double>&) const { return false; }
    // Elastic energy beside that of the model's own springs: of penalties, as the last step has left it; 0
    // after the state was set.
    virtual double penalty_energy() const { return 0; }
    // Momenta that are in the state, or in the bodies that are kept of it.
    virtual Momenta momenta_of(const JointState<double>& state, MomentumAccount& account) {
        return account.momenta(state);
    }

private:
    // The list of what is kept, for both directions; to save changes nothing.
    virtual void save_or_restore(NumberStream&) {}
};

class Surroundings;

struct StepContext {
    // Keeps a reference to the options.
    StepContext(std::shared_ptr<const Model> model, const SimulationOptions& options);
    StepContext(const StepContext&) = delete;
    StepContext& operator=(const StepContext&) = delete;

    const std::shared_ptr<const Model> model;
    const SimulationOptions& options;
    BodyMemory nothing_kept;
    BodyMemory* bodies = &nothing_kept;  // a formulation that keeps some puts them here
    SmoothMotion motion;           // with the inputs
    CollisionWorkspace collision;
    WarmStarts warm;
    PoseTargets pose_targets;
    Tracking tracking;
    double impulse_time = 0;       // how long the impulses that are kept acted; 0: there are none
    ContactEvents events;          // of the last step
    // (bodies) What draws contacts together, at the centres of mass, as it last acted; empty: nothing does.
    std::vector<Force<double>> adhesion;
    LastSubstep last;
    // Of the last velocity sub-step: rows with their impulses, and the change of the velocities.
    Rows rows;
    std::vector<double> velocity_change;        // (nv)
    std::unique_ptr<MomentumAccount> momentum;  // null: nobody asks
    // Whether the step began with equalities so far open that to close them was most of it: then what it made
    // of the energy counts as a correction.
    bool given_open = false;
    bool corrects_beside_velocities = false;  // errors of position leave velocities as they are
    // Stepping::automatic: whether sub-steps may be smooth ones where nothing acts that these do not know.
    bool may_glide = true;
    double open_before = 0;  // relative error of equalities at the beginning of the step
    const double idle_energy;  // J, of motion that is as good as none: everything at a millimetre per second

    // Energy that is in the state: of the joints' state, and of penalties.
    Energy<double> energy_of(const JointState<double>& state);
    // The same after forward_kinematics of the state.
    Energy<double> energy_here(const JointState<double>& state);

    // Kinematics of the state, and the contacts that may act within h.
    void look(const JointState<double>& state, double h, Surroundings& surroundings, StepReport& report);
    // At the beginning of a step: what is open before anything moves has been given so. To close it is no
    // affair of the method. What is too far open for that is left to how the formulation moves on.
    void close_given(JointState<double>& state, StepReport& report);
    // All of a state but its coordinates, by a step of length h and the change of velocities in it.
    void move_beside_coordinates(JointState<double>& state, double h);
    // Impulses along the rows, which have acted for h, are kept for the next step.
    void keep_impulses(std::span<const double> lambda, double h);
    // After steps by forces: what acts in the state that they have left, as a velocity step of one second
    // would have it.
    void keep_forces(const JointState<double>& state, const Rows& acting,
                     std::span<const double> accelerations);

private:
    std::vector<double> earlier_;  // scratch of keep_impulses
};

}  // namespace lig
