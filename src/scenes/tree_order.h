#pragma once

#include <ligament/scene.h>

namespace lig::scenes {

// The same scene with everything in the order in which a file has it: bodies depth-first, and what is on them
// with them. Of what programs may add: bodies, joints, geoms, sites, loops, constraints, couplings of joints,
// tendons over joints and sites, and exclusions; others are refused.
Scene in_tree_order(const Scene& scene);

}  // namespace lig::scenes
