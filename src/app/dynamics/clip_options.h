#pragma once

// Clips on the command line: how their files are read, for `clip` and `run`.

#include "app/arguments.h"
#include "app/dynamics/model_file.h"

#include <ligament/motion_clip.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

struct ClipFileOptions {
    std::vector<std::string> map;
    std::optional<std::string> scale, root;
    std::string up = "y";

    void declare(Arguments& arguments);
    ClipOptions interpret(std::string_view command) const;  // throws Failure on wrong usage
};

// Reads a clip for a model. Warnings and errors are printed; errors end in a Failure.
ClipSamples read_clip(const std::string& path, const Model& model, const ClipOptions& options,
                      const ModelOptions& model_options);

}  // namespace lig::app
