#pragma once

// Times for comparison within one run, and how they grow.
//
// A time is the best of many: what else the machine does only ever adds. Candidates that are compared take
// turns, so that a disturbance or a change of the clock does not meet one of them alone.

#include "bench/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace lig::bench {

struct Effort {
    int rounds;           // turns of each candidate,
    double seconds;       // as far as they end within this time; a tenth of the rounds in any case
    double turn_seconds;  // how long a turn lasts, at least one call
};

inline constexpr Effort thorough{300, 1.0, 200e-6};
inline constexpr Effort brief{5, 1.0, 100e-6};

constexpr const Effort& effort_of(Extent extent) { return extent == Extent::quick ? brief : thorough; }

// Seconds of one call of each candidate.
inline std::vector<double> compare_times(std::span<const std::function<void()>> candidates,
                                         const Effort& effort) {
    using Clock = std::chrono::steady_clock;
    const auto time_of = [](const std::function<void()>& f, int calls) {
        const Clock::time_point begin = Clock::now();
        for (int k = 0; k < calls; ++k) f();
        return std::chrono::duration<double>(Clock::now() - begin).count() / calls;
    };
    std::vector<int> calls;
    for (const std::function<void()>& f : candidates) {
        f();  // allocates, fills caches
        const double once = std::min(time_of(f, 1), time_of(f, 1));
        calls.push_back(static_cast<int>(std::clamp(effort.turn_seconds / std::max(once, 1e-9), 1.0, 1e6)));
    }
    std::vector<double> best(candidates.size(), HUGE_VAL);
    const Clock::time_point begin = Clock::now();
    for (int round = 0; round < effort.rounds; ++round) {
        const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
        if (passed > effort.seconds && 10 * round >= effort.rounds) break;
        for (std::size_t c = 0; c < candidates.size(); ++c)
            best[c] = std::min(best[c], time_of(candidates[c], calls[c]));
    }
    return best;
}

// The exponent p of y ~ xᵖ, by least squares of the logarithms.
inline double growth(std::span<const double> x, std::span<const double> y) {
    const double n = static_cast<double>(x.size());
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double u = std::log(x[k]), v = std::log(y[k]);
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace lig::bench
