#include "io/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace lig::io {

namespace {

// Whether a decimal number that no double can hold is too small rather than too large: the sign of its
// decimal exponent.
bool is_tiny(std::string_view digits) {
    long exponent = 0;
    if (const std::size_t e = digits.find_first_of("eE"); e != digits.npos) {
        std::string_view power = digits.substr(e + 1);
        const bool negative = power.starts_with('-');
        if (power.starts_with('+')) power.remove_prefix(1);
        const auto [end, status] = std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (status == std::errc::result_out_of_range) return negative;
        digits = digits.substr(0, e);
    }
    const std::size_t first = digits.find_first_of("123456789");
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const long before_point = static_cast<long>(point) - static_cast<long>(first);
    return before_point + exponent < 0;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return {};
    }
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return {};
    if (status == std::errc::result_out_of_range) {
        if (!is_tiny(text)) return {};
        return text.starts_with('-') ? -0.0 : 0.0;
    }
    if (status != std::errc{} || !std::isfinite(value)) return {};
    return value;
}

}  // namespace lig::io
