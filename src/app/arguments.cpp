#include "app/arguments.h"

#include "app/failure.h"
#include "app/terminal.h"
#include "core/suggest.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

std::string join(const std::vector<std::string_view>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& choices) {
    const std::string_view near = nearest(wanted, choices);
    return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

struct Arguments::Parser {
    CLI::App cli;
    CommandDescription description;
    std::optional<std::vector<std::string>> words;
    std::vector<const std::string*> required;  // in the order of the positional arguments
    Section section = Section::own;

    ArgumentDescription& note(std::deque<ArgumentDescription>& list, std::string_view name,
                              std::string_view value, std::string_view help) {
        return list.emplace_back(
            ArgumentDescription{std::string(name), std::string(value), std::string(help), section});
    }
    ArgumentDescription& note_option(std::string_view name, std::string_view value, std::string_view help) {
        return note(description.options, name, value, help);
    }

    std::vector<std::string_view> option_names() const {
        std::vector<std::string_view> names;
        for (const ArgumentDescription& option : description.options) names.push_back(option.name);
        return names;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: {}\nTry 'ligament {} --help'.", description.name, what,
                                  description.name));
    }

    // The parser speaks of types and counts. With options of one value each, only two things can be wrong.
    std::string explain(const CLI::ParseError& error) const {
        std::string what = error.what();
        const std::string name = what.substr(0, what.find(':'));
        const std::vector<std::string_view> names = option_names();
        if (std::find(names.begin(), names.end(), name) == names.end()) return what;
        const auto is_it = [&](const std::string& word) {
            return word == name || word.starts_with(name + '=');
        };
        const bool repeated = std::count_if(words->begin(), words->end(), is_it) > 1;
        return fmt::format("{} {}", name, repeated ? "is given more than once" : "needs a value");
    }

    void refuse_leftovers() const {
        const std::vector<std::string> left = cli.remaining();
        if (left.empty()) return;
        const std::string& word = left.front();
        if (word.size() < 2 || word[0] != '-')
            fail(fmt::format("there is one argument too many: '{}'", word));
        const std::string name = word.substr(0, word.find('='));
        const std::string suggestion = did_you_mean(name, option_names());
        fail(
            fmt::format("there is no option '{}'{}", name, suggestion.empty() ? begin_so(name) : suggestion));
    }

    // "; there are --out, …": those that a letter or the beginning of a word may stand for.
    std::string begin_so(const std::string& name) const {
        const std::string beginning = "--" + name.substr(std::min(name.find_first_not_of('-'), name.size()));
        std::vector<std::string_view> fitting;
        for (const std::string_view option : option_names())
            if (beginning.size() > 2 && option.starts_with(beginning)) fitting.push_back(option);
        if (fitting.size() == 1) return fmt::format("; did you mean '{}'?", fitting.front());
        return fitting.empty() ? std::string() : "; there are " + lig::app::join(fitting);
    }
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view example,
                     std::optional<std::vector<std::string>> words)
    : parser_(std::make_unique<Parser>()) {
    parser_->description.name = command;
    parser_->description.summary = summary;
    parser_->description.example = example;
    parser_->words = std::move(words);
    parser_->cli.allow_extras();
    parser_->cli.set_help_flag("");
}

Arguments::~Arguments() = default;

void Arguments::section(Section section) { parser_->section = section; }

ArgumentDescription& Arguments::positional(std::string& target, std::string_view name,
                                           std::string_view help) {
    // Not required in the eyes of the parser: an unknown option is the better thing to complain about first.
    parser_->cli.add_option(std::string(name), target);
    parser_->required.push_back(&target);
    return parser_->note(parser_->description.positionals, name, "", help);
}

ArgumentDescription& Arguments::positionals(std::vector<std::string>& target, std::string_view name,
                                            std::string_view help) {
    parser_->cli.add_option(std::string(name), target);
    parser_->description.more_of_the_last = true;
    return parser_->note(parser_->description.positionals, name, "", help);
}

void Arguments::flag(bool& target, std::string_view name, std::string_view help) {
    parser_->cli.add_flag(std::string(name), target)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser_->note_option(name, "", help);
}

ArgumentDescription& Arguments::option(std::string& target, std::string_view name, std::string_view value,
                                       std::string_view help) {
    parser_->cli.add_option(std::string(name), target);
    return parser_->note_option(name, value, help);
}

ArgumentDescription& Arguments::option(std::optional<std::string>& target, std::string_view name,
                                       std::string_view value, std::string_view help) {
    parser_->cli.add_option_function<std::string>(std::string(name),
                                                  [&target](const std::string& text) { target = text; });
    return parser_->note_option(name, value, help);
}

ArgumentDescription& Arguments::option(std::vector<std::string>& target, std::string_view name,
                                       std::string_view value, std::string_view help) {
    // One value each time, or the positional arguments after it would be taken for more values.
    parser_->cli.add_option(std::string(name), target)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return parser_->note_option(name, value, help);
}

bool Arguments::parse() {
    bool help = false;
    section(Section::messages);
    flag(help, "--help", "show this text");
    if (!parser_->words) return false;
    const std::vector<std::string>& words = *parser_->words;
    const auto asks_for_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
    if (std::any_of(words.begin(), words.end(), asks_for_help)) {
        constexpr int narrowest = 40, widest = 100;
        const int width = std::clamp(line_width(stdout, widest), narrowest, widest);
        fmt::print("{}", help_text(parser_->description, width));
        return false;
    }
    try {
        // The parser takes its words from the back.
        parser_->cli.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) { parser_->fail(parser_->explain(error)); }
    parser_->refuse_leftovers();
    for (std::size_t k = 0; k < parser_->required.size(); ++k)
        if (parser_->required[k]->empty())
            parser_->fail(fmt::format("{} is missing", parser_->description.positionals[k].name));
    return true;
}

const CommandDescription& Arguments::description() const { return parser_->description; }

std::string Arguments::command_line() const {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    std::string text = "ligament " + parser_->description.name;
    for (const std::string& word : parser_->words.value_or(std::vector<std::string>())) {
        text += ' ';
        if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

}  // namespace lig::app
