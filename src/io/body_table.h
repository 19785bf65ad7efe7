#pragma once

// Tables that tell where bodies are over time: columns `time`, NAME.x NAME.y NAME.z, NAME.qw … NAME.qz.

#include <ligament/kinematic_paths.h>

#include <filesystem>
#include <string_view>

namespace lig::io {

enum class TableOf {
    kinematic,  // paths to lead bodies along
    any         // what some program says that bodies did
};

// Errors are collected in `log` and thrown together as InputError.
PathSamples parse_body_table(std::string_view text, const std::filesystem::path& file_name,
                             const Model& model, TableOf bodies, Diagnostics& log);

}  // namespace lig::io
