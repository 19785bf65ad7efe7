#pragma once

// Quaternions of unit length for everything that is read, compiled and written.

#include <ligament/vec.h>

#include <algorithm>
#include <cmath>

namespace lig {

// The unit quaternion of the same direction. One that has unit length to rounding is returned as it is, so
// that doing this twice changes nothing: a model that is written and read back keeps its bits. The scaled
// quaternion misses unit length by ten roundings at most, well inside the tolerance.
inline Quatd unit_quaternion(const Quatd& q) {
    if (std::abs(dot(q, q) - 1) <= 2e-15) return q;
    // The largest part is divided out first, so that very long and very short quaternions keep their digits.
    const double largest = std::max({std::abs(q.w), std::abs(q.x), std::abs(q.y), std::abs(q.z)});
    const Quatd p{q.w / largest, q.x / largest, q.y / largest, q.z / largest};
    const double scale = 1 / std::sqrt(dot(p, p));
    return {p.w * scale, p.x * scale, p.y * scale, p.z * scale};
}

}  // namespace lig
