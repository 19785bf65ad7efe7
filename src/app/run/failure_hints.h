#pragma once

// What to try when a simulation fails, by what failed and by what the model is like.

#include "app/run/simulation_run.h"

#include <string>
#include <vector>

namespace lig::app {

// What is known of a run that has failed.
struct FailedRun {
    const RunOptions& options;
    const RunSettings& settings;
    const DynamicsJob& job;
    const RunInputs& inputs;
    SimulationRun& run;
    const std::vector<std::string>& files;
};

// Lines that follow the message, each begun by a line break: what is kept, what was fastest, and what to try,
// the likeliest first. Nothing where the run was only interrupted.
std::string what_to_try(const FailedRun& failed);

}  // namespace lig::app
