// Recordings block by block: they come back bit for bit, up to wherever a file ends; whatever else is wrong
// with one is noticed. The layout that docs/recordings.md tells is checked by app/replay, which has a reader
// of its own.

#include "io/recording.h"
#include "core/byte_stream.h"
#include "io/deflate.h"
#include "io/sample_block.h"
#include "io/support.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

using namespace lig;
using namespace lig::test;
using io::BlockKind;
using io::RecordingBlock;
using io::RecordingError;
using io::RecordingReader;
using io::SampleBlock;

namespace {

using Bytes = std::vector<std::byte>;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

Bytes read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return {bytes_of(text).begin(), bytes_of(text).end()};
}

RecordingReader::Source source_of(std::span<const std::byte> bytes) {
    // In small pieces, as pipes give them.
    return [bytes](std::span<std::byte> to) mutable {
        const std::size_t count = std::min({bytes.size(), to.size(), std::size_t(7)});
        std::copy_n(bytes.begin(), count, to.begin());
        bytes = bytes.subspan(count);
        return count;
    };
}

struct Contents {
    std::vector<RecordingBlock> blocks;
    bool truncated = false;
};

Contents blocks_of(std::span<const std::byte> bytes) {
    RecordingReader reader(source_of(bytes));
    Contents contents;
    while (std::optional<RecordingBlock> block = reader.next()) contents.blocks.push_back(std::move(*block));
    contents.truncated = reader.is_truncated();
    CHECK(reader.bytes_read() == bytes.size());
    return contents;
}

std::string refusal_of(std::span<const std::byte> bytes) {
    try {
        blocks_of(bytes);
    } catch (const RecordingError& error) { return error.what(); }
    return "";
}

// A small recording, and where its blocks end.
struct Small {
    Bytes bytes;
    std::vector<std::size_t> ends;  // [0]: of the beginning
};

Small small_recording() {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "s.lrec";
    Small small;
    io::RecordingWriter file(path);
    file.publish();
    const auto note = [&] { small.ends.push_back(read(path).size()); };
    note();
    file.add(BlockKind::settings, bytes_of("{}"));
    note();
    file.add(BlockKind::model, bytes_of(std::string(300, 'm')));
    note();
    file.add(BlockKind::layout, {});
    note();
    file.add(BlockKind::samples, bytes_of("samples"));
    note();
    file.add(BlockKind::end, bytes_of("the end"));
    note();
    file.finish();
    small.bytes = read(path);
    REQUIRE(small.bytes.size() == small.ends.back());
    return small;
}

// A block by hand.
Bytes block(const char (&letters)[5], std::string_view content) {
    const Bytes stored = io::deflated(bytes_of(content), io::Effort::usual);
    ByteWriter out;
    out.bytes(bytes_of(std::string_view(letters, 4)));
    out.half(static_cast<std::uint32_t>(stored.size()));
    out.half(static_cast<std::uint32_t>(content.size()));
    out.half(io::crc32(stored));
    out.half(io::crc32(out.out));
    out.bytes(stored);
    return out.out;
}

Bytes beginning(std::uint32_t version) {
    ByteWriter out;
    out.bytes(bytes_of("\x89LREC\r\n\x1a"));
    out.half(version);
    out.half(io::crc32(out.out));
    return out.out;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

SampleBlock random_samples(std::size_t samples, std::size_t columns, std::uint32_t max_contacts) {
    std::mt19937_64 random(samples + 1000 * columns);
    SampleBlock block{.columns = columns};
    for (std::size_t k = 0; k < samples * columns; ++k)
        block.numbers.push_back(std::bit_cast<double>(random()));
    for (std::size_t s = 0; s < samples; ++s) {
        block.contacts.push_back(static_cast<std::uint32_t>(random() % (max_contacts + 1)));
        for (std::uint32_t c = 0; c < block.contacts.back(); ++c) {
            for (int k = 0; k < 2; ++k) block.geoms.push_back(static_cast<std::int32_t>(random()));
            for (std::size_t k = 0; k < SampleBlock::contact_numbers; ++k)
                block.contact_values.push_back(std::bit_cast<double>(random()));
        }
    }
    return block;
}

// NaN is not equal to itself; bits are.
std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
    std::vector<std::uint64_t> all;
    for (const double x : numbers) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
}

void check_samples(const SampleBlock& samples) {
    const SampleBlock back = SampleBlock::from_bytes(samples.to_bytes());
    CHECK(back.columns == samples.columns);
    CHECK(bits(back.numbers) == bits(samples.numbers));
    CHECK(back.contacts == samples.contacts);
    CHECK(back.geoms == samples.geoms);
    CHECK(bits(back.contact_values) == bits(samples.contact_values));
}

}  // namespace

TEST_CASE("recordings: blocks come back in their order") {
    const Small small = small_recording();
    const Contents contents = blocks_of(small.bytes);
    CHECK(!contents.truncated);
    REQUIRE(contents.blocks.size() == 5);
    constexpr BlockKind kinds[] = {BlockKind::settings, BlockKind::model, BlockKind::layout,
                                   BlockKind::samples, BlockKind::end};
    for (std::size_t k = 0; k < 5; ++k) CHECK(contents.blocks[k].kind == kinds[k]);
    CHECK(std::ranges::equal(contents.blocks[1].bytes, bytes_of(std::string(300, 'm'))));
    CHECK(contents.blocks[2].bytes.empty());
    CHECK(std::ranges::equal(contents.blocks[4].bytes, bytes_of("the end")));
}

TEST_CASE("recordings: one that ends anywhere is read up to its last whole block") {
    const Small small = small_recording();
    for (std::size_t size = 0; size < small.bytes.size(); ++size) {
        CAPTURE(size);
        const std::span<const std::byte> cut = std::span(small.bytes).first(size);
        if (size < small.ends[0]) {
            CHECK(refusal_of(cut) != "");
            continue;
        }
        const Contents contents = blocks_of(cut);
        CHECK(contents.truncated);
        const auto whole =
            std::ranges::count_if(small.ends, [&](std::size_t end) { return end <= size; }) - 1;
        CHECK(contents.blocks.size() == static_cast<std::size_t>(whole));
    }
    CHECK(contains(refusal_of({}), "empty"));
    CHECK(contains(refusal_of(std::span(small.bytes).first(10)), "ends after its first bytes"));
}

TEST_CASE("recordings: every flipped bit is noticed") {
    const Small small = small_recording();
    for (std::size_t k = 0; k < small.bytes.size(); ++k) {
        for (int bit = 0; bit < 8; ++bit) {
            CAPTURE(k);
            CAPTURE(bit);
            Bytes spoilt = small.bytes;
            spoilt[k] ^= static_cast<std::byte>(1 << bit);
            const std::string refusal = refusal_of(spoilt);
            CHECK(contains(refusal, k < 8 ? "not a recording" : "damaged"));
            if (k < small.ends[0]) continue;
            const auto before = std::ranges::count_if(small.ends, [&](std::size_t end) { return end <= k; });
            CHECK(contains(refusal, "(block " + std::to_string(before) + ", at byte " +
                                        std::to_string(small.ends[static_cast<std::size_t>(before) - 1]) +
                                        ")"));
        }
    }
}

TEST_CASE("recordings: what is foreign, newer or too much is refused") {
    CHECK(contains(refusal_of(bytes_of("<mujoco><worldbody/></mujoco>")), "not a recording"));
    CHECK(contains(refusal_of(bytes_of("x")), "not a recording"));
    CHECK(contains(refusal_of(beginning(2)), "version 2 of the format"));
    CHECK(contains(refusal_of(beginning(0)), "version 0"));

    const Bytes begin = beginning(1), settings = block("SETT", "{}"), end = block("DONE", "");
    CHECK(blocks_of(joined({begin, settings, end})).blocks.size() == 2);
    // A later version may add blocks that need not be understood, and some that must be.
    CHECK(blocks_of(joined({begin, settings, block("note", "unknown"), end})).blocks.size() == 2);
    CHECK(contains(refusal_of(joined({begin, block("NOTE", "unknown"), end})), "block 'NOTE'"));
    CHECK(contains(refusal_of(joined({begin, end, settings})), "something follows its last block"));
    CHECK(contains(refusal_of(joined({begin, end, {std::byte{0}}})), "something follows its last block"));
}

TEST_CASE("recordings: lengths that cannot be are refused, at no expense") {
    const auto with_lengths = [](std::uint32_t stored, std::uint32_t size) {
        const Bytes content = io::deflated(bytes_of("content"), io::Effort::usual);
        ByteWriter out;
        out.bytes(beginning(1));
        ByteWriter header;
        header.bytes(bytes_of("SAMP"));
        header.half(stored);
        header.half(size);
        header.half(io::crc32(content));
        header.half(io::crc32(header.out));
        out.bytes(header.out);
        out.bytes(content);
        return std::pair{out.out, static_cast<std::uint32_t>(content.size())};
    };
    const std::uint32_t stored = with_lengths(0, 0).second;
    CHECK(refusal_of(with_lengths(stored, 7).first) == "");
    CHECK(contains(refusal_of(with_lengths(stored, 8).first), "does not hold what its header says"));
    CHECK(contains(refusal_of(with_lengths(stored, 6).first), "does not hold what its header says"));
    CHECK(contains(refusal_of(with_lengths(stored, 1 << 28).first), "does not hold what its header says"));
    CHECK(contains(refusal_of(with_lengths(stored, 0xffffffff).first), "too long"));
    CHECK(contains(refusal_of(with_lengths(0xffffffff, 7).first), "too long"));
    CHECK(blocks_of(with_lengths(500'000'000, 7).first).truncated);
}

TEST_CASE("recordings: the file is at its place only when it can be read") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.write("r.lrec", "old");
    {
        io::RecordingWriter file(path);
        file.add(BlockKind::settings, bytes_of("{}"));
        CHECK(std::ranges::equal(read(path), bytes_of("old")));
    }
    CHECK(std::ranges::equal(read(path), bytes_of("old")));
    io::RecordingWriter file(path);
    file.add(BlockKind::settings, bytes_of("{}"));
    file.publish();
    CHECK(blocks_of(read(path)).blocks.size() == 1);
    file.add(BlockKind::samples, bytes_of("s"));
    CHECK(blocks_of(read(path)).blocks.size() == 2);
    CHECK_THROWS_AS(io::RecordingWriter(folder.path() / "no" / "r.lrec"), std::system_error);
}

TEST_CASE("recordings: samples come back bit for bit") {
    check_samples({.columns = 3});
    for (const std::size_t samples : {1, 2, 3, 50})
        for (const std::size_t columns : {1, 7}) {
            check_samples(random_samples(samples, columns, 0));
            check_samples(random_samples(samples, columns, 5));
        }

    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double small = std::numeric_limits<double>::denorm_min();
    SampleBlock special{.columns = 1};
    special.numbers = {0.0,
                       -0.0,
                       inf,
                       -inf,
                       small,
                       -small,
                       std::numeric_limits<double>::max(),
                       std::bit_cast<double>(0x7ff8000000000123),
                       std::bit_cast<double>(0xfff0000000000001),
                       1};
    special.contacts.assign(special.numbers.size(), 0);
    check_samples(special);
}

TEST_CASE("recordings: smooth motion takes less room than its numbers") {
    SampleBlock block{.columns = 20};
    for (int s = 0; s < 500; ++s) {
        block.contacts.push_back(0);
        for (int c = 0; c < 20; ++c) block.numbers.push_back(std::sin(0.01 * s * std::sqrt(c + 2)));
    }
    const auto size_of = [](std::span<const std::byte> bytes) {
        return static_cast<double>(io::deflated(bytes, io::Effort::fast).size());
    };
    CHECK(size_of(block.to_bytes()) < 0.85 * size_of(std::as_bytes(std::span(block.numbers))));
}

TEST_CASE("recordings: bytes that are no samples are refused") {
    const Bytes whole = random_samples(4, 3, 2).to_bytes();
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_THROWS_AS(SampleBlock::from_bytes(std::span(whole).first(size)), RecordingError);
    // Counts that do not fit, and such that would overflow.
    for (const std::size_t at : {0, 4, 8})
        for (const std::uint32_t count : {0u, 1u, 0x10000000u, 0x40000000u, 0x80000000u, 0xffffffffu}) {
            Bytes spoilt = whole;
            for (std::size_t k = 0; k < 4; ++k) spoilt[at + k] = static_cast<std::byte>(count >> (8 * k));
            CHECK_THROWS_AS(SampleBlock::from_bytes(spoilt), RecordingError);
        }
    Bytes spoilt = whole;
    spoilt[12] = std::byte{200};  // contacts of the first sample
    CHECK_THROWS_AS(SampleBlock::from_bytes(spoilt), RecordingError);
}
