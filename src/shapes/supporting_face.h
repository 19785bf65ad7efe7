#pragma once

// What a convex shape turns towards another: see supporting_face in shape_geometry.h.

#include <ligament/vec.h>

#include <array>
#include <cstdint>

namespace lig {

// A polygon of one (a vertex), two (an edge) or more points (a face), the latter counter-clockwise about the
// direction that was asked for. Ids tell vertices apart, the same ones from step to step.
struct SupportingFace {
    static constexpr int capacity = 32;
    int count = 0;
    std::array<Vec3d, capacity> points;
    std::array<std::uint8_t, capacity> ids;
    Vec3d normal;  // unit; of a face (three points or more), otherwise along the direction

    void clear(const Vec3d& direction) {
        count = 0;
        normal = direction;
    }
    void add(const Vec3d& point, int id) {
        points[count] = point;
        ids[count++] = static_cast<std::uint8_t>(id);
    }
};

}  // namespace lig
