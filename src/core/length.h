#pragma once

// The length of a vector. Not in vec.h: that is for any scalar, and lanes have square roots of their own.

#include <ligament/vec.h>

#include <cmath>

namespace lig {

inline double length(const Vec3d& a) { return std::sqrt(dot(a, a)); }

}  // namespace lig
