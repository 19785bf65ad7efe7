#pragma once

// Recordings, `.lrec`: a beginning of 16 bytes and then blocks, each with check sums of its own. A file may
// end anywhere; what is whole before can be read. What blocks hold is told elsewhere; docs/recordings.md has
// it all in one place.

#include "io/file_bytes.h"
#include "io/whole_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

// Four letters, the first one the lowest byte.
constexpr std::uint32_t block_kind(const char (&letters)[5]) {
    std::uint32_t kind = 0;
    for (int k = 3; k >= 0; --k) kind = kind << 8 | static_cast<unsigned char>(letters[k]);
    return kind;
}

enum class BlockKind : std::uint32_t {
    model = block_kind("MODL"),
    settings = block_kind("SETT"),
    state = block_kind("STAT"),
    clip = block_kind("CLIP"),
    paths = block_kind("PATH"),
    layout = block_kind("LAYT"),
    samples = block_kind("SAMP"),
    end = block_kind("DONE")
};

struct RecordingBlock {
    BlockKind kind;
    std::vector<std::byte> bytes;
};

inline constexpr std::uint32_t recording_version = 1;
inline constexpr std::size_t largest_block = largest_file;  // not compressed

class RecordingWriter {
public:
    // Throws std::system_error where it cannot be written, as do all that follow.
    explicit RecordingWriter(const std::filesystem::path& path);

    // More than a block can hold cannot be written, either.
    void add(BlockKind kind, std::span<const std::byte> bytes);
    // What has been added is at its place from now on, all of it in one go; before, there is what was. Every
    // block that follows is there once it has been added.
    void publish();
    void finish();

private:
    WholeFile file_;
    bool published_ = false;
};

// Why a file is not read, or not further. The text is what a message about the file goes on with.
class RecordingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class RecordingReader {
public:
    // Fills what it is given as far as there are bytes, and returns how far.
    using Source = std::function<std::size_t(std::span<std::byte>)>;

    // Throws RecordingError for what is not a recording, or one of a newer program.
    explicit RecordingReader(Source source);

    // Nothing after the last whole block. Throws RecordingError for a damaged one, and for one that has to be
    // understood and is not.
    std::optional<RecordingBlock> next();
    // The file ends before its last block. Known once there is no next one.
    bool is_truncated() const { return truncated_; }
    std::uint64_t bytes_read() const { return at_; }

private:
    std::size_t take(std::span<std::byte> bytes);
    [[noreturn]] void damaged(std::string_view what) const;

    Source source_;
    std::uint64_t at_ = 0, block_at_ = 0;  // in the file
    std::size_t block_ = 0;  // counted from 1
    bool truncated_ = false, over_ = false;
};

}  // namespace lig::io
