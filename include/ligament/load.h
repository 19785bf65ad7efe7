#pragma once

// Reading models from files. The format is told by the content (the root element), not by the file's name.

#include <ligament/scene.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lig {

enum class BaseMode {
    fixed,
    free
};

struct LoadOptions {
    // URDF only: whether the root link is fixed to the world or moves on a free joint `root_joint`.
    BaseMode base = BaseMode::fixed;
    // Where package://NAME/… is looked for, before ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above
    // the file: folders that contain a folder NAME.
    std::vector<std::filesystem::path> package_paths;
};

// Reads a URDF or MJCF file. Warnings are collected in `log`; errors are collected there too and thrown
// together as InputError when the file has been read as far as it goes.
Scene load_scene(const std::filesystem::path& path, const LoadOptions& options, Diagnostics& log);

// The same from text in memory. `file_name` stands in diagnostics, and relative paths start from its folder.
Scene parse_scene(std::string_view text, const std::filesystem::path& file_name, const LoadOptions& options,
                  Diagnostics& log);

}  // namespace lig
