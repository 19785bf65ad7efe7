#include "io/npz_write.h"

#include "core/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace lig::io {

namespace {

// The characters of a text in UTF-8. Bytes that are none become the replacement character, one each.
std::u32string decode(std::string_view text) {
    std::u32string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const int length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2
                                         : lead >> 4 == 0xe   ? 3
                                         : lead >> 3 == 0x1e  ? 4
                                                              : 0;
        char32_t c = length == 1 ? lead : lead & (0x7f >> length);
        bool whole = length > 0 && i + length <= text.size();
        for (int k = 1; whole && k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            whole = next >> 6 == 0x2;
            c = c << 6 | (next & 0x3f);
        }
        constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        whole = whole && c >= least[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        out += whole ? c : U'\ufffd';
        i += whole ? length : 1;
    }
    return out;
}

// The values as they lie in memory where that is little-endian, else turned round in `turned`.
template <class T>
std::span<const std::byte> little_endian(std::span<const T> values, ByteWriter& turned) {
    if constexpr (std::endian::native == std::endian::little) return std::as_bytes(values);
    for (const T value : values) turned.word(std::bit_cast<std::uint64_t>(value));
    return turned.out;
}

}  // namespace

void NpzWriter::add_array(std::string_view name, std::string_view type, std::span<const std::byte> data,
                          std::span<const std::size_t> shape) {
    std::string sizes;
    for (const std::size_t size : shape) sizes += fmt::format("{},", size);
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
    // The data begins at a multiple of 64 bytes.
    constexpr std::size_t preamble = 10;
    text.append(63 - (preamble + text.size()) % 64, ' ');
    text += '\n';
    ByteWriter header;
    header.bytes(std::as_bytes(std::span(std::string_view("\x93NUMPY\x01\0", 8))));
    header.quarter(static_cast<std::uint16_t>(text.size()));
    header.bytes(std::as_bytes(std::span(text)));
    const std::span<const std::byte> parts[] = {header.out, data};
    zip_.add(std::string(name) + ".npy", parts);
}

void NpzWriter::add(std::string_view name, std::span<const double> values,
                    std::span<const std::size_t> shape) {
    ByteWriter turned;
    add_array(name, "<f8", little_endian(values, turned), shape);
}

void NpzWriter::add(std::string_view name, std::span<const std::int64_t> values,
                    std::span<const std::size_t> shape) {
    ByteWriter turned;
    add_array(name, "<i8", little_endian(values, turned), shape);
}

void NpzWriter::add(std::string_view name, std::span<const std::string> texts) {
    std::vector<std::u32string> decoded;
    std::size_t longest = 1;  // numpy has no strings of length 0 in files
    for (const std::string& text : texts) {
        decoded.push_back(decode(text));
        longest = std::max(longest, decoded.back().size());
    }
    ByteWriter data;
    for (std::u32string& text : decoded) {
        text.resize(longest);
        for (const char32_t c : text) data.half(c);
    }
    const std::size_t shape[] = {texts.size()};
    add_array(name, fmt::format("<U{}", longest), data.out, shape);
}

}  // namespace lig::io
