#pragma once

// Adds the time that a scope takes to a stage of a step's report, where that is asked for.

#include <ligament/simulation.h>

#include <chrono>
#include <numeric>
#include <utility>

namespace lig {

using StageSeconds = std::array<double, step_stages>;

// Time of parts that know no report: they count, and whoever reports takes it.
struct StageCount {
    bool on = false;
    StageSeconds seconds{};

    StageSeconds* watched() { return on ? &seconds : nullptr; }
    void give_to(StageSeconds& out) {
        for (int k = 0; k < step_stages; ++k) out[k] += std::exchange(seconds[k], 0.0);
    }
};

class Stopwatch {
public:
    // Null: nobody asks.
    Stopwatch(StageSeconds* seconds, StepStage stage)
        : into_(seconds ? &(*seconds)[static_cast<std::size_t>(stage)] : nullptr) {
        if (into_) begin_ = std::chrono::steady_clock::now();
    }
    Stopwatch(StepReport& report, StepStage stage, bool on)
        : Stopwatch(on ? &report.seconds : nullptr, stage) {}
    ~Stopwatch() {
        if (into_) *into_ += seconds();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

protected:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    double* into_;

private:
    std::chrono::steady_clock::time_point begin_;
};

// The same of a scope within which others are timed: what they have not counted.
class RestOfTime : private Stopwatch {
public:
    RestOfTime(StageSeconds* seconds, StepStage stage)
        : Stopwatch(seconds, stage), all_(seconds), before_(seconds ? sum() : 0) {}
    ~RestOfTime() {
        if (all_) *into_ -= sum() - before_;
    }

private:
    double sum() const { return std::accumulate(all_->begin(), all_->end(), 0.0); }

    const StageSeconds* all_;
    double before_;
};

}  // namespace lig
