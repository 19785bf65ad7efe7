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

// How far the bodies of a joint may be from what it allows: m, and the sine of an angle.
struct JointBounds {
    double way, sine;
    // Soft joints, which the older solvers have: or as far as it is from one centre of mass over the joint to
    // the other.
    bool over_centres = false;
};

// The first joint that is beyond the bounds. q: coordinates as bodies have them; those of compound joints may
// be improved.
std::optional<TornJoint> find_torn_joint(const MovingBodies& bodies, const JointBounds& bounds,
                                         std::vector<double>& q);

}  // namespace lig::impulse
