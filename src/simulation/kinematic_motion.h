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

}  // namespace lig
