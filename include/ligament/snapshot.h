#pragma once

// What is saved of a simulation, to be continued later or elsewhere.

#include <ligament/state.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lig {

class CollisionWorkspace;

// Everything needed to continue a simulation bit for bit. It carries the fingerprint of its model and is
// refused by any other. What Simulation::save adds to a state may be missing: each list is empty or whole.
struct Snapshot {
    std::uint64_t fingerprint = 0;
    double time = 0;
    std::vector<double> q, v, act;
    std::vector<BaseMotion<double>> kinematic;
    std::vector<std::byte> contacts;  // as save_contacts gives them; empty: none were looked for

    // Of a Simulation: what acts from outside,
    std::vector<double> ctrl;                 // (nu)
    std::vector<double> qfrc_applied;         // (nv)
    std::vector<Force<double>> xfrc_applied;  // (nbody)
    // the targets of drive_to_pose: frequency, damping ratio and largest torque of each joint, then q and v,
    std::vector<double> pose_targets;  // (3 joints + nq + nv)
    // and the impulses that the next step begins with, apart from those of contacts.
    std::vector<double> impulses;  // as the formulation numbers them
    double impulse_time = 0;       // how long they and those of the contacts acted; 0: there are none
    // Poses and velocities of bodies, of formulations that have them for coordinates. Without them they are
    // those of q and v; with them the simulation goes on bit for bit.
    std::vector<double> bodies;  // as the formulation numbers them
    // What the guard of the energy has in its account: made, moving, and the parts of a step.
    std::vector<double> guard;  // (3)
    std::vector<double> loop_q;  // as in JointState; empty: as at the reference configuration

    // A versioned little-endian block of bytes.
    std::vector<std::byte> to_bytes() const;
    // Throws std::invalid_argument, saying what is wrong, when the bytes are not a whole snapshot of a known
    // version.
    static Snapshot from_bytes(std::span<const std::byte> bytes);
};

Snapshot save(const Model& model, const JointState<double>& state);
Snapshot save(const Model& model, const JointState<double>& state, const CollisionWorkspace& collision);
// Throws std::invalid_argument when the snapshot is of another model; the state (and the contacts) are then
// untouched. A snapshot without contacts clears those of `collision`.
void restore(const Model& model, const Snapshot& snapshot, JointState<double>& state);
void restore(const Model& model, const Snapshot& snapshot, JointState<double>& state,
             CollisionWorkspace& collision);

}  // namespace lig
