#pragma once

// Fields of comma-separated text (RFC 4180).

#include <string_view>

namespace lig::io {

// Appends a text field: what holds a comma, a quote or a line break is quoted, quotes doubled.
template <class Buffer>
void append_csv_text(Buffer& line, std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
        line.append(value);
        return;
    }
    line.push_back('"');
    for (const char c : value) {
        if (c == '"') line.push_back('"');
        line.push_back(c);
    }
    line.push_back('"');
}

}  // namespace lig::io
