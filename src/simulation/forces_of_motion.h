#pragma once

// What has to act on joints, in sum, while a model without equalities moves with given accelerations: M v̇
// and all that acts by itself (springs, dampers, media, bushings) taken off.

#include <ligament/drives.h>

#include <span>

namespace lig {

// qacc, tau: (nv). After forward_kinematics and update_drives.
void find_forces_of_motion(const JointState<double>& state, std::span<const double> qacc,
                           Workspace<double>& ws, DriveWorkspace<double>& drives, std::span<double> tau);

}  // namespace lig
