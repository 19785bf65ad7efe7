#pragma once

// Adds the time that a scope takes to a stage of a step's report, where that is asked for.

#include <ligament/simulation.h>

#include <chrono>

namespace lig {

class Stopwatch {
public:
    Stopwatch(StepReport& report, StepStage stage, bool on)
        : into_(on ? &report.seconds[static_cast<std::size_t>(stage)] : nullptr) {
        if (into_) begin_ = std::chrono::steady_clock::now();
    }
    ~Stopwatch() {
        if (into_)
            *into_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double* into_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace lig
