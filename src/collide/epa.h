#pragma once

// The depth of two convex cores that overlap: the shortest way to move B so that they only touch.

#include "collide/local_depth.h"

namespace lig::collide {

struct Penetration {
    Vec3d normal;     // unit, from A to B: B moved by depth · normal touches A
    double depth;     // the depth along the normal is exact; negative: they are that far apart after all
    double bound;     // no direction has a depth below this
    Vec3d on_a, on_b; // of the cores: on_b = on_a − depth · normal
    int vertices;     // how many differences the search needed
};

// `overlap` is what GJK found: of kind `together`, or so near to it that its direction has few digits.
Penetration penetration(const CorePair& pair, const GjkResult& overlap);
// The least depth near a direction only; `bound` is that depth.
Penetration local_penetration(const CorePair& pair, const Vec3d& normal, double size);

}  // namespace lig::collide
