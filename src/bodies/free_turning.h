#pragma once

// How bodies turn while nothing acts on them, to second order in time, for what follows them.

#include <ligament/vec.h>

namespace lig::bodies {

// Euler's equations: how the angular velocity changes. Moments, w and the result are about the principal
// axes; about one without inertia nothing changes.
inline Vec3d free_turning(const Vec3d& moments, const Vec3d& w) {
    const auto share = [](double difference, double of) { return of > 0 ? difference / of : 0.0; };
    return {share(moments.y - moments.z, moments.x) * w.y * w.z,
            share(moments.z - moments.x, moments.y) * w.z * w.x,
            share(moments.x - moments.y, moments.z) * w.x * w.y};
}

// Of the bend by turning at w for a time h, how much is followed: all of it but for a share (h w)⁴, while the
// angle is small; beyond a radian, where the second order tells nothing, little.
inline double followed_share(double h, const Vec3d& w) {
    const double squared = h * h * dot(w, w);
    return 1 / (1 + squared * squared);
}

}  // namespace lig::bodies
