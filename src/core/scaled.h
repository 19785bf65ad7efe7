#pragma once

#include "core/lift.h"

namespace lig {

// diag(by) a: every component by a number of its own.
template <class T>
LIG_INLINE Vec3<T> scaled(const Vec3d& by, const Vec3<T>& a) {
    return {lift<T>(by.x) * a.x, lift<T>(by.y) * a.y, lift<T>(by.z) * a.z};
}

}  // namespace lig
