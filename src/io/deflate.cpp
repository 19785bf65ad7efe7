#include "io/deflate.h"

#include <zlib.h>

#include <new>

namespace lig::io {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
    // A null pointer would ask zlib for where to begin.
    if (bytes.empty()) return before;
    return static_cast<std::uint32_t>(
        ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::vector<std::byte> deflated(std::span<const std::byte> bytes, Effort effort) {
    uLongf size = ::compressBound(bytes.size());
    std::vector<std::byte> stream(size);
    const int level = effort == Effort::fast ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
    // There is room for whatever comes out, so memory is all that can lack.
    if (::compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                    reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level) != Z_OK)
        throw std::bad_alloc();
    stream.resize(size);
    return stream;
}

std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> stream, std::size_t size) {
    constexpr std::size_t max_per_byte = 1032;  // of the format
    if (size / max_per_byte > stream.size()) return std::nullopt;
    // zlib wants a place even for nothing.
    std::vector<std::byte> bytes(size + 1);
    uLongf written = bytes.size();
    uLong read = stream.size();
    const int result = ::uncompress2(reinterpret_cast<Bytef*>(bytes.data()), &written,
                                     reinterpret_cast<const Bytef*>(stream.data()), &read);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK || written != size || read != stream.size()) return std::nullopt;
    bytes.resize(size);
    return bytes;
}

}  // namespace lig::io
