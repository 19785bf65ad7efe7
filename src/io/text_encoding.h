#pragma once

// Model files come in whatever encoding an editor chose. Readers see UTF-8 without a byte order mark.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lig::io {

struct DecodedText {
    std::string utf8;
    // Where in `utf8` the first byte is that was no UTF-8 although nothing else was declared: all of the text
    // was taken as Latin-1 then.
    std::optional<std::size_t> guessed_from;
};

// Byte order marks (UTF-8, UTF-16, UTF-32), UTF-16 without one, and the encoding an XML declaration names
// (UTF-8 and Latin-1) are understood.
DecodedText decode_text(std::string bytes);

// Where the first character is that XML does not allow, as itself or as a reference such as &#27;: control
// characters, halves of surrogate pairs, numbers beyond Unicode. npos when there is none.
std::size_t find_forbidden_character(std::string_view utf8);

}  // namespace lig::io
