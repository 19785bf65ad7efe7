#include "app/run/option_arguments.h"

#include "app/number_option.h"
#include "formulations/impulse_solvers.h"
#include "formulations/option_text.h"
#include "linalg/lcp_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace lig::app {

namespace {

// These have other words on the command line: `--integrator` has steppings among its names, `--threads 0`
// counts the cores.
constexpr std::string_view declared_elsewhere[] = {"formulation", "integrator", "stepping", "threads"};

bool is_declared_here(const OptionInfo& info) {
    return !info.flag.empty() &&
           std::ranges::find(declared_elsewhere, info.name) == std::end(declared_elsewhere);
}

Section section_of(std::string_view owner, const OptionInfo& info) {
    switch (info.topic) {
        case OptionTopic::formulation: return Section::formulation;
        case OptionTopic::steps: return Section::steps;
        case OptionTopic::contacts: return Section::contacts;
        case OptionTopic::own: break;
    }
    return owner == "multiplier" ? Section::multiplier
           : owner == "implicit" ? Section::implicit
           : owner == "impulse"  ? Section::impulse
                                 : Section::steps;
}

template <class Value>
std::string help_of(const Value& by_default, const OptionInfo& info) {
    std::string text(info.sentence);
    if (!info.needs.option.empty())
        text = fmt::format("with --{} {}: {}", info.needs.option, info.needs.word, text);
    if constexpr (std::is_same_v<Value, bool>)
        return by_default ? "do not " + text : text;
    else
        return fmt::format("{}{}{} (default: {}{}{})", text, info.unit.empty() ? "" : ", ", info.unit,
                           formulations::value_text(by_default), info.by_default.empty() ? "" : ", ",
                           info.by_default);
}

// What is given, and what for.
struct Text {
    std::string_view command;
    const OptionInfo& info;
    const std::string& text;

    [[noreturn]] void refuse(const std::string& meaning, std::string_view hint = "") const {
        throw Failure(Exit::usage, fmt::format("ligament {}: {} is {}, not '{}'{}", command, info.flag,
                                               meaning, text, hint));
    }
};

double number_in(const Text& given, const std::string& text, const OptionRange& range) {
    const std::optional<double> value = parse_number(text);
    if (value && range.has(*value)) return *value;
    std::string meaning = "a number";
    if (range.largest < OptionRange().largest)
        meaning += fmt::format(" from {} to {}", range.least, range.largest);
    if (!given.info.unit.empty()) meaning += fmt::format(", {}", given.info.unit);
    given.refuse(meaning, number_hint(text, value, range.least, range.above));
}

void read(const Text& given, double& value) {
    const bool off = given.text == "off" && given.info.name == "energy_guard";
    value = off ? 0 : number_in(given, given.text, given.info.range);
}
void read(const Text& given, Softening& value) {
    const std::size_t comma = given.text.find(',');
    if (comma == std::string::npos) given.refuse("a frequency in hertz and a damping ratio, as in 30,10");
    value = {number_in(given, given.text.substr(0, comma), {.above = true}),
             number_in(given, given.text.substr(comma + 1), given.info.range)};
}
void read(const Text& given, std::string& value) {
    const std::vector<std::string_view> names = choices_of(value, given.info);
    if (std::ranges::find(names, given.text) == names.end())
        not_among(given.command, given.info.flag, given.text, names);
    value = given.text;
}
template <class Value>
void read(const Text& given, Value& value) {
    if constexpr (std::is_enum_v<Value>)
        value = choose_value<Value>(given.command, given.info.flag, given.text);
    else
        value = whole_option(given.command, given.info.flag, std::optional(given.text),
                             static_cast<Value>(given.info.range.least), value);
}

}  // namespace

std::vector<std::string_view> choices_of(const std::string&, const OptionInfo& info) {
    if (info.name != "solver") return {};
    std::vector<std::string_view> names{formulations::automatic_solver};
    for (const formulations::ImpulseSolverInfo& solver : formulations::impulse_solver_list)
        names.push_back(solver.name);
    for (const LcpSolverInfo& solver : lcp_solver_list) names.push_back(solver.name);
    return names;
}

void OptionArguments::declare(Arguments& arguments) {
    const SimulationOptions defaults;
    for_all_options(defaults, [&](std::string_view owner, const auto& value, const auto&,
                                  const OptionInfo& info) {
        if (!is_declared_here(info)) return;
        arguments.section(section_of(owner, info));
        Given& given = given_[std::string(info.flag)];
        if (info.value.empty()) {
            arguments.flag(given.on, info.flag, help_of(value, info));
            return;
        }
        ArgumentDescription& described =
            arguments.option(given.text, info.flag, info.value, help_of(value, info));
        if (const std::vector<std::string_view> words = choices_of(value, info); !words.empty())
            described.choice(words);
    });
}

bool OptionArguments::has(std::string_view flag) const {
    const auto found = given_.find(flag);
    return found != given_.end() && (found->second.text || found->second.on);
}

void OptionArguments::interpret(std::string_view command, SimulationOptions& options) const {
    for_all_options(options, [&](std::string_view, auto& value, const auto& by_default,
                                 const OptionInfo& info) {
        if (!has(info.flag)) return;
        const Given& given = given_.find(info.flag)->second;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>)
            value = !by_default;
        else
            read({command, info, *given.text}, value);
    });
}

}  // namespace lig::app
