#pragma once

// Boxes along the axes of some frame.

#include <ligament/vec.h>

#include <algorithm>
#include <limits>

namespace lig {

struct Bounds {
    Vec3d lower, upper;

    static Bounds nothing() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        return {{inf, inf, inf}, {-inf, -inf, -inf}};
    }
    static Bounds everything() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        return {{-inf, -inf, -inf}, {inf, inf, inf}};
    }

    void add(const Vec3d& p) {
        lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
        upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
    }
    void add(const Bounds& b) {
        add(b.lower);
        add(b.upper);
    }
    Bounds grown(double by) const {
        const Vec3d margin{by, by, by};
        return {lower - margin, upper + margin};
    }
    bool overlaps(const Bounds& b) const {
        return lower.x <= b.upper.x && b.lower.x <= upper.x && lower.y <= b.upper.y && b.lower.y <= upper.y &&
               lower.z <= b.upper.z && b.lower.z <= upper.z;
    }
    bool contains(const Bounds& b) const {
        return lower.x <= b.lower.x && b.upper.x <= upper.x && lower.y <= b.lower.y && b.upper.y <= upper.y &&
               lower.z <= b.lower.z && b.upper.z <= upper.z;
    }
};

}  // namespace lig
