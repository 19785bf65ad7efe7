#pragma once

// Scenes made by a program: the benchmark scenes on which simulators are compared, defined to the letter, so
// that figures can be set side by side. A generator is one file and one line in generator_list.h; the command
// line, its help and the tests run over the list.
//
// The same numbers give the same scene, bit for bit, on every machine: random numbers come from a fixed
// sequence, and sines and cosines from the library's own functions.

#include <ligament/scene.h>

#include <span>
#include <string_view>

namespace lig::scenes {

// A number that a generator takes.
struct Parameter {
    std::string_view name;
    std::string_view what;  // it counts or measures
    double fallback;
    double least, most;
    bool whole;             // a count, as opposed to a quantity
};

struct Generator {
    std::string_view name;
    std::string_view summary;
    std::span<const Parameter> parameters;
    // `values` are those of the parameters, in their order and within their bounds. Throws
    // std::invalid_argument where values do not go together.
    Scene (*make)(std::span<const double> values);
};

struct Setting {
    std::string_view parameter;
    double value;
};

// The scene with these settings; parameters that are not set keep their fallback. Throws
// std::invalid_argument, with a text for the user, when a parameter does not exist or a value is not allowed.
Scene generate(const Generator& generator, std::span<const Setting> settings);

}  // namespace lig::scenes
