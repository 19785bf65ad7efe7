#pragma once

// Model files come in whatever encoding an editor chose. Readers see UTF-8 without a byte order mark.

#include <string>

namespace lig::io {

struct DecodedText {
    std::string utf8;
    std::string problem;     // why the bytes are no text at all; empty when they are
    bool guessed = false;    // not valid UTF-8 and nothing declared: every byte was taken as Latin-1
};

// Byte order marks (UTF-8, UTF-16, UTF-32), UTF-16 without one, and the encoding an XML declaration names
// (UTF-8 and Latin-1) are understood.
DecodedText decode_text(std::string bytes);

}  // namespace lig::io
