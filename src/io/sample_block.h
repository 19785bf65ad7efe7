#pragma once

// The samples of a recording as the bytes of a block: numbers that differ little from one sample to the next
// become bytes that compress. docs/recordings.md has the layout.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lig::io {

struct SampleBlock {
    // Numbers of a contact: distance, point, normal, force, moment.
    static constexpr std::size_t contact_numbers = 13;

    std::size_t columns = 0;
    std::vector<double> numbers;             // (samples × columns)
    std::vector<std::uint32_t> contacts;     // (samples) how many contacts each has
    std::vector<std::int32_t> geoms;         // (contacts × 2)
    std::vector<double> contact_values;      // (contacts × contact_numbers)

    std::size_t samples() const { return contacts.size(); }
    std::vector<std::byte> to_bytes() const;
    // Throws RecordingError when the bytes are no samples.
    static SampleBlock from_bytes(std::span<const std::byte> bytes);
};

}  // namespace lig::io
