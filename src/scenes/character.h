#pragma once

// A character of 16 capsules and 15 joints, 70 kg, in a T-pose with its feet on the ground, looking along −y
// with x to its left: the ragdoll of the benchmark scenes. scenes/character.xml is the same one as a file.

#include "scenes/parts.h"

#include <string>

namespace lig::scenes {

// The height of the pelvis above the ground between the feet.
inline constexpr double pelvis_height = 1;

// The root, a free body, is the pelvis at `pelvis`. Names begin with `prefix`. Joints that join two bodies
// have this damping; the bodies do not collide, since one is the parent of the other.
void add_character(Scene& scene, const std::string& prefix, const Pose& pelvis, double damping,
                   const Colour& shirt);

}  // namespace lig::scenes
