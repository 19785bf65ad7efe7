#include "app/file_failure.h"

#include <fmt/format.h>

#include <filesystem>

namespace lig::app {

namespace {

namespace fs = std::filesystem;

std::string what_to_do(const std::string& path, const std::error_code& why) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code ignored;
    if (why == std::errc::no_such_file_or_directory && !folder.empty() && !fs::exists(folder, ignored))
        return fmt::format("there is no folder '{}'; make it first: mkdir -p '{}'", folder.string(),
                           folder.string());
    if (why == std::errc::is_a_directory) return "this is a folder; name a file in it";
    if (why == std::errc::not_a_directory) return "a part of the path is a file, not a folder";
    if (why == std::errc::permission_denied || why == std::errc::read_only_file_system)
        return "write to a folder of your own";
    if (why == std::errc::no_space_on_device)
        return "make room on the disk, or write less: --every SECONDS takes fewer samples";
    return "";
}

}  // namespace

Failure cannot_write(const std::string& path, const std::error_code& why) {
    const std::string hint = what_to_do(path, why);
    return {Exit::io, fmt::format("{}: error: cannot be written: {}{}{}{}", path == "-" ? "<stdout>" : path,
                                  why.message(), hint.empty() ? "" : " (", hint, hint.empty() ? "" : ")")};
}

}  // namespace lig::app
