#pragma once

// Rows along lengths of tendons and transmissions: l̇ = J v plus what kinematic bodies add. After
// update_drives.

#include "constraints/rows.h"

#include <ligament/drives.h>

namespace lig {

// J v.
inline double speed_by_joints(const JointState<double>& state, const Model& model,
                              const DriveWorkspace<double>& drives, const Model::Row& length) {
    double sum = 0;
    for (int k = length.begin; k < length.begin + length.count; ++k)
        sum += drives.row_entries[k] * state.v[model.row_velocities[k]];
    return sum;
}

// J times `scale` becomes the entries of the last row.
inline void add_length_entries(const Model& model, const DriveWorkspace<double>& drives,
                               const Model::Row& length, double scale, Rows& rows) {
    for (int k = length.begin; k < length.begin + length.count; ++k)
        rows.add_entry(model.row_velocities[k], scale * drives.row_entries[k]);
}

}  // namespace lig
