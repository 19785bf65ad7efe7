#include "io/mjcf_limits.h"

#include "core/diagnostic_codes.h"

#include <cmath>
#include <limits>

namespace lig::io::mjcf {

namespace {

constexpr std::string_view limited_words[] = {"false", "true", "auto"};

}  // namespace

void read_limited(ElementReader& in, const char* attribute, Limited& limited) {
    if (const auto word = in.choice(attribute, limited_words)) limited = static_cast<Limited>(*word);
}

void read_range(ElementReader& in, const char* flag, const char* attribute, RangeFields& fields) {
    read_limited(in, flag, fields.limited);
    const auto numbers = in.numbers(attribute, 2, 2);
    if (!numbers) return;
    if ((*numbers)[0] == 0 && (*numbers)[1] == 0 && fields.limited != Limited::yes)
        fields.range.reset();
    else
        fields.range = {(*numbers)[0], (*numbers)[1]};
}

bool is_limited(ElementReader& in, Limited limited, bool has_range, bool auto_limits, const char* flag,
                const char* attribute) {
    if (limited != Limited::if_range_is_given) return limited == Limited::yes;
    if (has_range && !auto_limits)
        in.log().report(
            codes::E085, in.where(attribute),
            in.label() + " has '" + attribute + "', but it is not said whether that holds",
            "write " + std::string(flag) + "=\"true\" or \"false\", or <compiler autolimits=\"true\"/>");
    return has_range;
}

bool is_range(double lower, double upper, Limited limited) {
    return lower < upper || (lower == upper && limited == Limited::yes);
}

double range_end(double number) {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::abs(number) < largest ? number
                                      : std::copysign(std::numeric_limits<double>::infinity(), number);
}

Range range_in_force(ElementReader& in, const RangeFields& fields, bool auto_limits, const char* flag,
                     const char* attribute) {
    if (!is_limited(in, fields.limited, fields.range.has_value(), auto_limits, flag, attribute)) return {};
    if (!fields.range) {
        in.log().report(codes::E120, in.where(flag),
                        in.label() + " needs '" + attribute + "': it is limited, but no range is given",
                        "add " + std::string(attribute) + "=\"lower upper\"");
        return {};
    }
    const auto [lower, upper] = *fields.range;
    if (is_range(lower, upper, fields.limited)) return {range_end(lower), range_end(upper)};
    const std::string what = in.label() + ": the lower end of '" + attribute + "' is not below the upper end";
    if (fields.limited == Limited::yes)
        in.log().report(codes::E120, in.where(attribute), what);
    else
        in.log().report(codes::W094, in.where(attribute), what + ", so it does not hold",
                        "swap the numbers, or remove it");
    return {};
}

}  // namespace lig::io::mjcf
