#pragma once

// A tree as one body: what it would be if its joints were locked.

#include <ligament/workspace.h>

namespace lig {

struct TreeWhole {
    double mass;
    Vec3d com;
    Sym3d inertia;    // about the centre of mass, world axes
    Vec3d momentum;   // linear,
    Vec3d spin;       // and angular about the centre of mass
};

// Of the links begin … end − 1. After forward_kinematics.
TreeWhole whole_of(const Workspace<double>& ws, int begin, int end);

}  // namespace lig
