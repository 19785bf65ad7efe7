#pragma once

// What the model or a state holds that the computation of accelerations does not honour yet. It is refused by
// name: a result that silently leaves out a loop is worse than none.

#include "app/names.h"

#include <ligament/drives.h>

#include <cstddef>
#include <string_view>

namespace lig::app {

// Dry friction, unless the model switches it off; and loops and couplings, where they are not computed.
void require_supported_model(const Model& model, const Names& names, bool with_loops);
// What has no place among forces between bodies: inertia and couplings of tendons;
void require_plain_tendons(std::string_view formulation, const Model& model, const Names& names);
// … and links without mass.
void require_mass(std::string_view formulation, const Model& model, const Names& names);
// A limit of a joint or tendon that a state is beyond. Limits push back only where they are violated.
void require_within_limits(const Names& names, const JointState<double>& state, std::size_t index,
                           Workspace<double>& ws, DriveWorkspace<double>& drives);

}  // namespace lig::app
