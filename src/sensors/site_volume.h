#pragma once

// Whether a point, in the frame of a site, is in the site's volume.

#include "core/lift.h"
#include "core/scalar_math.h"

#include <ligament/model.h>

namespace lig::sensors {

template <class T>
bool is_inside(const Model::Site& site, const Vec3<T>& p) {
    const Vec3<T> s = lift<T>(site.spec.size);
    const auto within = [&](int k, const T& bound) { return abs(p[k]) < bound; };
    switch (site.spec.shape) {
        case ShapeType::sphere: return dot(p, p) < s.x * s.x;
        case ShapeType::capsule: {
            const T beyond = p.z - max(-s.y, min(s.y, p.z));
            return p.x * p.x + p.y * p.y + beyond * beyond < s.x * s.x;
        }
        case ShapeType::cylinder: return within(2, s.y) && p.x * p.x + p.y * p.y < s.x * s.x;
        case ShapeType::ellipsoid: {
            const Vec3<T> r{p.x / s.x, p.y / s.y, p.z / s.z};
            return dot(r, r) < T(1);
        }
        case ShapeType::box: return within(0, s.x) && within(1, s.y) && within(2, s.z);
        case ShapeType::plane:
        case ShapeType::mesh:
        case ShapeType::heightfield:
        case ShapeType::trimesh: break;
    }
    return false;
}

}  // namespace lig::sensors
