#pragma once

// Where the files are that a URDF names: package://NAME/…, model://NAME/…, file://…, absolute and relative
// paths.

#include <ligament/load.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

struct FileSearch {
    std::filesystem::path found;  // empty when the file is nowhere
    std::vector<std::string> tried;  // every place looked at, in order; for the warning
};

class PackagePaths {
public:
    // Reads ROS_PACKAGE_PATH and AMENT_PREFIX_PATH once. `model_file` is the file that names the others.
    PackagePaths(const LoadOptions& options, const std::filesystem::path& model_file);

    FileSearch find(std::string_view uri) const;

private:
    FileSearch find_in_packages(std::string_view package, std::string_view rest) const;

    std::filesystem::path folder_;  // of the model file, absolute
    std::vector<std::filesystem::path> above_;  // that folder and all above it, nearest first
    std::vector<std::filesystem::path> parents_;  // folders that hold packages, in order of preference
    std::vector<std::filesystem::path> prefixes_;  // packages are in share/ of these
};

}  // namespace lig::io
