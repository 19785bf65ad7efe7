#pragma once

// Ranges that hold or do not: MJCF writes them as a flag ("limited") and two numbers ("range"), of joints,
// tendons and actuators.

#include "io/xml.h"

#include <ligament/specs.h>

#include <array>
#include <optional>

namespace lig::io::mjcf {

enum class Limited {
    no,
    yes,
    if_range_is_given
};

struct RangeFields {
    Limited limited = Limited::if_range_is_given;
    std::optional<std::array<double, 2>> range;  // "0 0" without "true" is how a class is told to have none
};

void read_limited(ElementReader& in, const char* attribute, Limited& limited);
void read_range(ElementReader& in, const char* flag, const char* attribute, RangeFields& fields);

// Whether limits hold, by the words of the file. `attribute` holds the numbers, `flag` the word. Without a
// word and with <compiler autolimits="false"/> that is an error.
bool is_limited(ElementReader& in, Limited limited, bool has_range, bool auto_limits, const char* flag,
                const char* attribute);

// Whether two numbers are a range: in order, and equal only where the file insists with "true". That is an
// addition of ours; URDF has joints without room or force.
bool is_range(double lower, double upper, Limited limited);
// An end of a range, as the scene has it: the largest number there is stands for no end.
double range_end(double number);

// The range in force; infinite when there is none. A range that is in force and upside down or missing is an
// error. Without a word an upside-down range does not hold, as in MuJoCo, and a warning says so.
Range range_in_force(ElementReader& in, const RangeFields& fields, bool auto_limits, const char* flag,
                     const char* attribute);

}  // namespace lig::io::mjcf
