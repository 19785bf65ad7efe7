#pragma once

// What acts on a simulation, as the bytes of a recording's blocks: numbers as they are.

#include "app/run/simulation_run.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lig::app {

// The start, as a Snapshot.
std::vector<std::byte> bytes_of(const StateInput& start, const Model& model);
std::vector<std::byte> bytes_of(const TrackedClip& clip);
std::vector<std::byte> bytes_of(const PathSamples& paths, const std::string& source);

// Back. All throw std::invalid_argument for what is no such thing; whether clip and paths fit the model is
// seen when they are used.
StateInput start_of(std::span<const std::byte> bytes, const Model& model);
TrackedClip clip_of(std::span<const std::byte> bytes);
PathSamples paths_of(std::span<const std::byte> bytes, std::string& source);

}  // namespace lig::app
