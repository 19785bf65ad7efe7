#pragma once

// Joints behind which there is nothing: a body on a free joint, a planar body and a particle float, so no
// drive can push them along their coordinates.

#include <ligament/model.h>

namespace lig {

inline bool floats(const Model::Joint& joint) {
    return joint.type == JointType::free || joint.scene_joint < 0;
}

}  // namespace lig
