// Bytes → snapshot → the same bytes.

#include <ligament/snapshot.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    try {
        const std::vector<std::byte> again = lig::Snapshot::from_bytes(bytes).to_bytes();
        if (!std::ranges::equal(again, bytes)) std::abort();
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
