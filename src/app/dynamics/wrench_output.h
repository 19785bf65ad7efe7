#pragma once

// Wrenches of joints, loops, constraints and bushings: how they are called, in tables and as JSON.
//
// World axes throughout. A joint's is what the parent does to the child, about the anchor of the child's last
// joint; a loop's, constraint's or bushing's what body A does to body B, about the frame on B.

#include "app/json_output.h"
#include "app/names.h"

#include <ligament/workspace.h>

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

// Of all bodies, loops, constraints between two bodies and bushings of a model.
struct Wrenches {
    explicit Wrenches(const Model& model)
        : joints(model.bodies.size()),
          loops(model.loops.size()),
          constraints(model.pair_constraints.size()),
          bushings(model.bushings.size()) {}

    std::vector<Force<double>> joints, loops, constraints, bushings;
};

// "joint_wrenches", "loop_wrenches", "constraint_wrenches" and "bushing_wrenches" by name: body, axes, point,
// force and moment. The points are where the workspace has the bodies.
void add_wrenches(const Workspace<double>& ws, const Names& names, const Wrenches& wrenches, Json& out);
void print_wrenches(const Model& model, const Names& names, const Wrenches& wrenches);

}  // namespace lig::app
