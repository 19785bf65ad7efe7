#pragma once

// Whole files of other formats than XML, as bytes.

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace lig::io {

// What is wrong with a file, to be reported by whoever knows where it was named.
struct FileFault {
    std::string what;
    std::string hint;
    int line = 0;  // of a text file; 0 where there is none

    // "arm.obj:12: the face names vertex 9 of 8"
    std::string message(const std::filesystem::path& file) const;
};

// Regular files of at most 512 MiB.
std::variant<std::vector<std::byte>, FileFault> read_file_bytes(const std::filesystem::path& path);

}  // namespace lig::io
