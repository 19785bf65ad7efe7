#pragma once

// Sensors in two stages, for a state that a step has left: what is to be seen of that state, and what acted
// in the step, which was found at the state that it acted on.

#include "sensors/contact_readings.h"
#include "sensors/sensed_geoms.h"

#include <ligament/sensors.h>

namespace lig {

// What a SensorWorkspace holds that programs have no use for.
struct SensedState {
    explicit SensedState(const Model& model);

    sensors::SensedGeoms geoms;
    std::vector<Transformd> poses;  // (bodies)
    std::vector<sensors::MatchedContact> matched;
    std::vector<double> numbers;  // of the sensor that has the most
};

namespace sensors {

enum class Stage {
    motion,  // positions, velocities, and what actuators do there
    forces   // accelerations, forces between bodies, contacts, limits
};
Stage stage_of(SensorType type);

// Accelerations of the bodies and what their parents do to them, where a sensor asks for these.
template <class T>
void find_body_motion(const JointState<T>& state, std::span<const T> qacc, std::span<const Force<T>> applied,
                      Workspace<T>& ws, SensorWorkspace<T>& sensors);
template <class T>
void read_stage(Stage stage, const JointState<T>& state, const DriveWorkspace<T>& drives,
                const Workspace<T>& ws, SensorWorkspace<T>& sensors, const SensedForces& forces);

}  // namespace sensors
}  // namespace lig
