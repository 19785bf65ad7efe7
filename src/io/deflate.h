#pragma once

// Bytes made smaller and back, in the format of zlib (RFC 1950).

#include <cstddef>
#include <span>
#include <vector>

namespace lig::io {

// As small as it gets.
std::vector<std::byte> compress(std::span<const std::byte> bytes);

}  // namespace lig::io
