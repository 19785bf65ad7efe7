#include "core/printable.h"

namespace lig {

namespace {

std::string hexadecimal(unsigned value, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        text += "0123456789abcdef"[(value >> shift) & 15];
    return text;
}

// The first character of a text beyond ASCII, and how many bytes it has; 0 bytes when they are no UTF-8.
struct Character {
    unsigned code = 0;
    std::size_t bytes = 0;
};
Character first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3
                                                              : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
    unsigned code = lead & (0xFF >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if ((next & 0xC0) != 0x80) return {};
        code = code << 6 | (next & 0x3F);
    }
    return {code, bytes};
}

// C1 controls, line and paragraph separators, marks of direction.
bool steers_the_display(unsigned c) {
    return (c >= 0x80 && c < 0xA0) || (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x20 || c == 0x7F) {
            out += "\\x" + hexadecimal(c, 2);
            ++i;
        } else if (c < 0x80) {
            out += text[i++];
        } else if (const Character character = first_character(text.substr(i, 4)); character.bytes == 0) {
            out += "\\x" + hexadecimal(c, 2);
            ++i;
        } else {
            if (steers_the_display(character.code))
                out += "\\u" + hexadecimal(character.code, 4);
            else
                out += text.substr(i, character.bytes);
            i += character.bytes;
        }
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    return std::string(text.substr(0, cut)) + "…";
}

}  // namespace lig
