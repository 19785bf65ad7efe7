#pragma once

// Joints that hold nothing any more. Sequential impulses leave joints a little apart, and do not notice where
// mass ratios, tension or stiffness are beyond them: bodies then leave each other, and every number stays
// finite.

#include "formulations/impulse/moving_bodies.h"

#include <optional>
#include <vector>

namespace lig::impulse {

struct TornJoint {
    int link;
    double gap;    // m, or rad
    bool turned;   // it is an angle
};

// The first joint whose bodies are farther apart than it is from one centre of mass over the joint to the
// other, or turned by more than a radian against what the joint allows. Hard blows of piles open joints by a
// quarter of that for a moment, and close them again. q: coordinates as bodies have them; those of compound
// joints may be improved.
std::optional<TornJoint> find_torn_joint(const MovingBodies& bodies, std::vector<double>& q);

}  // namespace lig::impulse
