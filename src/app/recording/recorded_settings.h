#pragma once

// What a recording tells in JSON: how a simulation was made and how it ended. Numbers come back to the same
// bits.

#include "app/json_output.h"
#include "app/run/run_options.h"
#include "app/run/run_summary.h"

#include <string>
#include <vector>

namespace lig::app {

// How the samples of a recording were made, apart from the model and what acts on it.
struct RecordedSettings {
    std::string program;       // that wrote it: "ligament 1.2.3"
    std::string command_line;
    std::uint64_t fingerprint = 0;
    RunSettings settings{};
    TrajectoryContents contents;

    Json json() const;
    // Throws std::invalid_argument or a JSON exception for what does not make sense.
    static RecordedSettings from_json(const Json& document);
};

// "ligament 1.2.3", this one.
std::string program_version();

// What the columns of samples are.
Json layout_json(const TrajectoryLayout& layout);
// Whether that is what is recorded.
bool is_layout(const TrajectoryLayout& layout, Json recorded);

// How a run ended.
struct RecordedEnd {
    RunSummary summary;
    std::string message;
    std::size_t samples = 0;

    Json json() const;
    static RecordedEnd from_json(const Json& recorded, const Model& model);
};

}  // namespace lig::app
