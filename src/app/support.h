#pragma once

// What the model or a state holds that the computation of accelerations does not honour yet. It is refused by
// name: a result that silently leaves out a loop is worse than none.

#include "app/names.h"

#include <ligament/drives.h>

#include <cstddef>

namespace lig::app {

// Loops, couplings and dry friction, unless the model switches them off.
void require_supported_model(const Model& model, const Names& names);

// Limits of joints and tendons push back only where they are violated.
void require_within_limits(const Names& names, const JointState<double>& state, std::size_t index,
                           Workspace<double>& ws, DriveWorkspace<double>& drives);

}  // namespace lig::app
