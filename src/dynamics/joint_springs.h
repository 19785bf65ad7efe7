#pragma once

// Which joints have springs and dampers.

#include "dynamics/polynomial_force.h"

#include <ligament/model.h>

namespace lig {

// What deforms has an elastic law, with or without a stiffness of its joints.
inline bool has_spring(const Model::Joint& joint) {
    return joint.type == JointType::stretch || joint.axis_spring ||
           !is_zero(joint.stiffness, joint.stiffness_poly);
}
inline bool has_damper(const Model::Joint& joint) { return !is_zero(joint.damping, joint.damping_poly); }

}  // namespace lig
