// Bytes → blocks of a recording, and samples in them → the same bytes again. Nobody guesses check sums, so
// the bytes are also taken for the samples themselves.

#include "io/recording.h"
#include "io/sample_block.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

void read_samples(std::span<const std::byte> bytes) {
    try {
        const lig::io::SampleBlock samples = lig::io::SampleBlock::from_bytes(bytes);
        if (samples.numbers.size() != samples.samples() * samples.columns) std::abort();
        if (samples.geoms.size() / 2 * samples.contact_numbers != samples.contact_values.size()) std::abort();
        if (!std::ranges::equal(samples.to_bytes(), bytes)) std::abort();
    } catch (const lig::io::RecordingError&) {}
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    read_samples(bytes);
    try {
        lig::io::RecordingReader reader([left = bytes](std::span<std::byte> to) mutable {
            const std::size_t count = std::min(left.size(), to.size());
            std::copy_n(left.begin(), count, to.begin());
            left = left.subspan(count);
            return count;
        });
        while (const auto block = reader.next())
            if (block->kind == lig::io::BlockKind::samples) read_samples(block->bytes);
    } catch (const lig::io::RecordingError&) {}
    return 0;
}
