#pragma once

// StepMemory: what the next step of a simulation depends on, besides the model, the options, callbacks and
// what is tracked. Steps that fail are taken back to one, snapshots are made of one, and a reset is one with
// nothing in it.

#include "formulations/formulation.h"
#include "simulation/energy_guard.h"

#include <ligament/snapshot.h>

#include <vector>

namespace lig {

// The parts of a simulation that hold it.
struct SteppingParts {
    const Model& model;
    JointState<double>& state;
    Formulation& formulation;
    EnergyGuard& guard;
};

class StepMemory {
public:
    // As at the beginning: the reference configuration, no forces, no impulses.
    explicit StepMemory(const Model& model);

    const JointState<double>& state() const { return state_; }

    // Takes a copy. Does not allocate once it has taken one of the same size.
    void note(const SteppingParts& parts);
    // Puts the copy back.
    void put_back(const SteppingParts& parts) const;

    // The copy with the contacts as they are now, for the caller to keep.
    static Snapshot snapshot(const SteppingParts& parts);
    // Goes on from a snapshot. Throws std::invalid_argument where it does not fit, and nothing has changed.
    static void restore(const Snapshot& snapshot, const SteppingParts& parts);
    // Goes on from the beginning.
    static void reset(const SteppingParts& parts);

private:
    template <class Memory, class Copy>
    static void for_each_field(const SteppingParts& parts, Memory& memory, Copy&& copy);
    void put_back_fields(const SteppingParts& parts) const;

    JointState<double> state_;
    std::vector<double> ctrl_, qfrc_applied_, impulses_;
    std::vector<Force<double>> xfrc_applied_;
    PoseTargets pose_targets_;
    double impulse_time_ = 0;
    EnergyGuard::Account guard_;
    std::vector<double> bodies_;  // as the formulation numbers them
    std::vector<Contact> contacts_;
    std::vector<Manifold> manifolds_;
    std::vector<ContactEvent> events_;
};

}  // namespace lig
