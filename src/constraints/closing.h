#pragma once

// Loops that close gradually. A loop with a closing time T states, instead of C = 0,
//     C − C₀ φ(t/T) = 0,   φ(s) = 1 − s³ (10 − 15 s + 6 s²) for 0 ≤ s ≤ 1,
// C₀ being its residual at the reference configuration: φ goes from 1 to 0, and at both ends its first two
// derivatives vanish, so that the structure starts from rest without a jolt and stays closed after T.

#include "constraints/equality_terms.h"

#include <ligament/model.h>

#include <algorithm>
#include <span>

namespace lig {

// φ, and its first two derivatives by t.
struct ClosingShare {
    ClosingShare(double time, double closing_time) {
        const double s = std::clamp(time / closing_time, 0.0, 1.0);
        value = 1 - s * s * s * (10 - 15 * s + 6 * s * s);
        rate = -30 * s * s * (1 - s) * (1 - s) / closing_time;
        acceleration = -60 * s * (1 - s) * (1 - 2 * s) / (closing_time * closing_time);
    }
    double value, rate, acceleration;
};

// What is in the terms of a loop's rows less what C₀ φ contributes.
inline void take_off_start(const Model::Loop& loop, double time, std::span<EqualityTerms> terms) {
    if (!(loop.closing_time > 0) || time >= loop.closing_time) return;
    const ClosingShare share(time, loop.closing_time);
    for (EqualityTerms& own : terms) {
        const double start = own.scale * loop.start[own.part];
        own.error -= share.value * start;
        own.base_rate -= share.rate * start;
        own.product -= share.acceleration * start;
    }
}

}  // namespace lig
