#pragma once

// Pulls of a row on links of a tree as entries on its freedoms, Jᵀ of the forces.

#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <cstddef>

namespace lig {

// The pulls of the last row, from `begin` on, become entries: they are summed up from the leaves to the root.
// Links from `first` to before `end` are gone through one by one; pulls on others, behind these on the way to
// the root, may be on one path only. After forward_kinematics. What pulls do to stretches is not theirs:
// stretch_entries.h.
void carry_inward(const Workspace<double>& ws, std::size_t begin, int first, int end, Rows& rows);

}  // namespace lig
