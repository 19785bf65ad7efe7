#pragma once

// The depth of two convex cores along a direction, and the way from there to a direction of least depth
// nearby.

#include "collide/gjk.h"

namespace lig::collide {

// How far B has to go along n (unit) until the cores do no longer overlap; negative: how far apart they are
// along n.
inline double depth_along(const CorePair& pair, const Vec3d& n) {
    return -dot(n, pair.support(n).difference);
}

struct LocalDepth {
    Vec3d normal;
    double depth;  // along it
    Simplex
        touching;  // differences without shift; B moved by depth · normal touches A at their weighted mean
};

// Goes down from `normal`, never up, to where no direction nearby is less deep. At most 32 turns.
LocalDepth descend(const CorePair& pair, const Vec3d& normal, double size);

}  // namespace lig::collide
