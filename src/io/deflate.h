#pragma once

// What zlib does for us: compressed bytes.

#include <cstddef>
#include <span>
#include <vector>

namespace lig::io {

// A zlib stream (RFC 1950). Numbers whose bytes are noise are not worth more than `fast`.
enum class Effort {
    fast,
    usual
};
std::vector<std::byte> deflated(std::span<const std::byte> bytes, Effort effort);

}  // namespace lig::io
