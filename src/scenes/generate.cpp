// The values of a generator's parameters, checked.

#include "scenes/generator.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace lig::scenes {

namespace {

std::size_t index_of(const Generator& generator, std::string_view name) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < generator.parameters.size(); ++i) {
        if (generator.parameters[i].name == name) return i;
        names.push_back(generator.parameters[i].name);
    }
    throw std::invalid_argument(fmt::format("'{}' has no parameter '{}'; there are: {}", generator.name, name,
                                            fmt::join(names, ", ")));
}

void require_allowed(const Generator& generator, const Parameter& parameter, double value) {
    if (value >= parameter.least && value <= parameter.most &&
        (!parameter.whole || value == std::floor(value)))
        return;
    throw std::invalid_argument(fmt::format("the {} of '{}' is a {}number from {} to {}, not {}",
                                            parameter.name, generator.name, parameter.whole ? "whole " : "",
                                            parameter.least, parameter.most, value));
}

}  // namespace

Scene generate(const Generator& generator, std::span<const Setting> settings) {
    std::vector<double> values;
    for (const Parameter& parameter : generator.parameters) values.push_back(parameter.fallback);
    for (const Setting& setting : settings) {
        const std::size_t i = index_of(generator, setting.parameter);
        require_allowed(generator, generator.parameters[i], setting.value);
        values[i] = setting.value;
    }
    return generator.make(values);
}

}  // namespace lig::scenes
