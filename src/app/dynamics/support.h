#pragma once

// What a model with bodies that deform, or a state of it, holds that the computation of accelerations does
// not honour. It is refused by name: a result that silently leaves out a limit is worse than none.

#include "app/names.h"

#include <ligament/drives.h>

#include <cstddef>
#include <string>

namespace lig::app {

// A Failure that tells the place in the file.
[[noreturn]] void refuse(const SourceLocation& where, const std::string& what);

// Dry friction and ranges of forces, unless the model switches them off.
void require_supported_model(const Model& model, const Names& names);
// A limit of a joint or tendon that a state is beyond. Limits push back only where they are violated.
void require_within_limits(const Names& names, const JointState<double>& state, std::size_t index,
                           Workspace<double>& ws, DriveWorkspace<double>& drives);

}  // namespace lig::app
