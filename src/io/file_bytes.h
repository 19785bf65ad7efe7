#pragma once

// The content of files that models are made of. Nothing that is read here can hang the program or fill its memory:
// devices are refused, and a length beyond that of any model ends the reading.

#include <ligament/diagnostics.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace lig::io {

inline constexpr std::size_t largest_file = std::size_t(256) << 20;
inline constexpr const char* largest_file_text = "256 MiB";

enum class FileKind {
    regular,  // for what a model refers to: a pipe there would wait for a writer that may never come
    or_pipe   // for what the user names: `ligament info <(xacro robot.xacro)`
};

// All bytes of a file; nothing after an error with the file's name as its place (missing, unreadable, a folder or
// a device, too long). `needed` says what should have been there: "a URDF or MJCF file".
std::optional<std::string> read_bytes(const std::filesystem::path& path, FileKind allowed, const char* needed,
                                      Diagnostics& log);

}  // namespace lig::io
