#pragma once

#include <algorithm>
#include <string_view>

namespace lig::app {

// Characters of UTF-8 text, not bytes.
inline int text_width(std::string_view text) {
    return static_cast<int>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace lig::app
