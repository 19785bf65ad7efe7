#pragma once

// What zlib does for us: compressed bytes and check sums.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lig::io {

// The check sum that ZIP and PNG use, too. `before` is that of what went before the bytes.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// A zlib stream (RFC 1950). Numbers whose bytes are noise are not worth more than `fast`.
enum class Effort {
    fast,
    usual
};
std::vector<std::byte> deflated(std::span<const std::byte> bytes, Effort effort);

// Nothing where it is not a whole stream of just `size` bytes. Not more than the stream can hold is
// allocated, whatever `size` is.
std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> stream, std::size_t size);

}  // namespace lig::io
