#pragma once

// Where two samples that should be the same to the last bit are not.

#include "app/json_output.h"
#include "app/run/trajectory.h"

#include <optional>
#include <string>

namespace lig::app {

struct SampleDifference {
    std::size_t sample = 0;  // counted from 0
    double time = 0;         // as recorded
    std::string array, column;
    double recorded = 0, computed = 0;

    std::string text() const;
    Json json() const;
};

// What takes another time every time is left out.
std::optional<SampleDifference> first_difference(const TrajectoryLayout& layout, std::size_t sample,
                                                 const TrajectorySample& recorded,
                                                 const TrajectorySample& computed);

}  // namespace lig::app
