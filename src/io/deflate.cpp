#include "io/deflate.h"

#include <zlib.h>

#include <new>

namespace lig::io {

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

}  // namespace lig::io
