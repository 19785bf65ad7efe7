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

// mjcf_pair_constraints.cpp: body1 and body2, either of which may be absent and is then the world. Nothing
// after an error.
std::optional<BodyPair> read_body_pair(Context& context, ElementReader& in);
// Whether an element is a constraint between two bodies, and such an element into
// the scene.
bool is_pair_constraint(ElementReader& in);
void read_pair_constraint(Context& context, ElementReader& in, ConstraintSpec spec);

}  // namespace lig::io::mjcf
