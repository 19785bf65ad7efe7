#pragma once

#include <ligament/vec.h>

namespace lig::pairs {

inline Vec3d unit_axis(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }

}  // namespace lig::pairs
