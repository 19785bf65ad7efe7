#include "io/mesh_bytes.h"

#include "io/xml.h"

#include <cmath>
#include <limits>

namespace lig::io {

std::optional<double> parse_coordinate(std::string_view word) {
    const std::optional<double> value = parse_number(word);
    if (!value || std::fabs(*value) > std::numeric_limits<float>::max()) return std::nullopt;
    return static_cast<double>(static_cast<float>(*value));
}

std::string_view TextWords::word() {
    while (!rest_.empty()) {
        const char c = rest_.front();
        if (c == '\n' || c == '#') return {};
        if (c == '\\') {
            const std::size_t end = rest_.find_first_not_of(" \t\r", 1);
            if (end != rest_.npos && rest_[end] == '\n') {
                rest_.remove_prefix(end + 1);
                ++line_;
                continue;
            }
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            rest_.remove_prefix(1);
            continue;
        }
        const std::size_t end = std::min(rest_.find_first_of(" \t\r\n\v\f#", 1), rest_.size());
        const std::string_view found = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return found;
    }
    return {};
}

bool TextWords::next_line() {
    const std::size_t end = rest_.find('\n');
    if (end == rest_.npos) {
        rest_ = {};
        return false;
    }
    rest_.remove_prefix(end + 1);
    ++line_;
    return true;
}

}  // namespace lig::io
