#pragma once

// Springs towards a pose as the numbers that a snapshot has of them, and back.

#include "constraints/pose_drive.h"

#include <vector>

namespace lig {

// In the order of Snapshot::pose_targets. Joints that are not driven are as in a new PoseTargets.
std::vector<double> numbers_of(const Model& model, const PoseTargets& targets);
// Throws std::invalid_argument for numbers of another model, and those that no spring can have.
PoseTargets targets_of(const Model& model, const std::vector<double>& numbers);

}  // namespace lig
