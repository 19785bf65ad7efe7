#pragma once

// Tendons and actuators in one state: lengths, their derivatives, forces. Instantiated for every scalar;
// nothing here allocates after the workspace is made.

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

// Which function writes a field stands at the field.
template <class T>
struct DriveWorkspace {
    explicit DriveWorkspace(const Model& model);

    std::vector<T> tendon_length, tendon_velocity;      // (tendons)         update_drives
    std::vector<T> actuator_length, actuator_velocity;  // (nu)              update_drives
    std::vector<T> row_entries;     // (row_velocities) derivatives of the lengths: Model::Row  update_drives
    std::vector<T> actuator_force;  // (nu) along the transmission           actuator_forces
    std::vector<T> act_dot;         // (na)                                  actuator_forces
    std::vector<T> joint_force;     // (nv) of all actuators, clamped        actuator_forces
};

}  // namespace lig
