#pragma once

// The joint kinds. The order is that of the list in src/joints/joint_list.h (checked there). In a header of
// their own, so that the kernels do not depend on what a scene is.

namespace lig {

enum class JointType {
    fixed,
    hinge,
    slide,
    ball,
    free,
    universal,
    cylindrical,
    planar,
    screw,
    stretch  // how far a body that deforms is stretched: of its own joints, not for files; it moves no frame
};

}  // namespace lig
