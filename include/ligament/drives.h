#pragma once

// Tendons and actuators in one state: lengths, their derivatives, forces. Instantiated for every scalar;
// nothing here allocates after the workspace is made. What the forces are stands in docs/drives.md.
//
// The order of calls is forward_kinematics, update_drives, then anything else.

#include <ligament/dynamics.h>
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

    // What holds up bodies whose gravity_scale is not 1, per velocity, and the same on the links; empty when
    // there are none.                                                       update_drives
    std::vector<T> gravity_force;         // (nv)
    std::vector<Force<T>> link_gravity;   // (links) of all that hangs on the link, about L

    // Scratch.
    std::vector<T> row;             // (nv) one row, spread over all velocities
    std::vector<T> tendon_effort;   // (tendons) of all actuators

    // Tendons with inertia: see forward_dynamics below. Empty when there are none.
    std::vector<int> inertial_tendons;  // which they are
    std::vector<T> still;               // (nv) zeros
    std::vector<T> responses;           // (inertial × nv) accelerations by a unit force along each
    std::vector<T> system;              // (inertial × inertial)
    std::vector<T> inertial_force;      // (inertial) forces along them
};

// Lengths, velocities and rows of all tendons and actuators. After forward_kinematics.
template <class T>
void update_drives(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives);

// Springs and dampers of the tendons, added to tau. After update_drives.
template <class T>
void add_tendon_spring_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau);
template <class T>
void add_tendon_damping_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau);
// Of the tendons' inertia and springs. After update_drives.
template <class T>
Energy<T> tendon_energy(const Model& model, const DriveWorkspace<T>& drives);

// How the joint stands that closes a loop: its coordinates (nq of its kind, counted as those of a joint in
// the tree; angles on from state.loop_q) and its velocities (nv). After forward_kinematics.
template <class T>
void loop_coordinates(const JointState<T>& state, const Workspace<T>& ws, int loop, std::span<T> q,
                      std::span<T> v);
// state.loop_q becomes what follows from q, so that angles are counted through turns: after each step of
// one's own that is much shorter than half a turn. After forward_kinematics.
template <class T>
void count_loop_turns(const Workspace<T>& ws, JointState<T>& state);

// What the actuators do with the controls `ctrl` (nu entries): drives.actuator_force, act_dot and
// joint_force. Honours the model's switches for actuation and clamping and its disabled groups. After
// update_drives.
template <class T>
void actuator_forces(const JointState<T>& state, const Model& model, std::span<const T> ctrl,
                     DriveWorkspace<T>& drives);

// The activations after the time h, as the actuators integrate them: exactly for filter_exact, else by one
// step of Euler; then clamped. `act` may be state.act. After actuator_forces.
template <class T>
void next_activation(const JointState<T>& state, const Model& model, const DriveWorkspace<T>& drives,
                     double h, std::span<T> act);

// Everything that acts on the joints by itself, added to tau: springs and dampers of joints and tendons, as
// far as the model's switches leave them on, and what holds up floating bodies (so add_gravity_compensation
// is not called as well). After update_drives.
template <class T>
void add_passive_forces(const JointState<T>& state, const Model& model, const DriveWorkspace<T>& drives,
                        std::span<T> tau);
// The same and the actuators: all smooth forces of the model but gravity and inertia. After update_drives.
template <class T>
void add_smooth_forces(const JointState<T>& state, const Model& model, std::span<const T> ctrl,
                       DriveWorkspace<T>& drives, std::span<T> tau);

// As the functions of the same names in dynamics.h, with the inertia of the tendons. Models whose tendons
// have none pay nothing. After update_drives in the same state.
template <class T>
void forward_dynamics(const JointState<T>& state, std::span<const T> tau, Workspace<T>& ws,
                      DriveWorkspace<T>& drives, std::span<T> qacc, bool with_external = false);
template <class T>
void inverse_dynamics(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws,
                      DriveWorkspace<T>& drives, std::span<T> tau, bool with_external = false);
template <class T>
void mass_matrix(const JointState<T>& state, Workspace<T>& ws, const DriveWorkspace<T>& drives,
                 std::span<T> M);
// With tendon_energy.
template <class T>
Energy<T> energy(const JointState<T>& state, const Workspace<T>& ws, const DriveWorkspace<T>& drives);

}  // namespace lig
