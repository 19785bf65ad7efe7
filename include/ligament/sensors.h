#pragma once

// The readings of a model's sensors in one state. Instantiated for double and float; nothing here allocates
// after the workspace is made. What each sensor reads stands in docs/sensors.md.

#include <ligament/collision.h>
#include <ligament/drives.h>
#include <ligament/model.h>
#include <ligament/workspace.h>

#include <memory>
#include <span>
#include <vector>

namespace lig {

enum class SensorStatus : unsigned char {
    read,
    not_evaluated  // what it reads is not known, or the model switches sensors off: the numbers mean nothing
};

// Contacts and limits of a state, as far as they are known. What sensors read of the others is not evaluated.
struct SensedForces {
    const Contacts* contacts = nullptr;
    double contact_time = 0;  // how long their impulses acted; 0: they have none
    // How hard limits push, along the coordinate or the length; never negative.
    std::span<const double> joint_limits{};   // (joints)
    std::span<const double> tendon_limits{};  // (tendons)
};

struct SensedState;  // inside

// How many numbers all sensors of a model read together.
int reading_count(const Model& model);

// Which function writes a field stands at the field.
template <class T>
struct SensorWorkspace {
    explicit SensorWorkspace(const Model& model);
    SensorWorkspace(SensorWorkspace&&) noexcept;
    SensorWorkspace& operator=(SensorWorkspace&&) noexcept;
    ~SensorWorkspace();

    std::vector<T> readings;           // (reading_count) at Model::Sensor::adr         read_sensors
    std::vector<SensorStatus> status;  // (sensors)                                     read_sensors
    std::vector<Motion<T>> acceleration;  // (bodies) see body_accelerations            read_sensors
    std::vector<Force<T>> transmitted;    // (bodies) see transmitted_forces            read_sensors
    std::vector<Sym3<T>> stretching;      // (Tree::stretches) the acceleration of S    read_sensors
    std::vector<T> joint_forces;          // (nv) scratch
    std::vector<Vec3d> camera_offset;     // (cameras) from what a tracking camera follows, in world axes
    bool needs_acceleration = false;      // some sensor does
    std::unique_ptr<SensedState> sensed;  // geoms that sensors see
};

// Accelerations of the bodies' frames at their origins in world axes, less gravity: a body at rest
// accelerates upwards, as an accelerometer on it says. `out` has an entry for every body, `scratch` nv.
// Writes ws.links as inverse_dynamics does.
template <class T>
void body_accelerations(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws,
                        std::span<T> scratch, std::span<Motion<T>> out);

// Force and moment that every body receives from its parent, about the origin of the body's frame, in world
// axes: what moves it and all it carries as given, less what is applied to these bodies from outside and what
// bushings do to them. `applied` has the forces and moments at the centres of mass, one entry for every body,
// or is empty. What acts through the joints' coordinates (a medium, gravity compensation, actuators on sites)
// counts as transmitted, as in MuJoCo. After forward_kinematics and body_accelerations.
template <class T>
void transmitted_forces(const Workspace<T>& ws, std::span<const Motion<T>> acceleration,
                        std::span<const Force<T>> applied, std::span<Force<T>> out);

// All readings. After forward_kinematics, update_drives and actuator_forces in the same state; `qacc` and
// `applied` are what the state was found to do. `applied` has to have what contacts and loops do to the
// bodies, for the readings of force and torque to be right.
template <class T>
void read_sensors(const JointState<T>& state, std::span<const T> qacc, std::span<const Force<T>> applied,
                  const DriveWorkspace<T>& drives, Workspace<T>& ws, SensorWorkspace<T>& sensors,
                  const SensedForces& forces = {});

}  // namespace lig
