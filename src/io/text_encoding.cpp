#include "io/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lig::io {

namespace {

constexpr std::uint32_t replacement_character = 0xFFFD;

void append_utf8(std::string& out, std::uint32_t c) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

bool is_surrogate(std::uint32_t c) { return c >= 0xD800 && c < 0xE000; }

// Code units of `width` bytes (2 or 4) to UTF-8; whatever is no character becomes the replacement character.
std::string from_wide(std::string_view bytes, std::size_t width, bool big_endian) {
    const auto unit = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t k = 0; k < width; ++k)
            value = value << 8 | static_cast<unsigned char>(bytes[at + (big_endian ? k : width - 1 - k)]);
        return value;
    };
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
        std::uint32_t c = unit(at);
        const bool high = width == 2 && c >= 0xD800 && c < 0xDC00;
        if (high && at + 2 * width <= bytes.size()) {
            const std::uint32_t low = unit(at + width);
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                at += width;
            }
        }
        append_utf8(out, is_surrogate(c) || c > 0x10FFFF ? replacement_character : c);
    }
    return out;
}

std::string from_latin1(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() + bytes.size() / 8);
    for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
    return out;
}

// The offset of the first byte that cannot be part of UTF-8; npos when there is none.
std::size_t find_invalid_utf8(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        const int more = lead < 0x80                   ? 0
                         : lead >= 0xC2 && lead < 0xE0 ? 1
                         : (lead & 0xF0) == 0xE0       ? 2
                         : lead >= 0xF0 && lead < 0xF5 ? 3
                                                       : -1;
        if (more < 0 || i + more >= bytes.size()) return i;
        std::uint32_t c = more == 0 ? lead : lead & (0x3F >> more);
        for (int k = 1; k <= more; ++k) {
            const auto next = static_cast<unsigned char>(bytes[i + k]);
            if ((next & 0xC0) != 0x80) return i;
            c = c << 6 | (next & 0x3F);
        }
        const bool overlong = (more == 2 && c < 0x800) || (more == 3 && c < 0x10000);
        if (overlong || is_surrogate(c) || c > 0x10FFFF) return i;
        i += more + 1;
    }
    return bytes.npos;
}

// What `<?xml … encoding="…"?>` says, in lower case; empty when it says nothing.
std::string declared_encoding(std::string_view text) {
    if (!text.starts_with("<?xml")) return {};
    const std::string_view declaration = text.substr(0, text.find("?>"));
    const std::size_t key = declaration.find("encoding");
    if (key == declaration.npos) return {};
    const std::size_t open = declaration.find_first_of("\"'", key);
    if (open == declaration.npos) return {};
    const std::size_t close = declaration.find(declaration[open], open + 1);
    if (close == declaration.npos) return {};
    std::string name(declaration.substr(open + 1, close - open - 1));
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
}

// Whether a text begins with the reference to a character that XML does not have, such as &#0; or &#xd800;.
bool is_forbidden_reference(std::string_view text) {
    if (!text.starts_with("&#")) return false;
    text.remove_prefix(2);
    const std::uint32_t base = text.starts_with('x') ? 16 : 10;
    if (base == 16) text.remove_prefix(1);
    std::uint32_t c = 0;
    std::size_t digits = 0;
    for (; digits < text.size(); ++digits) {
        const char letter = text[digits];
        const std::uint32_t digit = letter >= '0' && letter <= '9'   ? letter - '0'
                                    : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                    : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                                                     : 16;
        if (digit >= base) break;
        c = std::min(c * base + digit, std::uint32_t(0x110000));
    }
    // Without its end it is text.
    if (digits == 0 || digits == text.size() || text[digits] != ';') return false;
    const bool control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
    return control || is_surrogate(c) || c == 0xFFFE || c == 0xFFFF || c > 0x10FFFF;
}

}  // namespace

DecodedText decode_text(std::string bytes) {
    using namespace std::string_view_literals;
    const std::string_view view = bytes;
    std::string text;
    // UTF-32's little-endian mark begins with UTF-16's, so it is tried first.
    if (view.starts_with("\xFF\xFE\0\0"sv))
        text = from_wide(view.substr(4), 4, false);
    else if (view.starts_with("\0\0\xFE\xFF"sv))
        text = from_wide(view.substr(4), 4, true);
    else if (view.starts_with("\xFF\xFE"sv))
        text = from_wide(view.substr(2), 2, false);
    else if (view.starts_with("\xFE\xFF"sv))
        text = from_wide(view.substr(2), 2, true);
    else if (view.starts_with("<\0"sv))
        text = from_wide(view, 2, false);
    else if (view.starts_with("\0<"sv))
        text = from_wide(view, 2, true);
    else {
        if (view.starts_with("\xEF\xBB\xBF"sv)) bytes.erase(0, 3);
        text = std::move(bytes);
    }
    const std::size_t invalid = find_invalid_utf8(text);
    if (invalid == text.npos) return {std::move(text), {}};

    const std::string declared = declared_encoding(text);
    // A declaration of Latin-1 only counts here, where it can be true: files are often converted without
    // touching it, and valid UTF-8 beyond ASCII hardly ever arises by chance.
    if (declared == "iso-8859-1" || declared == "latin1") return {from_latin1(text), {}};
    return {from_latin1(text), from_latin1(std::string_view(text).substr(0, invalid)).size()};
}

std::size_t find_forbidden_character(std::string_view text) {
    const auto past = [&](std::size_t from, std::string_view end) {
        const std::size_t found = text.find(end, from);
        return found == text.npos ? text.size() : found + end.size();
    };
    std::size_t plain = 0;  // before here, references are text: in a comment or a CDATA section
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x20) {
            if (c != '\t' && c != '\n' && c != '\r') return i;
        } else if (c == '<' && i >= plain) {
            if (text.substr(i).starts_with("<!--")) plain = past(i, "-->");
            if (text.substr(i).starts_with("<![CDATA[")) plain = past(i, "]]>");
        } else if (c == '&' && i >= plain && is_forbidden_reference(text.substr(i))) {
            return i;
        }
    }
    return text.npos;
}

}  // namespace lig::io
