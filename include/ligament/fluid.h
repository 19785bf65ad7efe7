#pragma once

// What a surrounding medium does to the bodies: drag, viscous resistance, lift and the inertia of the fluid
// that is taken along. The models are MuJoCo's; docs/fluid.md says what they are.

#include <ligament/model.h>
#include <ligament/workspace.h>

namespace lig {

// Whether the model has a medium and something that moves in it.
inline bool has_medium(const Model& model) {
    return !model.fluid_boxes.empty() || !model.fluid_ellipsoids.empty();
}

// Adds the forces of the medium to ws.f_ext. After forward_kinematics. For every scalar; allocates nothing.
template <class T>
void add_fluid_forces(Workspace<T>& ws);

}  // namespace lig
