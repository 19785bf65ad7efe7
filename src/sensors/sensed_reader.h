#pragma once

// Readings of geoms, contacts and the forces of limits.

#include "sensors/object_frame.h"
#include "sensors/ray_readings.h"
#include "sensors/sensor_stage.h"

#include <cmath>

namespace lig::sensors {

inline Vec3d plain(const Vec3<double>& a) { return a; }
inline Vec3d plain(const Vec3<float>& a) { return {a.x, a.y, a.z}; }
template <class T>
Transformd plain(const Transform<T>& X) {
    return {{plain(X.R.x), plain(X.R.y), plain(X.R.z)}, plain(X.p)};
}

// What needs more than the motion of the bodies.
template <class T>
class SensedReader {
public:
    SensedReader(const Workspace<T>& ws, const SensorWorkspace<T>& sensors, const SensedForces& forces)
        : ws_(ws), sensors_(sensors), sensed_(*sensors.sensed), forces_(forces), model_(ws.model()) {}

    void place_geoms() {
        if (!sensed_.geoms.are_any()) return;
        for (std::size_t b = 0; b < sensed_.poses.size(); ++b)
            sensed_.poses[b] = plain(body_pose(ws_, static_cast<int>(b)));
        sensed_.geoms.place(sensed_.poses);
    }

    // False: it is not one of these.
    bool read(const SensorSpec& spec, std::span<double> out) {
        using enum SensorType;
        const ObjectRef& object = spec.object;
        switch (spec.type) {
            case touch: out[0] = touch_reading(model_, forces_, spec, pose(object)); return true;
            case contact:
                contact_reading(
                    model_, forces_, spec,
                    spec.site.kind == ObjectRef::Kind::site ? pose(spec.site) : Transformd::identity(),
                    sensed_.matched, out);
                return true;
            case rangefinder:
                if (object.kind == ObjectRef::Kind::site)
                    site_ray_reading(sensed_.geoms, spec, pose(object), model_.sites[object.index].body, out);
                else
                    camera_rays_reading(sensed_.geoms, spec, model_.cameras[object.index], pose(object), out);
                return true;
            case distance:
            case normal:
            case fromto: read_gap(spec, out); return true;
            case jointlimitfrc:
                if (object.kind == ObjectRef::Kind::loop) {
                    const Model::Loop& loop = model_.loops[object.index];
                    out[0] = 0;
                    for (int k = loop.length_begin; k < loop.length_begin + loop.lengths; ++k)
                        out[0] += forces_.tendon_limits[k];
                } else {
                    out[0] = forces_.joint_limits[object.index];
                }
                return true;
            case tendonlimitfrc: out[0] = forces_.tendon_limits[object.index]; return true;
            default: return false;
        }
    }

private:
    Transformd pose(const ObjectRef& object) const { return plain(object_pose(ws_, sensors_, object)); }

    // Nothing is looked for beyond the cutoff, as in MuJoCo: without one, overlaps alone are found.
    void read_gap(const SensorSpec& spec, std::span<double> out) const {
        const auto gap = sensed_.geoms.gap(spec.object, spec.reference, spec.cutoff);
        if (spec.type == SensorType::distance) {
            out[0] = gap ? gap->distance : spec.cutoff;
            return;
        }
        const Vec3d way = gap ? gap->to - gap->from : Vec3d{0, 0, 0};
        const double length = std::sqrt(dot(way, way));
        const Vec3d first = spec.type == SensorType::normal ? (length > 0 ? (1 / length) * way : way)
                            : gap                           ? gap->from
                                                            : way;
        for (int k = 0; k < 3; ++k) out[k] = first[k];
        if (spec.type == SensorType::fromto)
            for (int k = 0; k < 3; ++k) out[3 + k] = gap ? gap->to[k] : 0;
    }

    const Workspace<T>& ws_;
    const SensorWorkspace<T>& sensors_;
    SensedState& sensed_;
    const SensedForces& forces_;
    const Model& model_;
};

}  // namespace lig::sensors
