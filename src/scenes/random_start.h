#pragma once

#include "scenes/random_sketch.h"

namespace lig::scenes {

// The keyframe `start`, at the reference configuration with velocities that keep loops closed. Bodies that
// overlap there do not collide with each other from then on.
void add_start(Scene& scene, Draw& draw);

}  // namespace lig::scenes
