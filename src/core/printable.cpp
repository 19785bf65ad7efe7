#include "core/printable.h"

namespace lig {

namespace {

std::string hexadecimal(unsigned value, int digits) {
    std::string text;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
    return text;
}

// The character at the start, if it is one of those beyond ASCII that steer the display: C1 controls, line and
// paragraph separators, marks of direction. All have two or three bytes.
unsigned steering_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return byte(1);
    if (byte(0) != 0xE2) return 0;
    const unsigned c = 0x2000 + ((byte(1) & 0x3F) << 6) + (byte(2) & 0x3F);
    const bool steers = (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return steers ? c : 0;
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
        } else if (const unsigned steering = c < 0x80 ? 0 : steering_character(text.substr(i, 3))) {
            out += "\\u" + hexadecimal(steering, 4);
            i += steering < 0x800 ? 2 : 3;
        } else {
            out += text[i++];
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
