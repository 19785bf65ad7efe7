#pragma once

// The links of the joint-space workloads: boxes of 1 kg, 0.1 × 0.05 × 0.05 m along x, the joint at one end
// and the next one at the other.

#include <ligament/scene.h>

#include <string>

namespace lig::scenes {

inline constexpr double box_link_length = 0.1;

// z up and without contacts; the links overlap.
Scene box_link_scene(std::string name);

// A link at `pos` of its parent, without a joint.
BodyId add_box_link(Scene& scene, BodyId parent, int index, const Vec3d& pos);

// A chain of `count` links on hinges about x, y and z in turn, the first at the origin. Link i is body i + 1.
Scene hinge_chain(std::string name, int count, double stiffness, double damping);

}  // namespace lig::scenes
