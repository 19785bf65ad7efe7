#pragma once

// Options whose value is one word of a list.

#include "app/arguments.h"
#include "app/failure.h"

#include <ligament/simulation_options.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

[[noreturn]] inline void not_among(std::string_view command, std::string_view option, const std::string& word,
                                   const std::vector<std::string_view>& choices) {
    throw Failure(Exit::usage, fmt::format("ligament {}: {} is one of {}, not '{}'{}", command, option,
                                           join(choices), word, did_you_mean(word, choices)));
}

template <class List>
std::vector<std::string_view> names_of(const List& list) {
    std::vector<std::string_view> names;
    for (const auto& entry : list) names.push_back(entry.name);
    return names;
}

// The entry of that name. A Failure where there is none.
template <class List>
const auto& choose(const List& list, std::string_view command, std::string_view option,
                   const std::string& word) {
    for (const auto& entry : list)
        if (entry.name == word) return entry;
    not_among(command, option, word, names_of(list));
}

// All words of an enumeration of simulation_options.h, and the value of one of them.
template <class Value>
std::vector<std::string_view> words() {
    return {std::begin(words_of(Value{})), std::end(words_of(Value{}))};
}
template <class Value>
Value choose_value(std::string_view command, std::string_view option, const std::string& word) {
    for (std::size_t k = 0; k < std::size(words_of(Value{})); ++k)
        if (words_of(Value{})[k] == word) return static_cast<Value>(k);
    not_among(command, option, word, words<Value>());
}

}  // namespace lig::app
