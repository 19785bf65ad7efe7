#include "app/arguments.h"

#include "app/failure.h"
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
    struct Line {
        std::string left;
        std::string help;
    };
    struct Positional {
        std::string name;
        const std::string* target;
    };

    CLI::App cli;
    std::string command, summary, example;
    std::vector<std::string> words;
    std::vector<Positional> positionals;
    std::string rest_name;  // of the words after them; empty where there are to be none
    std::vector<std::string> option_names;
    std::vector<Line> positional_lines, option_lines;

    std::string help() const {
        std::string usage = "ligament " + command;
        for (const Positional& p : positionals) usage += ' ' + p.name;
        if (!rest_name.empty()) usage += " [" + rest_name + "…]";
        std::string text =
            fmt::format("Example: {}\n\n{}.\n\nUsage: {} [OPTION…]\n\n", example, summary, usage);
        std::size_t width = 0;
        for (const auto* lines : {&positional_lines, &option_lines})
            for (const Line& line : *lines) width = std::max(width, line.left.size());
        for (const auto* lines : {&positional_lines, &option_lines})
            for (const Line& line : *lines)
                text += fmt::format("  {:<{}}  {}\n", line.left, width, wrapped(line.help, width + 4));
        return text;
    }

    // Broken where the text has line breaks, and between words so that no line passes column 100; further
    // lines start at `indent`.
    static std::string wrapped(std::string_view help, std::size_t indent) {
        std::string out;
        while (true) {
            std::size_t end = help.find('\n');
            if (std::min(end, help.size()) + indent > 100) end = help.rfind(' ', 100 - indent);
            if (end == help.npos) break;
            out += fmt::format("{}\n{:{}}", help.substr(0, end), "", indent);
            help.remove_prefix(end + 1);
        }
        return out.append(help);
    }

    void note_option(std::string_view name, std::string_view value, std::string_view help) {
        option_names.emplace_back(name);
        option_lines.push_back(
            {value.empty() ? std::string(name) : fmt::format("{} {}", name, value), std::string(help)});
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: {}\nTry 'ligament {} --help'.", command, what, command));
    }

    // The parser speaks of types and counts. With options of one value each, only two things can be wrong.
    std::string explain(const CLI::ParseError& error) const {
        std::string what = error.what();
        const std::string name = what.substr(0, what.find(':'));
        if (std::find(option_names.begin(), option_names.end(), name) == option_names.end()) return what;
        const auto is_it = [&](const std::string& word) {
            return word == name || word.starts_with(name + '=');
        };
        const bool repeated = std::count_if(words.begin(), words.end(), is_it) > 1;
        return fmt::format("{} {}", name, repeated ? "is given more than once" : "needs a value");
    }

    void refuse_leftovers() const {
        const std::vector<std::string> left = cli.remaining();
        if (left.empty()) return;
        const std::string& word = left.front();
        if (word.size() < 2 || word[0] != '-')
            fail(fmt::format("there is one argument too many: '{}'", word));
        const std::string name = word.substr(0, word.find('='));
        const std::vector<std::string_view> choices(option_names.begin(), option_names.end());
        fail(fmt::format("there is no option '{}'{}", name, did_you_mean(name, choices)));
    }
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view example,
                     std::vector<std::string> words)
    : parser_(std::make_unique<Parser>()) {
    parser_->command = command;
    parser_->summary = summary;
    parser_->example = example;
    parser_->words = std::move(words);
    parser_->cli.allow_extras();
    parser_->cli.set_help_flag("");
}

Arguments::~Arguments() = default;

void Arguments::positional(std::string& target, std::string_view name, std::string_view help) {
    // Not required in the eyes of the parser: an unknown option is the better thing to complain about first.
    parser_->cli.add_option(std::string(name), target);
    parser_->positionals.push_back({std::string(name), &target});
    parser_->positional_lines.push_back({std::string(name), std::string(help)});
}

void Arguments::positionals(std::vector<std::string>& target, std::string_view name, std::string_view help) {
    parser_->cli.add_option(std::string(name), target);
    parser_->rest_name = name;
    parser_->positional_lines.push_back({fmt::format("{}…", name), std::string(help)});
}

void Arguments::flag(bool& target, std::string_view name, std::string_view help) {
    parser_->cli.add_flag(std::string(name), target)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser_->note_option(name, "", help);
}

void Arguments::option(std::string& target, std::string_view name, std::string_view value,
                       std::string_view help) {
    parser_->cli.add_option(std::string(name), target);
    parser_->note_option(name, value, help);
}

void Arguments::option(std::optional<std::string>& target, std::string_view name, std::string_view value,
                       std::string_view help) {
    parser_->cli.add_option_function<std::string>(std::string(name),
                                                  [&target](const std::string& text) { target = text; });
    parser_->note_option(name, value, help);
}

void Arguments::option(std::vector<std::string>& target, std::string_view name, std::string_view value,
                       std::string_view help) {
    // One value each time, or the positional arguments after it would be taken for more values.
    parser_->cli.add_option(std::string(name), target)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    parser_->note_option(name, value, help);
}

bool Arguments::parse() {
    bool help = false;
    flag(help, "--help", "show this text");
    const auto asks_for_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
    if (std::any_of(parser_->words.begin(), parser_->words.end(), asks_for_help)) {
        fmt::print("{}", parser_->help());
        return false;
    }
    try {
        // The parser takes its words from the back.
        parser_->cli.parse(std::vector<std::string>(parser_->words.rbegin(), parser_->words.rend()));
    } catch (const CLI::ParseError& error) { parser_->fail(parser_->explain(error)); }
    parser_->refuse_leftovers();
    for (const Parser::Positional& p : parser_->positionals)
        if (p.target->empty()) parser_->fail(fmt::format("{} is missing", p.name));
    return true;
}

std::string Arguments::command_line() const {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    std::string text = "ligament " + parser_->command;
    for (const std::string& word : parser_->words) {
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
