#pragma once

// The arguments of one command. A command declares where its options go, then calls parse(). The parser
// behind it is kept out of this header: it is slow to compile, and no command needs to see it.

#include "app/command_description.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

class Arguments {
public:
    // `example` is what --help shows first, a line each. `words` are those after the command; without any
    // at all, parse() only takes note of what was declared.
    Arguments(std::string_view command, std::string_view summary, std::string_view example,
              std::optional<std::vector<std::string>> words);
    ~Arguments();
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    // Of the options that follow.
    void section(Section section);

    // Required, in the order of declaration. What is returned takes what the value may be.
    ArgumentDescription& positional(std::string& target, std::string_view name, std::string_view help);
    // Any number of words, none included; the last one declared.
    ArgumentDescription& positionals(std::vector<std::string>& target, std::string_view name,
                                     std::string_view help);
    void flag(bool& target, std::string_view name, std::string_view help);
    // `value` names the value in the help. An option of a list may be given several times; a single one may
    // not. An optional one tells an empty value from none.
    ArgumentDescription& option(std::string& target, std::string_view name, std::string_view value,
                                std::string_view help);
    ArgumentDescription& option(std::optional<std::string>& target, std::string_view name,
                                std::string_view value, std::string_view help);
    ArgumentDescription& option(std::vector<std::string>& target, std::string_view name,
                                std::string_view value, std::string_view help);

    // False when help was asked for and printed, and without words: the command then has nothing to do.
    // Throws Failure on wrong usage.
    bool parse();

    // All that was declared, once parse() has been called.
    const CommandDescription& description() const;

    // "ligament run scenes/arm.urdf --duration 2", quoted as a shell needs it.
    std::string command_line() const;

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

// "; did you mean 'x'?" or nothing, for messages about a word that is not among the choices.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string_view>& choices);

// "a, b, c".
std::string join(const std::vector<std::string_view>& words);

}  // namespace lig::app
