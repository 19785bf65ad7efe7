#pragma once

// Constants of the model as values of the scalar an algorithm runs on: the same number in every lane.

#include <ligament/spatial.h>

namespace lig {

template <class T, class R>
LIG_INLINE T lift(const R& a) { return T(real_t<T>(a)); }
template <class T, class R>
LIG_INLINE Mat3<T> lift(const Mat3<R>& m) {
    return {{lift<T>(m.x.x), lift<T>(m.x.y), lift<T>(m.x.z)},
            {lift<T>(m.y.x), lift<T>(m.y.y), lift<T>(m.y.z)},
            {lift<T>(m.z.x), lift<T>(m.z.y), lift<T>(m.z.z)}};
}
template <class T, class R>
LIG_INLINE Vec3<T> lift(const Vec3<R>& a) { return {lift<T>(a.x), lift<T>(a.y), lift<T>(a.z)}; }
template <class T, class R>
LIG_INLINE Transform<T> lift(const Transform<R>& X) { return {lift<T>(X.R), lift<T>(X.p)}; }

}  // namespace lig
