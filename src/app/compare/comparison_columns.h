#pragma once

// The figures of a compared run, in one list: the table on the terminal, the .csv file, the JSON document and
// the page run over it.

#include "app/compare/comparison.h"
#include "app/json_output.h"

#include <algorithm>
#include <array>
#include <limits>
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
    double (*figure)(const ComparedRun& run);  // NaN: there is none
    double StepReport::* error = nullptr;      // of step_errors, in its place

    double value(const ComparedRun& run) const;
};

inline constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

inline double deviation_of(const ComparedRun& run, double Deviation::* part) {
    return run.deviation ? (*run.deviation).*part : no_figure;
}
inline const RunSummary& summary_of(const ComparedRun& run) { return run.run->summary(); }

inline double count_of(const ComparedRun& run, int StepReport::* count) {
    return static_cast<double>(summary_of(run).totals(count));
}
inline double ComparisonColumn::value(const ComparedRun& run) const {
    return error ? summary_of(run).totals(error) : figure(run);
}

inline constexpr ComparisonColumn columns_before_errors[] = {
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
     [](const ComparedRun& run) { return count_of(run, &StepReport::guarded); }},
    {"momentum_drift", "momentum drift", "N·s", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).momentum.max_made; }},
    {"angular_momentum_drift", "angular drift", "N·m·s", 1, true, true, true,
     [](const ComparedRun& run) { return summary_of(run).momentum.max_turned; }},
};
inline constexpr ComparisonColumn columns_behind_errors[] = {
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
     [](const ComparedRun& run) { return count_of(run, &StepReport::substeps); }},
    {"iterations_mean", "iterations", "", 1, false, false, false,
     [](const ComparedRun& run) { return summary_of(run).iterations_mean(); }},
    {"newton_iterations", "Newton iterations", "", 1, false, false, false,
     [](const ComparedRun& run) { return count_of(run, &StepReport::newton_iterations); }},
    {"redundant_rows", "redundant rows", "", 1, false, false, false,
     [](const ComparedRun& run) { return count_of(run, &StepReport::redundant_rows); }},
};

inline constexpr auto comparison_columns = [] {
    std::array<ComparisonColumn, std::size(columns_before_errors) + std::size(step_errors) +
                                     std::size(columns_behind_errors)>
        all{};
    auto next = std::ranges::copy(columns_before_errors, all.begin()).out;
    for (const StepError& error : step_errors)
        *next++ = {error.max_name, error.table_title, error.table_unit, error.table_scale, true, true, true,
                   nullptr, error.value};
    std::ranges::copy(columns_behind_errors, next);
    return all;
}();

// For pages (docs/report.md).
Json column_json(const ComparisonColumn& column, std::string_view error_unit);

// "error [m]".
std::string title_with_unit(const ComparisonColumn& column, const Comparison& comparison);

}  // namespace lig::app
