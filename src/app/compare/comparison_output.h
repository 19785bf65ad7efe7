#pragma once

// A comparison for readers: a table, JSON, comma-separated text, plots.

#include "app/compare/comparison.h"
#include "app/json_output.h"

#include <string>

namespace lig::app {

void print_comparison(const Comparison& comparison);

Json comparison_json(const Comparison& comparison, const std::string& scene);
// What a page has of it beside the runs (docs/report.md).
Json comparison_for_page(const Comparison& comparison);
Json figures_json(const ComparedRun& run);

// A header and a line for each run.
std::string comparison_csv(const Comparison& comparison);
// Error against time of computation and against the step, in powers of ten.
std::string comparison_svg(const Comparison& comparison, const std::string& title);

}  // namespace lig::app
