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

// A finite number written in decimal, or a fraction of two such ("1/60"); or nothing.
inline std::optional<double> parse_number(std::string_view text) {
    if (const std::size_t slash = text.find('/'); slash != text.npos) {
        const std::optional<double> a = parse_number(text.substr(0, slash)),
                                    b = parse_number(text.substr(slash + 1));
        return a && b && *b != 0 ? std::optional(*a / *b) : std::nullopt;
    }
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

// The same of whole numbers.
template <class Number>
Number whole_option(std::string_view command, std::string_view option, const std::optional<std::string>& text,
                    Number least, Number otherwise) {
    if (!text) return otherwise;
    Number value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size() || value < least)
        throw Failure(Exit::usage, fmt::format("ligament {}: {} is a whole number from {} on, not '{}'",
                                               command, option, least, *text));
    return value;
}

inline int count_option(std::string_view command, std::string_view option,
                        const std::optional<std::string>& text, int otherwise) {
    return whole_option(command, option, text, 1, otherwise);
}

}  // namespace lig::app
