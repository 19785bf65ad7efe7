#pragma once

// What the commands say about sensors.

#include "app/dynamics/state_file.h"
#include "app/json_output.h"
#include "app/names.h"

#include <ligament/sensors.h>

#include <string>
#include <vector>

namespace lig::app {

// All different. A sensor without a name is called after its type and index ("gyro3"), with underscores at
// its end where the file uses that name itself.
std::vector<std::string> sensor_names(const Model& model);

// One per number that a sensor reads: its name, with a number behind it where it reads several ("imu.0").
std::vector<std::string> sensor_number_names(const Model& model);

// For `info`.
Json sensors_json(const Model& model);

// What pushes the bodies in a state, at their centres of mass.
std::vector<Force<double>> applied_forces(const Model& model, const StateInput& input);

// For `forward`: the readings in one state; null where a sensor is not evaluated. Nothing where a model has
// none.
void add_sensor_results(const Model& model, const SensorWorkspace<double>& sensors, Json& out);
void print_sensor_results(const Model& model, const SensorWorkspace<double>& sensors);

}  // namespace lig::app
