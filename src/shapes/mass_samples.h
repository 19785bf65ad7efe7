#pragma once

// The mass of a solid shape as points: integrals over it of polynomials up to degree 15 are their sums, to
// rounding.

#include <ligament/body_kind.h>
#include <ligament/specs.h>

#include <vector>

namespace lig {

// In the frame of the shape; their masses add up to 1. Empty: the shape has none (plane), or its size does
// not tell (mesh).
std::vector<MassSample> mass_samples(ShapeType type, const Vec3d& size);

}  // namespace lig
