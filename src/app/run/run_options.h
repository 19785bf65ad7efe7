#pragma once

// What `ligament run` is told, and what that means for a simulation.

#include "app/dynamics/dynamics_job.h"
#include "app/run/option_arguments.h"
#include "app/run/tracking_options.h"
#include "app/run/trajectory.h"

#include <ligament/simulation.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct RunOptions {
    std::string_view command = "run";  // that was given
    DynamicsOptions job;
    std::string integrator = "auto";
    std::optional<std::string> stepping, dt, duration, threads, every;
    OptionArguments simulation;
    std::optional<std::string> paths;
    std::vector<std::string> set, out;
    TrajectoryContents contents;
    TrackingArguments tracking;

    void declare(Arguments& arguments);
    // What does not tell formulation, integrator, step and files, for commands that have several of these.
    void declare_shared(Arguments& arguments);
};

// Times in seconds.
struct RunSettings {
    SimulationOptions simulation;
    std::string_view integrator;  // its name
    bool stepping_asked_for, tracks;
    double dt, duration, every;
    bool fixed;  // every step has the length dt, but for the last one

    // The lengths of the steps from one sample to the next, which is `length` away: `count` of `h`, then one
    // of `rest` unless that is 0.
    struct Steps {
        int count;
        double h, rest;
    };
    Steps divide(double length) const;
};

// Throws Failure on wrong usage.
RunSettings interpret(const RunOptions& options, const Model& model);

}  // namespace lig::app
