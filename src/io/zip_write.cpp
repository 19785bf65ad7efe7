#include "io/zip_write.h"

#include "core/byte_stream.h"
#include "io/deflate.h"

namespace lig::io {

namespace {

constexpr std::uint16_t version = 45;           // the first with Zip64
constexpr std::uint16_t names_are_utf8 = 1 << 11;
constexpr std::uint16_t stored = 0;
constexpr std::uint16_t midnight = 0, first_day = (1 << 5) | 1;  // 1 January 1980: the same bytes every time
constexpr std::uint16_t zip64 = 1;              // the kind of extra field
constexpr std::uint32_t elsewhere = 0xffffffff;  // "see the extra field"

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// What a member's own header and its entry in the directory share, up to the lengths of name and extra field.
void put_facts(ByteWriter& out, std::uint32_t crc, std::size_t name_length, std::uint16_t extra_length) {
    out.quarter(version);
    out.quarter(names_are_utf8);
    out.quarter(stored);
    out.quarter(midnight);
    out.quarter(first_day);
    out.half(crc);
    out.half(elsewhere);  // its size as stored,
    out.half(elsewhere);  // and as it was
    out.quarter(static_cast<std::uint16_t>(name_length));
    out.quarter(static_cast<std::uint16_t>(4 + extra_length));
}

}  // namespace

void ZipWriter::write(std::span<const std::byte> bytes) {
    file_.write(bytes);
    written_ += bytes.size();
}

void ZipWriter::add(std::string_view name, std::span<const std::span<const std::byte>> parts) {
    Member member{std::string(name), 0, 0, written_};
    for (const std::span<const std::byte> part : parts) {
        member.crc = crc32(part, member.crc);
        member.size += part.size();
    }
    ByteWriter header;
    header.half(0x04034b50);
    put_facts(header, member.crc, name.size(), 16);
    header.bytes(bytes_of(name));
    header.quarter(zip64);
    header.quarter(16);
    header.word(member.size);
    header.word(member.size);
    write(header.out);
    for (const std::span<const std::byte> part : parts) write(part);
    members_.push_back(std::move(member));
}

void ZipWriter::finish() {
    const std::uint64_t directory = written_;
    for (const Member& member : members_) {
        ByteWriter entry;
        entry.half(0x02014b50);
        entry.quarter(version);
        put_facts(entry, member.crc, member.name.size(), 24);
        entry.quarter(0);  // no comment,
        entry.quarter(0);  // on the first disk,
        entry.quarter(0);  // attributes: none,
        entry.half(0);     // and none of the system's
        entry.half(elsewhere);
        entry.bytes(bytes_of(member.name));
        entry.quarter(zip64);
        entry.quarter(24);
        entry.word(member.size);
        entry.word(member.size);
        entry.word(member.at);
        write(entry.out);
    }
    const std::uint64_t end = written_;
    ByteWriter tail;
    tail.half(0x06064b50);
    tail.word(44);  // bytes that follow in this record
    tail.quarter(version);
    tail.quarter(version);
    tail.half(0);  // this disk, and that of the directory
    tail.half(0);
    tail.word(members_.size());
    tail.word(members_.size());
    tail.word(end - directory);
    tail.word(directory);

    tail.half(0x07064b50);  // where the record before is
    tail.half(0);
    tail.word(end);
    tail.half(1);

    tail.half(0x06054b50);
    tail.quarter(0);
    tail.quarter(0);
    tail.quarter(0xffff);
    tail.quarter(0xffff);
    tail.half(elsewhere);
    tail.half(elsewhere);
    tail.quarter(0);
    write(tail.out);
    file_.finish();
}

}  // namespace lig::io
