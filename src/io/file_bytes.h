#pragma once

// Whole files, as bytes or as text. Nothing that is read here can hang the program or fill its memory:
// folders and devices are refused, and a length beyond that of any model ends the reading.

#include <ligament/diagnostics.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace lig::io {

inline constexpr std::size_t largest_file = std::size_t(256) << 20;
inline constexpr const char* largest_file_text = "256 MiB";

// What is wrong with a file, to be reported by whoever knows where it was named.
struct FileFault {
    std::string what;
    std::string hint;
    int line = 0;                          // of a text file; 0 where there is none
    const DiagnosticCode* code = nullptr;  // where the file could not be read: why

    // "arm.obj:12: the face names vertex 9 of 8"
    std::string message(const std::filesystem::path& file) const;
};

enum class FileKind {
    regular,  // for what a model refers to: a pipe there would wait for a writer that may never come
    or_pipe   // for what the user names: `ligament info <(xacro robot.xacro)`
};

std::variant<std::vector<std::byte>, FileFault> read_file_bytes(const std::filesystem::path& path);
std::variant<std::string, FileFault> read_file_text(const std::filesystem::path& path, FileKind allowed);

}  // namespace lig::io
