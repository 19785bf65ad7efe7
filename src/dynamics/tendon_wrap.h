#pragma once

// How a tendon passes a sphere or a cylinder between two sites.

#include <ligament/vec.h>

namespace lig {

template <class R>
struct WrapObstacle {
    Transform<R> X_WG;
    R radius;
    bool cylinder;  // of infinite length about z; otherwise a sphere
};

// The path is straight, or goes to `first`, stays on the surface for the length `arc` and leaves it at
// `last`. Points in the world.
template <class R>
struct WrapPath {
    bool wraps = false;
    Vec3<R> first{0, 0, 0}, last{0, 0, 0};
    R arc = 0;
};

// `side` may be null. A side site outside of the obstacle says on which side the tendon passes; one inside of
// it says that the tendon passes within, as through a ring. Branches on values, so lanes are walked one by
// one. R is double or float.
template <class R>
WrapPath<R> wrap_path(const WrapObstacle<R>& obstacle, const Vec3<R>& from, const Vec3<R>& to,
                      const Vec3<R>* side);

}  // namespace lig
