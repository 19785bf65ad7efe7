#pragma once

// Reading the paths that `--paths` leads kinematic bodies along.

#include "app/dynamics/model_file.h"

#include <ligament/kinematic_paths.h>

#include <string>

namespace lig::app {

// Errors are printed and end in a Failure.
PathSamples read_paths(const std::string& path, const ModelOptions& options, const Model& model);

}  // namespace lig::app
