#pragma once

// Options whose value is a number.

#include "app/failure.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace lig::app {

// A finite number written in decimal, or nothing.
inline std::optional<double> parse_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

// Why a text is not the number that is wanted.
inline std::string number_hint(const std::string& text, const std::optional<double>& value, double least,
                               bool above) {
    if (value) return fmt::format("; it must {} {}", above ? "be more than" : "not be less than", least);
    std::string with_point = text;
    if (const std::size_t comma = with_point.find(','); comma != with_point.npos) {
        with_point[comma] = '.';
        if (parse_number(with_point)) return fmt::format("; decimals have a point: {}", with_point);
    }
    return "";
}

// The value of an option, `otherwise` when it was not given. Throws Failure when it is no number of at least
// `least` (or above it).
inline double number_option(std::string_view command, std::string_view option, std::string_view meaning,
                            const std::optional<std::string>& text, double otherwise, double least,
                            bool above = false) {
    if (!text) return otherwise;
    const std::optional<double> value = parse_number(*text);
    if (!value || *value < least || (above && *value == least))
        throw Failure(Exit::usage, fmt::format("ligament {}: {} is {}, not '{}'{}", command, option, meaning,
                                               *text, number_hint(*text, value, least, above)));
    return *value;
}

}  // namespace lig::app
