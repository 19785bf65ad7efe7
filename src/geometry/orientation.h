#pragma once

// On which side of a plane through three points a fourth one lies, without rounding.

#include <ligament/vec.h>

namespace lig::geometry {

// Positive when d is on the side from which a, b, c are seen counter-clockwise, negative on the other, 0 when
// the four points are in one plane. The sign is exact for coordinates between 1e-60 and 1e60 in size; the
// magnitude is about six times the volume of the tetrahedron.
double orientation(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

}  // namespace lig::geometry
