#include "io/deflate.h"

#include <zlib.h>

#include <new>

namespace lig::io {

std::vector<std::byte> compress(std::span<const std::byte> bytes) {
    uLongf size = compressBound(bytes.size());
    std::vector<std::byte> made(size);
    const int status = compress2(reinterpret_cast<Bytef*>(made.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                                 Z_BEST_COMPRESSION);
    // The room suffices for anything, so only memory can be missing.
    if (status != Z_OK) throw std::bad_alloc();
    made.resize(size);
    return made;
}

}  // namespace lig::io
