#pragma once

// Springs and dampers between two bodies, in all six directions: docs/bushings.md.

#include <ligament/model.h>
#include <ligament/workspace.h>

namespace lig {

// Whether the model has one that acts.
bool has_bushings(const Model& model);

// Adds what they do to links to ws.f_ext. After forward_kinematics. For every scalar; allocates nothing.
// Honours the model's switches for springs and dampers.
template <class T>
void add_bushing_forces(Workspace<T>& ws);

// The energy in their springs; energy() has it already.
template <class T>
T bushing_energy(const Workspace<T>& ws);

// What a bushing does to body B, as a moment and a force at the origin of frame M, in world axes; A gets the
// opposite at the same point. Zero when it is not active.
template <class T>
Force<T> bushing_wrench(const Workspace<T>& ws, int bushing);
// The part of its dampers.
Force<double> bushing_damper_wrench(const Workspace<double>& ws, int bushing);

}  // namespace lig
