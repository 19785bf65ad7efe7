#pragma once

// The force of a tendon's spring and damper along its length.

#include "dynamics/polynomial_force.h"

#include <ligament/model.h>

namespace lig {

// How far a tendon is beyond the lengths between which its spring is slack.
template <class T>
LIG_INLINE T stretch(const Model::Tendon& tendon, const T& length) {
    const T lower = lift<T>(tendon.spring_length[0]), upper = lift<T>(tendon.spring_length[1]);
    return select(length > upper, length - upper, select(length < lower, length - lower, T(0)));
}

template <class T>
LIG_INLINE T spring_force(const Model::Tendon& tendon, const T& length) {
    const T x = stretch(tendon, length);
    return -(stiffness_at(tendon.stiffness, tendon.stiffness_poly, x) * x);
}
template <class T>
LIG_INLINE T damper_force(const Model::Tendon& tendon, const T& speed) {
    return -(damping_at(tendon.damping, tendon.damping_poly, speed) * speed);
}

}  // namespace lig
