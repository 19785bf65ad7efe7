#pragma once

// Joints that do not hold. Sweeps leave joints a little apart, and do not notice where mass ratios, tension
// or stiffness are beyond them: bodies then leave each other, and every number stays finite.

#include "formulations/impulse/moving_bodies.h"

#include <optional>
#include <vector>

namespace lig::impulse {

struct TornJoint {
    int link;
    double gap;    // m, or rad
    bool turned;   // it is an angle
};

// The first joint whose bodies are farther apart than 5 cm, or turned by more than 0.3 rad against what the
// joint allows. Hard blows of piles open joints by half of that for a moment, and close them again. Soft
// ones, which the older solvers have: farther apart than it is from one centre of mass over the joint to the
// other, or by a sine of 0.8. q: coordinates as bodies have them; those of compound joints may be improved.
std::optional<TornJoint> find_torn_joint(const MovingBodies& bodies, bool soft, std::vector<double>& q);

}  // namespace lig::impulse
