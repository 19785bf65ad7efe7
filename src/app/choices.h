#pragma once

// Options whose value is one word of a list.

#include "app/arguments.h"
#include "app/failure.h"

#include <ligament/simulation.h>

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

constexpr Named<LoopMethod> loop_methods[] = {{"direct", LoopMethod::direct},
                                              {"anticipation", LoopMethod::anticipation}};

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

}  // namespace lig::app
