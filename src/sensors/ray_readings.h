#pragma once

// What rangefinders read: one ray along the z axis of a site, or one through each pixel of a camera.

#include "sensors/sensed_geoms.h"

#include <span>

namespace lig::sensors {

void site_ray_reading(const SensedGeoms& geoms, const SensorSpec& spec, const Transformd& X_WS, int body,
                      std::span<double> out);
// Row by row from above, each from the left.
void camera_rays_reading(const SensedGeoms& geoms, const SensorSpec& spec, const Model::Camera& camera,
                         const Transformd& X_WC, std::span<double> out);

// The pixels to which a camera sees a unit of length at a unit of depth, by columns and rows.
std::array<double, 2> focal_pixels(const CameraSpec& camera);

}  // namespace lig::sensors
