#pragma once

// What the readers of <equality> share.

#include "io/mjcf_context.h"

#include <optional>

namespace lig::io::mjcf {

struct BodyPair {
    BodyId a, b;
};

// The pose of body b in body a at the reference configuration.
Pose relative_pose(const Context& context, const BodyPair& pair);

// Our own attribute for the orientation of a frame. False after an error; absent, the quaternion stays.
bool read_frame_quat(ElementReader& in, const char* attribute, Quatd& quat);

// mjcf_pair_constraints.cpp: whether an element is a constraint between two bodies, and such an element into
// the scene.
bool is_pair_constraint(ElementReader& in);
void read_pair_constraint(Context& context, ElementReader& in, ConstraintSpec spec);

}  // namespace lig::io::mjcf
