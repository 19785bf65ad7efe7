#pragma once

// What kind of numbers a sensor gives.

#include <ligament/drive_specs.h>

namespace lig::sensors {

enum class Reading {
    real,        // a cutoff clamps both ways
    positive,    // a cutoff clamps from above
    direction,   // axes and quaternions have no cutoff
    free,        // a cutoff says how far is looked
    unevaluated  // not computed by this library
};

Reading reading_of(SensorType type);

// How many numbers a sensor gives; of a camera, if it sits on one.
int reading_size(const SensorSpec& spec, const CameraSpec* camera = nullptr);

// Whether a sensor of this type needs the accelerations of the bodies.
bool needs_acceleration(SensorType type);

}  // namespace lig::sensors
