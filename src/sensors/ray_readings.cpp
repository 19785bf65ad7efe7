#include "sensors/ray_readings.h"

#include <cmath>
#include <numbers>
#include <string_view>

namespace lig::sensors {

namespace {

struct PixelRay {
    Vec3d origin, direction;
};

void put(const Vec3d& a, double*& out) {
    for (int k = 0; k < 3; ++k) *out++ = a[k];
}

// `forward`: along which depth is measured.
double* write_ray(const SensedGeoms& geoms, const SensorSpec& spec, const PixelRay& ray, const Vec3d& forward,
                  int body, double* out) {
    const std::optional<SensedHit> hit = geoms.cast(ray.origin, ray.direction, body);
    const Vec3d nothing{0, 0, 0};
    for (const std::string_view field : spec.data) {
        if (field == "dist") *out++ = hit ? hit->distance : -1;
        if (field == "dir") put(hit ? ray.direction : nothing, out);
        if (field == "origin") put(ray.origin, out);
        if (field == "point") put(hit ? ray.origin + hit->distance * ray.direction : nothing, out);
        if (field == "normal") put(hit ? hit->normal : nothing, out);
        if (field == "depth") *out++ = hit ? hit->distance * dot(ray.direction, forward) : -1;
    }
    return out;
}

}  // namespace

std::array<double, 2> focal_pixels(const CameraSpec& camera) {
    std::array<double, 2> focal;
    for (int k = 0; k < 2; ++k)
        focal[k] = camera.sensor_size[0] > 0 && camera.sensor_size[1] > 0
                       ? camera.focal_length[k] / camera.sensor_size[k] * camera.resolution[k]
                       : 0.5 / std::tan(camera.fovy * std::numbers::pi / 360) * camera.resolution[1];
    return focal;
}

void site_ray_reading(const SensedGeoms& geoms, const SensorSpec& spec, const Transformd& X_WS, int body,
                      std::span<double> out) {
    write_ray(geoms, spec, {X_WS.p, X_WS.R.z}, X_WS.R.z, body, out.data());
}

void camera_rays_reading(const SensedGeoms& geoms, const SensorSpec& spec, const Model::Camera& camera,
                         const Transformd& X_WC, std::span<double> out) {
    const CameraSpec& own = camera.spec;
    const std::array<double, 2> focal = focal_pixels(own);
    std::array<double, 2> middle;  // where the camera's axis is, in pixels
    for (int k = 0; k < 2; ++k) {
        const double shift = own.sensor_size[k] > 0 ? own.principal_point[k] / own.sensor_size[k] : 0;
        middle[k] = (0.5 - shift) * own.resolution[k];
    }
    double* next = out.data();
    for (int row = 0; row < own.resolution[1]; ++row)
        for (int column = 0; column < own.resolution[0]; ++column) {
            const double x = column + 0.5 - middle[0], y = row + 0.5 - middle[1];
            PixelRay ray{X_WC.p, -X_WC.R.z};
            if (own.orthographic) {
                const Vec3d across{own.fovy * x / own.resolution[0], -own.fovy * y / own.resolution[1], 0};
                ray.origin += X_WC.R * across;
            } else {
                const Vec3d along{x / focal[0], -y / focal[1], -1};
                ray.direction = X_WC.R * ((1 / std::sqrt(dot(along, along))) * along);
            }
            next = write_ray(geoms, spec, ray, -X_WC.R.z, camera.body, next);
        }
}

}  // namespace lig::sensors
