#pragma once

// The figures of a compared run, in one list: the table on the terminal, the .csv file, the JSON document and
// the page run over it.

#include "app/compare/comparison.h"
#include "app/json_output.h"

#include <string_view>

namespace lig::app {

struct ComparisonColumn {
    std::string_view key;    // in files
    std::string_view title;  // in tables
    std::string_view unit;   // of the table: `scale` times that of the files. "error": that of the errors
    double scale;
    bool in_table;           // on the terminal
    bool on_page;
    bool low_is_good;
    double (*value)(const ComparedRun& run);  // NaN: there is none
};

inline constexpr double degrees = 57.29577951308232;

inline constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

inline double deviation_of(const ComparedRun& run, double Deviation::* part) {
    return run.deviation ? (*run.deviation).*part : no_figure;
}
inline const RunSummary& summary_of(const ComparedRun& run) { return run.run->summary(); }

inline constexpr ComparisonColumn comparison_columns[] = {
    {"error_rms", "error", "error", 1, true, true, true,
     [](const ComparedRun& run) { return deviation_of(run, &Deviation::rms); }},
    {"error_max", "largest error", "error", 1, false, true, true,
     [](const ComparedRun& run) { return deviation_of(run, &Deviation::largest); }},
    {"error_end", "error at the end", "error", 1, false, true, true,
     [](const ComparedRun& run) { return deviation_of(run, &Deviation::end); }},
    {"order", "order", "", 1, true, true, false,
     [](const ComparedRun& run) { return run.order.value_or(no_figure); }},
    {"energy_start", "energy at the start", "J", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).energy_start; }},
    {"energy_end", "energy at the end", "J", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).energy_end; }},
    {"energy_max_drift", "energy drift", "J", 1, true, true, false,
     [](const ComparedRun& run) { return summary_of(run).energy_max_drift; }},
    {"energy_max_rise", "energy rise", "J", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).energy_max_rise; }},
    {"energy_in_motion", "energy in motion", "J", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).ledger.moving; }},
    {method_energy_name, "made by the method", "J", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).ledger.method; }},
    {"made_share", "most made, of the energy in motion", "%", 100, false, true, true,
     [](const ComparedRun& run) { return summary_of(run).made_share(); }},
    {"guarded_substeps", "guarded", "", 1, true, true, true,
     [](const ComparedRun& run) { return static_cast<double>(summary_of(run).ledger.guarded); }},
    {"momentum_drift", "momentum drift", "N·s", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).momentum.most_made; }},
    {"angular_momentum_drift", "angular drift", "N·m·s", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).momentum.most_turned; }},
    {"max_joint_error", "joint gap", "mm, mrad", 1e3, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).joint_error; }},
    {"max_equality_error", "equality gap", "mm, mrad", 1e3, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).equality_error; }},
    {"max_penetration", "overlap", "mm", 1e3, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).penetration; }},
    {"max_limit_violation", "limits", "°", degrees, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).limit_violation; }},
    {"contacts_mean", "contacts", "", 1, false, true, false,
     [](const ComparedRun& run) { return summary_of(run).contacts_mean(); }},
    {"time_per_second", "time per second", "ms", 1e3, true, true, true,
     [](const ComparedRun& run) { return run.time_per_second(); }},
    {"wall_time", "time", "s", 1, false, false, true, [](const ComparedRun& run) { return run.wall_time; }},
    {"simulated_time", "simulated", "s", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).simulated_time; }},
    {"steps", "steps", "", 1, false, false, false,
     [](const ComparedRun& run) { return static_cast<double>(summary_of(run).steps); }},
    {"substeps", "sub-steps", "", 1, true, true, false,
     [](const ComparedRun& run) { return static_cast<double>(summary_of(run).substeps); }},
    {"iterations_mean", "iterations", "", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).iterations_mean(); }},
    {"newton_iterations", "Newton iterations", "", 1, false, false, false,
     [](const ComparedRun& run) { return static_cast<double>(summary_of(run).newton_iterations); }},
    {"redundant_rows", "redundant rows", "", 1, false, false, false,
     [](const ComparedRun& run) { return static_cast<double>(summary_of(run).redundant_rows); }},
};

// For pages (docs/report.md).
Json column_json(const ComparisonColumn& column, std::string_view error_unit);

// "error [m]".
std::string title_with_unit(const ComparisonColumn& column, const Comparison& comparison);

}  // namespace lig::app
