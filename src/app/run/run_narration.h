#pragma once

// What --verbose tells of a run.

#include "app/run/run_options.h"
#include "app/run/run_summary.h"

#include <string>

namespace lig::app {

// What it is made with, and whether that was asked for or follows from something else. Whole lines.
std::string choices_text(const RunOptions& options, const RunSettings& settings);

// A step that was not as it should be; without a line break.
std::string trouble_text(std::string_view command, const StepReport& report);

// Where the time went. Whole lines.
std::string stages_text(const RunSummary& summary);

}  // namespace lig::app
