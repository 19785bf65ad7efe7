#pragma once

// Values of options in words: "direct", "0.0001", "30,10", "yes".

#include <ligament/simulation_options.h>

#include <fmt/format.h>

#include <string>
#include <type_traits>

namespace lig::formulations {

template <class Value>
std::string value_text(const Value& value) {
    if constexpr (std::is_enum_v<Value>)
        return std::string(word_of(value));
    else if constexpr (std::is_same_v<Value, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_same_v<Value, Softening>)
        return fmt::format("{},{}", value.frequency, value.damping_ratio);
    else
        return fmt::format("{}", value);
}

}  // namespace lig::formulations
