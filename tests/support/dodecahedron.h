#pragma once

// The corners of a regular dodecahedron, of the cube (±1, ±1, ±1) and twelve more; (1, 0, golden) is along
// the normal of a face, and so are its cyclic permutations.

#include <ligament/vec.h>

#include <numbers>
#include <vector>

namespace lig::test {

inline std::vector<Vec3d> dodecahedron_corners() {
    const double golden = std::numbers::phi;
    std::vector<Vec3d> corners;
    for (const double a : {-1.0, 1.0})
        for (const double b : {-1.0, 1.0}) {
            for (const double c : {-1.0, 1.0}) corners.push_back({a, b, c});
            corners.push_back({0, a / golden, b * golden});
            corners.push_back({a / golden, b * golden, 0});
            corners.push_back({a * golden, 0, b / golden});
        }
    return corners;
}

}  // namespace lig::test
