#pragma once

// The figures of step_counts and step_errors over several steps.

#include <ligament/simulation.h>

#include <algorithm>
#include <array>

namespace lig::app {

struct StepTotals {
    std::array<long, std::size(step_counts)> counts{};
    std::array<double, std::size(step_errors)> errors{};

    void note(const StepReport& report) {
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const int value = report.*step_counts[k].value;
            counts[k] = step_counts[k].is_sum ? counts[k] + value : value;
        }
        for (std::size_t k = 0; k < errors.size(); ++k)
            errors[k] = std::max(errors[k], report.*step_errors[k].value);
    }

    long operator()(int StepReport::* count) const {
        return counts[std::ranges::find(step_counts, count, &StepCount::value) - step_counts];
    }
    double operator()(double StepReport::* error) const {
        return errors[std::ranges::find(step_errors, error, &StepError::value) - step_errors];
    }
};

}  // namespace lig::app
