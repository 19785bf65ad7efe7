#pragma once

// The files of a comparison: the ending decides what is written.

#include "app/compare/comparison.h"

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// .html, .json, ….
std::vector<std::string_view> comparison_endings();

class ComparisonFiles {
public:
    // Opens them all, so that a place that cannot be written to is known before anything is computed. Throws
    // Failure, as write does: for endings that tell no format, files named twice, and where one cannot be
    // written.
    ComparisonFiles(const std::vector<std::string>& paths, const DynamicsJob& job, const std::string& scene,
                    std::string command_line);
    ~ComparisonFiles();

    // For compare: takes down the motions of runs that are drawn.
    WatchRun watch();
    void write(const Comparison& comparison);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace lig::app
