#pragma once

// How kinematic bodies go on by themselves: with constant acceleration, until the user says otherwise.

#include "core/rotation.h"

#include <ligament/state.h>

namespace lig {

// A kinematic body some time later.
inline BaseMotion<double> moved(const BaseMotion<double>& base, double t) {
    const double half = 0.5 * t * t;
    BaseMotion<double> out = base;
    out.pos += t * base.velocity.lin + half * base.acceleration.lin;
    out.quat = rotation_exp(t * base.velocity.ang + half * base.acceleration.ang) * base.quat;
    out.velocity.ang += t * base.acceleration.ang;
    out.velocity.lin += t * base.acceleration.lin;
    return out;
}

// Whether two motions are at the same place with the same velocity, to the last bit.
inline bool is_at(const BaseMotion<double>& a, const BaseMotion<double>& b) {
    const auto same = [](const Vec3d& u, const Vec3d& v) { return u.x == v.x && u.y == v.y && u.z == v.z; };
    return same(a.pos, b.pos) && a.quat.w == b.quat.w && same(a.quat.vec(), b.quat.vec()) &&
           same(a.velocity.ang, b.velocity.ang) && same(a.velocity.lin, b.velocity.lin);
}

}  // namespace lig
