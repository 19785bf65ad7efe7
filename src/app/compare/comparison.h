#pragma once

// The same scene simulated in several ways: what each of them did, how far it is from a reference, and how
// its error goes with the step.

#include "app/compare/compare_options.h"
#include "app/compare/reference_motion.h"
#include "app/progress.h"
#include "app/run/simulation_run.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lig::app {

// How far a run was from the reference, over its samples.
struct Deviation {
    double rms = 0, largest = 0, end = 0;
    long samples = 0;  // that the reference reaches

    void note(double distance);

private:
    double sum_ = 0;
};

struct ComparedRun {
    CompareCase what;
    std::string name;  // unlike all others
    std::string key;   // the same before and after it is known to be the reference
    bool is_reference = false;
    std::unique_ptr<SimulationRun> run;
    std::string status = "ok", message;
    double wall_time = 0;  // of the steps, the shortest of all repetitions
    std::optional<Deviation> deviation;
    // By how much the error shrinks with the step, from the next longer step of the same method to this one.
    std::optional<double> order;

    double dt() const { return run->settings().dt; }
    double time_per_second() const;  // of computation per simulated second; NaN: nothing was simulated
};

struct Comparison {
    struct NotRun {
        std::string name, reason;
    };
    struct Order {
        std::string method;
        std::optional<double> order;  // of the shortest steps whose errors are above those of the reference
        std::vector<std::size_t> runs;  // longest step first
    };

    std::vector<ComparedRun> runs;  // in the order asked for; the reference, if it is a run, last
    std::vector<NotRun> not_run;
    std::vector<Order> orders;
    std::string reference;       // what errors are measured against, in words; empty: nothing
    std::string_view error_unit;
    double duration = 0, every = 0;
    bool interrupted = false;
};

// Sees every sample of every run as it is made, for reports.
using WatchRun = std::function<std::function<void(const TrajectorySample&)>(const ComparedRun& run)>;

// Throws Failure on wrong usage. A case that cannot be run or goes wrong is part of the result.
Comparison compare(const CompareOptions& options, const DynamicsJob& job, const WatchRun& watch);

}  // namespace lig::app
