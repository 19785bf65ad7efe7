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
// refused by any other.
struct Snapshot {
    std::uint64_t fingerprint = 0;
    double time = 0;
    std::vector<double> q, v, act;
    std::vector<BaseMotion<double>> kinematic;
    std::vector<std::byte> contacts;  // as save_contacts gives them; empty: none were looked for

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
