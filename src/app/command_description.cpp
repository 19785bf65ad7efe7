#include "app/command_description.h"

#include "app/text_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace lig::app {

namespace {

// In the order of Section. The first has none: it is all that short commands have.
constexpr std::string_view titles[] = {"Options",
                                       "The model",
                                       "Where it starts",
                                       "Formulation",
                                       "Time and steps",
                                       "Loops, contacts, limits and friction",
                                       "Forces of joints (--formulation multiplier)",
                                       "Implicit steps (--formulation implicit)",
                                       "Impulses (--formulation impulse)",
                                       "Following a motion",
                                       "Results and files",
                                       "Messages"};

// So many options are a list that nobody reads.
constexpr std::size_t longest_plain_list = 12;
constexpr int widest_left = 30;

std::string left_of(const ArgumentDescription& argument) {
    return argument.value.empty() ? argument.name : fmt::format("{} {}", argument.name, argument.value);
}

std::string line_of(const ArgumentDescription& argument, int left_width, int width) {
    const std::string left = left_of(argument);
    const int indent = left_width + 4;
    // What is longer than the column stands on a line of its own.
    const std::string gap =
        text_width(left) > left_width
            ? fmt::format("\n{:{}}", "", indent)
            : std::string(static_cast<std::size_t>(left_width - text_width(left) + 2), ' ');
    return fmt::format("  {}{}{}\n", left, gap, wrapped(argument.help, indent, width));
}

ArgumentDescription& take_words(ArgumentDescription& argument, Completion completion,
                                const std::vector<std::string_view>& words) {
    argument.completion = completion;
    argument.words.assign(words.begin(), words.end());
    return argument;
}

}  // namespace

ArgumentDescription& ArgumentDescription::choice(const std::vector<std::string_view>& names) {
    take_words(*this, Completion::choice, names);
    if (const std::size_t at = help.find("{}"); at != help.npos) help.replace(at, 2, join_or(words));
    return *this;
}

ArgumentDescription& ArgumentDescription::choices(const std::vector<std::string_view>& names) {
    return take_words(*this, Completion::choices, names);
}

ArgumentDescription& ArgumentDescription::file(const std::vector<std::string_view>& endings) {
    return take_words(*this, Completion::file, endings);
}

ArgumentDescription& ArgumentDescription::folder() { return take_words(*this, Completion::folder, {}); }
ArgumentDescription& ArgumentDescription::keyframe() { return take_words(*this, Completion::keyframe, {}); }

std::string join_or(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    const auto last = words.end() - 1;
    return fmt::format("{}{}{}", fmt::join(words.begin(), last, ", "), words.size() > 1 ? " or " : "", *last);
}

std::string wrapped(std::string_view text, int indent, int width) {
    std::string out;
    int column = indent;
    bool begins = true;  // a line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string_view word = text.substr(0, end);
        if (!begins && column + 1 + text_width(word) > width) {
            out += fmt::format("\n{:{}}", "", indent);
            column = indent;
            begins = true;
        }
        if (!begins) out += ' ';
        out += word;
        column += text_width(word) + (begins ? 0 : 1);
        begins = false;
        if (end < text.size() && text[end] == '\n') {
            out += fmt::format("\n{:{}}", "", indent);
            column = indent;
            begins = true;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string help_text(const CommandDescription& command, int width) {
    const bool several = command.example.find('\n') != command.example.npos;
    std::string text = several ? fmt::format("Examples:\n    {}", wrapped(command.example, 4, 1 << 20))
                               : "Example: " + command.example;
    std::string usage = "ligament " + command.name;
    for (std::size_t k = 0; k < command.positionals.size(); ++k) {
        const bool repeated = command.more_of_the_last && k + 1 == command.positionals.size();
        usage +=
            fmt::format(" {}{}{}", repeated ? "[" : "", command.positionals[k].name, repeated ? "…]" : "");
    }
    text += fmt::format("\n\n{}.\n\nUsage: {} [OPTION…]\n\n", wrapped(command.summary, 0, width - 1), usage);

    int left = 0;
    for (const auto* arguments : {&command.positionals, &command.options})
        for (const ArgumentDescription& argument : *arguments)
            left = std::max(left, std::min(text_width(left_of(argument)), std::min(widest_left, width / 3)));
    for (const ArgumentDescription& argument : command.positionals) text += line_of(argument, left, width);

    const auto has_a_title = [](const ArgumentDescription& option) {
        return option.section != Section::own && option.section != Section::messages;
    };
    const bool titled = command.options.size() > longest_plain_list &&
                        std::any_of(command.options.begin(), command.options.end(), has_a_title);
    for (std::size_t section = 0; section < std::size(titles); ++section) {
        bool first = true;
        for (const ArgumentDescription& option : command.options) {
            if (option.section != static_cast<Section>(section)) continue;
            if (titled && first) text += fmt::format("\n{}:\n", titles[section]);
            first = false;
            text += line_of(option, left, width);
        }
    }
    return text;
}

}  // namespace lig::app
