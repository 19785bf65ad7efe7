#pragma once

// Bushings as soft rows (soft_row.h), one along and one about each axis of frame F on body A: they are taken
// at the end of a sub-step, and may be as stiff as one likes. What turns a bushing's force within a sub-step
// is left out of the slopes; the force itself is exact at its beginning.

#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <span>

namespace lig::impulse {

inline constexpr int rows_of_bushing = 6;

// Rows of all bushings that act; their guesses, and where they are kept (Row::warm), are in `impulses`: six
// of each bushing. After forward_kinematics.
void add_bushing_rows(const Workspace<double>& ws, double h, std::span<const double> impulses, Rows& rows);

}  // namespace lig::impulse
