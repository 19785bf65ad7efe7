#pragma once

// The character dropped in the same random poses twice, from event to event and by the default options, and
// the poses in which it comes to rest compared. A fall is chaotic: single drops end in different poses, the
// two collections must not differ.
//
// The test: for each figure Welch's t, the difference of the means by the standard error of it; below 3.3 it
// is what chance does in 999 of 1000 cases.

#include "support/character_drops.h"

#include <cmath>

namespace lig::test {

struct SampleOf {
    double sum = 0, squares = 0;
    int count = 0;

    void add(double x) {
        sum += x;
        squares += x * x;
        ++count;
    }
    double mean() const { return sum / count; }
    // The squared standard error of the mean.
    double squared_error() const {
        return std::max(0.0, squares - sum * sum / count) / (count - 1) / count;
    }
};

inline double welch_t(const SampleOf& a, const SampleOf& b) {
    const double error = std::sqrt(a.squared_error() + b.squared_error());
    return error > 0 ? std::abs(a.mean() - b.mean()) / error : 0;
}

inline void check_event_drops(int drops, int seconds, std::uint64_t seed) {
    constexpr double degree = std::numbers::pi / 180;
    CharacterDrops by_events(seed, {.stepping = Stepping::event}), by_velocity(seed);
    DropFigures worst;
    SampleOf height[2], limits[2], kinetic[2];
    int restless = 0;
    for (int n = 0; n < drops; ++n) {
        CAPTURE(n);
        const DropFigures drop = by_events.next(seconds), other = by_velocity.next(seconds);
        worst.take_worst(drop);
        if (drop.kinetic >= 0.5) ++restless;
        CHECK(drop.separation < 1e-9);
        CHECK(drop.limit_impact < 2 * degree);
        CHECK(drop.limit_rest < 0.1 * degree);
        CHECK(drop.depth_impact < 5e-3);
        CHECK(drop.depth_rest < 1e-3);
        CHECK(drop.energy_rise < 0.01);
        const DropFigures* both[] = {&drop, &other};
        for (int k = 0; k < 2; ++k) {
            height[k].add(both[k]->height);
            limits[k].add(both[k]->at_limits);
            // Of what is at rest this is rounding and creeping: over ten powers of ten, so by its logarithm,
            // of what could be felt.
            kinetic[k].add(std::log10(std::max(both[k]->kinetic, 1e-6)));
        }
    }
    CHECK(restless <= drops / 20);
    CHECK(worst.rough_frames <= std::max(1, drops * seconds * 60 / 1000));
    CHECK(worst.crowded_frames <= std::max(5, drops * seconds * 60 / 50));
    const double frames = 60.0 * seconds * drops;
    MESSAGE(drops << " drops of " << seconds << " s from event to event: limits "
                  << worst.limit_impact / degree << " deg, at rest " << worst.limit_rest / degree
                  << " deg; penetration " << 1e3 * worst.depth_impact << " mm, at rest "
                  << 1e3 * worst.depth_rest << " mm; energy rise " << 100 * worst.energy_rise
                  << " %; kinetic energy at the end " << worst.kinetic << " J; " << worst.substeps / frames
                  << " sub-steps and " << worst.fallbacks / frames << " fallbacks per frame, "
                  << worst.rough_frames << " frames not converged, " << worst.crowded_frames
                  << " with too many events");
    if (drops < 10) return;
    MESSAGE("rest poses, by events and by velocity steps: height of the centre of mass "
            << height[0].mean() << " and " << height[1].mean() << " m (t " << welch_t(height[0], height[1])
            << "), joints at limits " << 100 * limits[0].mean() << " and " << 100 * limits[1].mean()
            << " % (t " << welch_t(limits[0], limits[1]) << "), log10 of the kinetic energy "
            << kinetic[0].mean() << " and " << kinetic[1].mean() << " (t "
            << welch_t(kinetic[0], kinetic[1]) << ")");
    CHECK(welch_t(height[0], height[1]) < 3.3);
    CHECK(welch_t(limits[0], limits[1]) < 3.3);
    CHECK(welch_t(kinetic[0], kinetic[1]) < 3.3);
}

}  // namespace lig::test
