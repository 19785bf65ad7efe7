#pragma once

// What `ligament run` is told about a clip to follow, and how well that went.

#include "app/dynamics/clip_options.h"
#include "app/json_output.h"

#include <ligament/simulation.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct TrackingArguments {
    std::optional<std::string> track, settling_time, torque_limit;
    std::string method = "acceleration", gains = "corrected";
    std::vector<std::string> limp;
    bool loop = false;
    ClipFileOptions files;

    void declare(Arguments& arguments);
};

// A clip and how it is to be followed.
struct TrackedClip {
    ClipSamples samples;
    ClipEnds ends;
    TrackingOptions options;
    std::string source;  // of the clip, for messages
};

// Reads the clip, if one is to be followed. Throws Failure.
std::optional<TrackedClip> read_tracked_clip(std::string_view command, const TrackingArguments& arguments,
                                             const ModelOptions& model_options, const Model& model,
                                             Stepping stepping);

// How far joints were from the clip, at the ends of steps in which they followed it.
class TrackingFigures {
public:
    // What has been noted.
    struct Totals {
        long samples = 0, freedoms = 0;
        double largest_error = 0, sum = 0, largest_force = 0;  // the sum: of squares
    };

    explicit TrackingFigures(const Model& model) : errors_(model.nv), forces_(model.nv) {}
    TrackingFigures(const Model& model, const Totals& totals) : TrackingFigures(model) { totals_ = totals; }

    void note(const Simulation& simulation);
    // The largest error at present, whether joints are limp or not.
    double error_now(const Simulation& simulation);

    const Totals& totals() const { return totals_; }
    long samples() const { return totals_.samples; }
    double largest_error() const { return totals_.largest_error; }  // rad or m
    double rms_error() const;                                       // over all freedoms that are tracked
    double largest_force() const { return totals_.largest_force; }  // N·m or N
    Json json() const;

private:
    std::vector<double> errors_, forces_;  // (nv)
    Totals totals_;
};

}  // namespace lig::app
