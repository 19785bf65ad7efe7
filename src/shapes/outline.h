#pragma once

// Lines to draw shapes by: pairs of points, each a segment.

#include <ligament/vec.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace lig {

// Segments of a full circle.
inline constexpr int outline_circle_segments = 32;

inline void outline_line(const Vec3d& a, const Vec3d& b, std::vector<Vec3d>& segments) {
    segments.push_back(a);
    segments.push_back(b);
}

// The arc center + cos t · a + sin t · b, t from 0 to `turns` of a full circle, `turns` a multiple of 1/32.
// Full circles for a and b of different lengths are ellipses.
inline void outline_arc(const Vec3d& center, const Vec3d& a, const Vec3d& b, double turns,
                        std::vector<Vec3d>& segments) {
    const int count = static_cast<int>(std::lround(outline_circle_segments * turns));
    Vec3d last = center + a;
    for (int i = 1; i <= count; ++i) {
        // Whole turns end where they began.
        const double t = 2 * std::numbers::pi * (i % outline_circle_segments) / outline_circle_segments;
        const Vec3d next = center + std::cos(t) * a + std::sin(t) * b;
        outline_line(last, next, segments);
        last = next;
    }
}

}  // namespace lig
