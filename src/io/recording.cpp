#include "io/recording.h"

#include "core/byte_stream.h"
#include "io/deflate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace lig::io {

namespace {

// As that of PNG: a byte beyond ASCII and both ends of lines, so that whatever takes it for text spoils it
// visibly.
constexpr std::array<unsigned char, 8> magic = {0x89, 'L', 'R', 'E', 'C', '\r', '\n', 0x1a};
// These 16 bytes stay as they are in all versions: magic, version, the check sum of both.
constexpr std::size_t beginning_size = 16;
// Kind, stored length, length, check sum of what is stored, check sum of the header up to here.
constexpr std::size_t header_size = 20;

std::span<const std::byte> magic_bytes() { return std::as_bytes(std::span(magic)); }

std::vector<std::byte> beginning(std::uint32_t version) {
    ByteWriter out;
    out.bytes(magic_bytes());
    out.half(version);
    out.half(crc32(out.out));
    return std::move(out.out);
}

bool is_known(BlockKind kind) {
    using enum BlockKind;
    switch (kind) {
        case model:
        case settings:
        case state:
        case clip:
        case paths:
        case layout:
        case samples:
        case end: return true;
    }
    return false;
}

// Blocks that a reader may pass over have a small first letter.
bool may_be_skipped(BlockKind kind) { return (static_cast<std::uint32_t>(kind) & 0x20) != 0; }

std::string letters_of(BlockKind kind) {
    std::string letters;
    for (int k = 0; k < 4; ++k) {
        const auto letter = static_cast<char>(static_cast<std::uint32_t>(kind) >> (8 * k) & 0xff);
        letters += letter > ' ' && letter < 0x7f ? letter : '?';
    }
    return letters;
}

}  // namespace

RecordingWriter::RecordingWriter(const std::filesystem::path& path) : file_(path) {
    file_.write(beginning(recording_version));
}

void RecordingWriter::add(BlockKind kind, std::span<const std::byte> bytes) {
    if (bytes.size() > largest_block) throw std::system_error(EFBIG, std::generic_category());
    const std::vector<std::byte> stored =
        deflated(bytes, kind == BlockKind::samples ? Effort::fast : Effort::usual);
    ByteWriter block;
    block.half(static_cast<std::uint32_t>(kind));
    block.half(static_cast<std::uint32_t>(stored.size()));
    block.half(static_cast<std::uint32_t>(bytes.size()));
    block.half(crc32(stored));
    block.half(crc32(block.out));
    block.bytes(stored);
    file_.write(block.out);
    if (published_) file_.flush();
}

void RecordingWriter::publish() {
    file_.publish();
    published_ = true;
}

void RecordingWriter::finish() { file_.finish(); }

RecordingReader::RecordingReader(Source source) : source_(std::move(source)) {
    std::array<std::byte, beginning_size> bytes;
    const std::size_t count = take(bytes);
    if (count == 0) throw RecordingError("the file is empty");
    const std::size_t compared = std::min(count, magic.size());
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(compared),
                    magic_bytes().begin()))
        throw RecordingError("this is not a recording; `ligament run --out x.lrec` writes them");
    if (count < beginning_size) throw RecordingError("the recording ends after its first bytes");
    ByteReader in(std::span<const std::byte>(bytes).subspan(magic.size()), "");
    const std::uint32_t version = in.half();
    if (in.half() != crc32(std::span(bytes).first(beginning_size - 4)))
        throw RecordingError("the recording is damaged: the check sum of its first bytes is wrong");
    if (version == 0 || version > recording_version)
        throw RecordingError("the recording has version " + std::to_string(version) +
                             " of the format and this program reads up to " +
                             std::to_string(recording_version) + "; a newer program is needed");
}

std::size_t RecordingReader::take(std::span<std::byte> bytes) {
    std::size_t count = 0;
    while (count < bytes.size()) {
        const std::size_t more = source_(bytes.subspan(count));
        if (more == 0) break;
        count += more;
    }
    at_ += count;
    return count;
}

void RecordingReader::damaged(std::string_view what) const {
    throw RecordingError("the recording is damaged: " + std::string(what) + " (block " +
                         std::to_string(block_) + ", at byte " + std::to_string(block_at_) + ")");
}

std::optional<RecordingBlock> RecordingReader::next() {
    while (!truncated_) {
        block_at_ = at_;
        ++block_;
        std::array<std::byte, header_size> header;
        const std::size_t count = take(header);
        if (over_) {
            if (count > 0) damaged("something follows its last block");
            return std::nullopt;
        }
        truncated_ = count < header_size;
        if (truncated_) break;
        ByteReader in(header, "");
        const auto kind = static_cast<BlockKind>(in.half());
        const std::uint32_t stored_size = in.half(), size = in.half(), sum = in.half();
        if (in.half() != crc32(std::span(header).first(header_size - 4)))
            damaged("the check sum of a block's header is wrong");
        if (size > largest_block || stored_size > 2 * largest_block) damaged("a block is too long");
        // By parts: the length of a file that ends early says nothing about how much there is.
        std::vector<std::byte> stored;
        constexpr std::size_t part = std::size_t(1) << 20;
        while (stored.size() < stored_size && !truncated_) {
            const std::size_t have = stored.size(), wanted = std::min(part, stored_size - have);
            stored.resize(have + wanted);
            truncated_ = take(std::span(stored).subspan(have)) < wanted;
        }
        if (truncated_) break;
        if (sum != crc32(stored)) damaged("the check sum of a block is wrong");
        if (!is_known(kind)) {
            if (may_be_skipped(kind)) continue;
            throw RecordingError("the recording holds a block '" + letters_of(kind) +
                                 "' that this program does not know; a newer program is needed");
        }
        std::optional<std::vector<std::byte>> bytes = inflated(stored, size);
        if (!bytes) damaged("a block does not hold what its header says");
        over_ = kind == BlockKind::end;
        return RecordingBlock{kind, std::move(*bytes)};
    }
    return std::nullopt;
}

}  // namespace lig::io
