#pragma once

// Boxes for the broad phase: single precision, rounded outwards, so that they are half as large and never too
// small. Nothing but speed depends on how tight they are.

#include "geometry/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lig::collide {

// The fourth numbers fill a register and are not looked at.
struct alignas(16) FloatBox {
    float lower[4];
    float upper[4];

    static FloatBox nothing() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        return {{inf, inf, inf, 0}, {-inf, -inf, -inf, 0}};
    }
    static FloatBox around(const Bounds& box) {
        FloatBox out{};
        for (int k = 0; k < 3; ++k) {
            out.lower[k] = outwards(box.lower[k], -1);
            out.upper[k] = outwards(box.upper[k], +1);
        }
        return out;
    }

    float extent(int k) const { return upper[k] - lower[k]; }
    float half_area() const {
        const float x = extent(0), y = extent(1), z = extent(2);
        return x * y + y * z + z * x;
    }

private:
    // Rounding to float is off by at most half a unit in the last place; a whole one more covers it. Never
    // infinite: a box without end would overlap even `nothing`.
    static float outwards(double x, double sign) {
        constexpr double last_place = 0x1p-23, smallest = 0x1p-149, most = std::numeric_limits<float>::max();
        return static_cast<float>(
            std::clamp(x + sign * (std::abs(x) * last_place + smallest), -most, most));
    }
};

inline bool overlap(const FloatBox& a, const FloatBox& b) {
#if defined(__SSE2__)
    const __m128 one = _mm_cmple_ps(_mm_load_ps(a.lower), _mm_load_ps(b.upper));
    const __m128 two = _mm_cmple_ps(_mm_load_ps(b.lower), _mm_load_ps(a.upper));
    return (_mm_movemask_ps(_mm_and_ps(one, two)) & 7) == 7;
#else
    for (int k = 0; k < 3; ++k)
        if (!(a.lower[k] <= b.upper[k] && b.lower[k] <= a.upper[k])) return false;
    return true;
#endif
}

inline bool contains(const FloatBox& a, const FloatBox& b) {
#if defined(__SSE2__)
    const __m128 one = _mm_cmple_ps(_mm_load_ps(a.lower), _mm_load_ps(b.lower));
    const __m128 two = _mm_cmple_ps(_mm_load_ps(b.upper), _mm_load_ps(a.upper));
    return (_mm_movemask_ps(_mm_and_ps(one, two)) & 7) == 7;
#else
    for (int k = 0; k < 3; ++k)
        if (!(a.lower[k] <= b.lower[k] && b.upper[k] <= a.upper[k])) return false;
    return true;
#endif
}

inline FloatBox united(const FloatBox& a, const FloatBox& b) {
#if defined(__SSE2__)
    FloatBox out;
    _mm_store_ps(out.lower, _mm_min_ps(_mm_load_ps(a.lower), _mm_load_ps(b.lower)));
    _mm_store_ps(out.upper, _mm_max_ps(_mm_load_ps(a.upper), _mm_load_ps(b.upper)));
    return out;
#else
    FloatBox out{};
    for (int k = 0; k < 3; ++k) {
        out.lower[k] = std::min(a.lower[k], b.lower[k]);
        out.upper[k] = std::max(a.upper[k], b.upper[k]);
    }
    return out;
#endif
}

}  // namespace lig::collide
