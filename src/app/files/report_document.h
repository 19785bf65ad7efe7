#pragma once

// Pages that show runs, by themselves or beside each other: the document in them is described in
// docs/report.md.

#include "app/files/drawn_scene.h"
#include "app/files/report_samples.h"
#include "app/json_output.h"
#include "app/names.h"
#include "core/byte_stream.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct ReportRun {
    std::string name;  // unique in its document
    std::string formulation, integrator;
    double dt = 0;
    std::string status = "ok", message;
    std::string missed;  // promises, in words
    Json figures = Json::object();
    std::optional<ReportSamples> samples;  // none: only the figures are shown
    bool drawn = true;                     // false: curves without the motion
};

enum class ReportKind {
    replay,
    comparison
};

class ReportDocument {
public:
    // Takes the page first, so that a program without one says so before anything is computed: throws
    // Failure. Model and names must outlive it.
    ReportDocument(ReportKind kind, std::string_view title, std::string_view command_line, const Model& model,
                   const Names& names);

    void add(const ReportRun& run);
    void set_comparison(Json comparison);
    // Titles and units of the figures of a replay.
    void set_columns(Json columns);

    // The whole page.
    std::string page() const;

private:
    Json scene_json();
    Json floats(const std::vector<float>& values, std::vector<std::size_t> shape);
    Json whole_numbers(const std::vector<std::uint32_t>& values, std::vector<std::size_t> shape);
    void add_motion(const ReportSamples& samples, Json& run);
    Json contacts_json(const ReportSamples& samples);
    Json series_json(const ReportSamples& samples);

    ReportKind kind_;
    const Model& model_;
    const Names& names_;
    std::string page_;
    DrawnScene drawn_;
    ViewTracker view_;
    ByteWriter data_;
    Json document_;
};

}  // namespace lig::app
