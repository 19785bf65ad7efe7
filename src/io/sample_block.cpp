#include "io/sample_block.h"

#include "core/byte_stream.h"
#include "io/recording.h"

#include <bit>
#include <stdexcept>

namespace lig::io {

namespace {

// Small differences of either sign as small numbers: 0, −1, 1, −2, … are 0, 1, 2, 3, ….
std::uint64_t fold(std::uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
std::uint64_t unfold(std::uint64_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// What is noise in all numbers is kept apart from what hardly changes: their lowest bytes come first, all of
// them, then those above.
void put_planes(std::span<const std::uint64_t> words, ByteWriter& out) {
    const std::size_t begin = out.out.size(), count = words.size();
    out.out.resize(begin + 8 * count);
    std::byte* to = out.out.data() + begin;
    for (int k = 0; k < 8; ++k)
        for (std::size_t i = 0; i < count; ++i) *to++ = static_cast<std::byte>(words[i] >> (8 * k));
}

std::vector<std::uint64_t> take_planes(std::size_t count, ByteReader& in) {
    const std::byte* from = in.bytes(8 * count).data();
    std::vector<std::uint64_t> words(count, 0);
    for (int k = 0; k < 8; ++k)
        for (std::size_t i = 0; i < count; ++i) words[i] |= static_cast<std::uint64_t>(*from++) << (8 * k);
    return words;
}

// Calls f(contact, the one at the same place in the sample before or −1).
template <class F>
void for_each_contact(std::span<const std::uint32_t> counts, F&& f) {
    std::ptrdiff_t at = 0, before = 0;
    std::uint32_t count_before = 0;
    for (const std::uint32_t count : counts) {
        for (std::uint32_t k = 0; k < count; ++k) f(at + k, k < count_before ? before + k : -1);
        before = at;
        at += count;
        count_before = count;
    }
}

[[noreturn]] void do_not_fit() { throw RecordingError("the recording is damaged: samples do not fit"); }

}  // namespace

// Numbers are taken for the integers that their bits are, column by column: motion is smooth, so each is near
// the line through the two before it. Of contacts, which come and go, the difference to the last is taken.
std::vector<std::byte> SampleBlock::to_bytes() const {
    const std::size_t n = samples(), total = geoms.size() / 2;
    ByteWriter out;
    for (const std::size_t count : {n, columns, total}) out.half(static_cast<std::uint32_t>(count));
    for (const std::uint32_t count : contacts) out.half(count);
    for (const std::int32_t geom : geoms) out.half(static_cast<std::uint32_t>(geom));

    std::vector<std::uint64_t> words;
    words.reserve(n * columns);
    for (std::size_t c = 0; c < columns; ++c) {
        std::uint64_t before = 0, slope = 0;
        for (std::size_t s = 0; s < n; ++s) {
            const std::uint64_t now = bits(numbers[s * columns + c]);
            words.push_back(fold(now - before - slope));
            slope = now - before;
            before = now;
        }
    }
    put_planes(words, out);

    words.assign(total * contact_numbers, 0);
    for_each_contact(contacts, [&](std::ptrdiff_t now, std::ptrdiff_t before) {
        for (std::size_t c = 0; c < contact_numbers; ++c) {
            const auto value = [&](std::ptrdiff_t i) {
                return i < 0 ? 0 : bits(contact_values[static_cast<std::size_t>(i) * contact_numbers + c]);
            };
            words[c * total + static_cast<std::size_t>(now)] = fold(value(now) - value(before));
        }
    });
    put_planes(words, out);
    return std::move(out.out);
}

SampleBlock SampleBlock::from_bytes(std::span<const std::byte> bytes) {
    try {
        ByteReader in(bytes, "");
        SampleBlock block;
        const std::uint64_t n = in.half(), columns = in.half(), total = in.half();
        // In this order nothing overflows: each of the counts has 32 bits.
        constexpr std::uint64_t per_contact = 8 + 8 * contact_numbers;
        if (columns == 0 || 4 * n > in.left() || (in.left() - 4 * n) / (8 * columns) < n ||
            in.left() != 4 * n + 8 * n * columns + per_contact * total)
            do_not_fit();
        block.columns = columns;
        std::uint64_t sum = 0;
        for (std::uint64_t s = 0; s < n; ++s) {
            block.contacts.push_back(in.half());
            sum += block.contacts.back();
        }
        if (sum != total) do_not_fit();
        for (std::uint64_t k = 0; k < 2 * total; ++k)
            block.geoms.push_back(static_cast<std::int32_t>(in.half()));

        std::vector<std::uint64_t> words = take_planes(n * columns, in);
        block.numbers.resize(n * columns);
        for (std::size_t c = 0; c < columns; ++c) {
            std::uint64_t before = 0, slope = 0;
            for (std::size_t s = 0; s < n; ++s) {
                slope += unfold(words[c * n + s]);
                before += slope;
                block.numbers[s * columns + c] = std::bit_cast<double>(before);
            }
        }
        words = take_planes(total * contact_numbers, in);
        block.contact_values.resize(total * contact_numbers);
        for_each_contact(block.contacts, [&](std::ptrdiff_t now, std::ptrdiff_t before) {
            for (std::size_t c = 0; c < contact_numbers; ++c) {
                const auto at = [&](std::ptrdiff_t i) {
                    return static_cast<std::size_t>(i) * contact_numbers + c;
                };
                const std::uint64_t last = before < 0 ? 0 : bits(block.contact_values[at(before)]);
                block.contact_values[at(now)] =
                    std::bit_cast<double>(last + unfold(words[c * total + static_cast<std::size_t>(now)]));
            }
        });
        return block;
    } catch (const std::invalid_argument&) { do_not_fit(); }
}

}  // namespace lig::io
