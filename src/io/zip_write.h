#pragma once

// Archives in the ZIP format, members stored as they are. Every size and place is written in the 64-bit
// fields (Zip64), whatever it is: archives beyond 4 GiB are then no case of their own.

#include "io/whole_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

class ZipWriter {
public:
    // Throws std::system_error where it cannot be written, as do all that follow.
    explicit ZipWriter(const std::filesystem::path& path) : file_(path) {}

    // A member whose bytes are all of the parts, in order.
    void add(std::string_view name, std::span<const std::span<const std::byte>> parts);
    void finish();

private:
    struct Member {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size, at;
    };

    void write(std::span<const std::byte> bytes);

    WholeFile file_;
    std::uint64_t written_ = 0;
    std::vector<Member> members_;
};

}  // namespace lig::io
