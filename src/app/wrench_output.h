#pragma once

// Reaction wrenches of joints and loops: how they are called, in tables and as JSON.
//
// World axes throughout. A joint's is what the parent does to the child, about the anchor of the child's last
// joint; a loop's what body A does to body B, about the frame M on B.

#include "app/json_output.h"
#include "app/names.h"

#include <ligament/workspace.h>

#include <span>
#include <string>
#include <vector>

namespace lig::app {

// A body whose joints carry something, and what they are called together ("hip_x+hip_y").
struct ReactingJoint {
    int body;
    std::string name;
};
// All but those on free joints.
std::vector<ReactingJoint> reacting_joints(const Model& model, const Names& names);

// "joint_wrenches" and "loop_wrenches" by name: body, axes, point, force and moment. joints: of all bodies;
// loops: of all loops. The points are where the workspace has the bodies.
void add_wrenches(const Workspace<double>& ws, const Names& names, std::span<const Force<double>> joints,
                  std::span<const Force<double>> loops, Json& out);
void print_wrenches(const Model& model, const Names& names, std::span<const Force<double>> joints,
                    std::span<const Force<double>> loops);

}  // namespace lig::app
