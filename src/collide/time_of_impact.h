#pragma once

// When two moving convex shapes touch: for steps that would carry one through the other.

#include "collide/narrow_phase.h"

#include <ligament/spatial.h>

#include <optional>

namespace lig::collide {

// Where a shape is at the beginning, and its constant velocity: linear of its origin and angular, in world
// axes.
struct MovingShape {
    const CollisionShape* shape;
    Transformd X_WG;
    Motion<double> velocity;
};
Transformd pose_after(const MovingShape& moving, double time);

struct TimeOfImpact {
    double time;  // the shapes do not touch before
    double distance;  // then
    bool exhausted;  // the search was given up: they are farther apart than the tolerance at `time`, and
        // may or may not touch after it
    int distances;  // how often the distance was computed
};

// The first time in [0, duration] at which the shapes are within `tolerance`, to within that tolerance:
// never later than they touch, and not before they are as near as that. Nothing when they do not come
// within half the tolerance; between half and the whole either answer may be given. Overlapping from the
// beginning: 0. Tolerances below what rounding leaves of the shapes' size (1e-12 of it) are taken as that.
// After 256 distances, which only shapes passing very close at high spin need, what is certain up to there
// is returned as `exhausted`.
std::optional<TimeOfImpact> convex_time_of_impact(const MovingShape& a, const MovingShape& b, double duration,
                                                  double tolerance);

}  // namespace lig::collide
