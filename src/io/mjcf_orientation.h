#pragma once

// The five ways in which MJCF writes an orientation, and the poses made of them.

#include "io/mjcf_settings.h"

#include <ligament/scene.h>

#include <array>

namespace lig::io::mjcf {

enum class OrientationForm {
    quat,
    axisangle,
    xyaxes,
    zaxis,
    euler
};

// As written; angles are in the file's unit until to_quaternion.
struct Orientation {
    OrientationForm form = OrientationForm::quat;
    std::array<double, 6> values{1, 0, 0, 0, 0, 0};
};

struct PoseFields {
    Vec3d pos{0, 0, 0};
    Orientation orientation;
};

// Reads whichever form is there. More than one, or a direction without length, is an error. Returns whether
// there was one.
bool read_orientation(ElementReader& in, Orientation& orientation);
void read_pose(ElementReader& in, PoseFields& pose);

// Of unit length.
Quatd to_quaternion(const Orientation& orientation, const Settings& settings);
Pose to_pose(const PoseFields& pose, const Settings& settings);

// Our own attributes for frames of which an element has several. False after an error; absent, the
// orientation stays. The second takes a quaternion or the direction of the z axis.
bool read_frame_quat(ElementReader& in, const char* attribute, Quatd& quat);
bool read_frame(ElementReader& in, const char* pos, const char* quat, const char* axis, Pose& frame);

// The shortest rotation that takes z to the direction of a vector; half a turn about x when it points to -z.
Quatd quaternion_of_z(const Vec3d& direction);

// A pose in a frame, seen from outside the frame. An identity leaves the other's bits alone.
Pose compose(const Pose& outer, const Pose& inner);
Pose inverse(const Pose& pose);
bool is_identity(const Pose& pose);

}  // namespace lig::io::mjcf
