#pragma once

// The options of a simulation on the command line: every one of the lists of simulation_options.h that has a
// flag there and no words of its own (run_options.h).

#include "app/arguments.h"
#include "app/choices.h"

#include <ligament/simulation_options.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lig::app {

class OptionArguments {
public:
    void declare(Arguments& arguments);
    // Whether an option was given, by its flag.
    bool has(std::string_view flag) const;
    // As if it had been given.
    void set(std::string_view flag, std::string text) { given_[std::string(flag)].text = std::move(text); }
    // Sets those that were given. Throws Failure on wrong usage.
    void interpret(std::string_view command, SimulationOptions& options) const;

private:
    struct Given {
        std::optional<std::string> text;
        bool on = false;  // of flags without a value
    };
    std::map<std::string, Given, std::less<>> given_;  // by flag
};

// The words that an option may be; empty for numbers and switches.
std::vector<std::string_view> choices_of(const std::string& value, const OptionInfo& info);
template <class Value>
std::vector<std::string_view> choices_of(const Value&, const OptionInfo&) {
    if constexpr (std::is_enum_v<Value>)
        return words<Value>();
    else
        return {};
}

}  // namespace lig::app
