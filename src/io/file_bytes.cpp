#include "io/file_bytes.h"

#include <fstream>
#include <system_error>

namespace lig::io {

namespace fs = std::filesystem;

std::string FileFault::message(const fs::path& file) const {
    return file.string() + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what;
}

std::variant<std::vector<std::byte>, FileFault> read_file_bytes(const fs::path& path) {
    constexpr std::uintmax_t limit = 512u << 20;
    std::error_code failure;
    if (!fs::is_regular_file(path, failure))
        return FileFault{failure ? "the file cannot be read" : "this is not a regular file",
                         "check the path and its permissions"};
    const std::uintmax_t size = fs::file_size(path, failure);
    if (failure) return FileFault{"the file cannot be read", "check its permissions"};
    if (size > limit)
        return FileFault{"the file has " + std::to_string(size >> 20) + " MiB, more than 512",
                         "reduce the number of faces"};
    std::vector<std::byte> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file || !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
        return FileFault{"the file cannot be read", "check its permissions"};
    return bytes;
}

}  // namespace lig::io
