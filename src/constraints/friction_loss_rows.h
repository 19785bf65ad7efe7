#pragma once

// Dry friction in joints and tendons: an impulse against the motion, of h · friction_loss at most, that holds
// still what it can. One row per velocity (a ball has three, each with the full friction, as in MJCF) or per
// tendon: J v⁺ = 0 with |λ| ≤ h f. Nothing is added where the model's switches for friction or constraints
// are off.

#include "constraints/row_context.h"
#include "constraints/warm_starts.h"

#include <ligament/drives.h>

namespace lig {

void add_friction_loss_rows(const Model& model, const RowContext& context, const WarmStarts& warm,
                            Rows& rows);
// After update_drives.
void add_tendon_friction_rows(const JointState<double>& state, const Model& model,
                              const DriveWorkspace<double>& drives, const RowContext& context,
                              const WarmStarts& warm, Rows& rows);

}  // namespace lig
