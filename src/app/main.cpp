// The command line: finds the command, runs it, and turns whatever ends it into a message and an exit code.

#include "app/commands.h"

#include <ligament/config.h>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

namespace lig::app {

namespace {

std::string overview() {
    std::string text =
        "Example: ligament info scenes/acrobat.xml\n\n"
        "Ligament simulates articulated bodies.\n\n"
        "Usage: ligament COMMAND [ARGUMENT…]\n\n";
    for (const Command& command : commands) text += fmt::format("  {:<10}{}\n", command.name, command.summary);
    text +=
        "\n'ligament COMMAND --help' tells more. 'ligament --version' prints the version.\n"
        "Exit codes: 0 done, 1 wrong usage, 2 wrong input, 3 failed computation, 4 cannot read or write, "
        "5 not supported.\n";
    return text;
}

Exit run(std::vector<std::string> words) {
    if (words.empty()) throw Failure(Exit::usage, overview());
    const std::string name = words.front();
    words.erase(words.begin());
    if (name == "--help" || name == "-h" || name == "help") {
        fmt::print("{}", overview());
        return Exit::ok;
    }
    if (name == "--version") {
        fmt::print("ligament {}.{}.{}\n", version_major, version_minor, version_patch);
        return Exit::ok;
    }
    for (const Command& command : commands) {
        if (command.name != name) continue;
        Arguments arguments(command.name, command.summary, command.example, std::move(words));
        return command.run(arguments);
    }
    std::vector<std::string_view> choices;
    for (const Command& command : commands) choices.push_back(command.name);
    const std::string suggestion = did_you_mean(name, choices);
    throw Failure(Exit::usage, fmt::format("ligament: there is no {} '{}'{}\nTry 'ligament --help'.",
                                           name.starts_with('-') ? "option" : "command", name,
                                           suggestion.empty() ? "; there are: " + join(choices) : suggestion));
}

Exit run_and_report(std::vector<std::string> words) {
    try {
        const Exit code = run(std::move(words));
        // A full disk or a closed pipe shows only here.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw Failure(Exit::io, "ligament: the result could not be written to standard output");
        return code;
    } catch (const Failure& failure) {
        if (const std::string_view text = failure.what(); !text.empty())
            fmt::print(stderr, "{}{}", text, text.ends_with('\n') ? "" : "\n");
        return failure.code();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ligament: out of memory\n");
        return Exit::simulation;
    }
}

}  // namespace

}  // namespace lig::app

int main(int argc, char** argv) {
    return static_cast<int>(lig::app::run_and_report({argv + 1, argv + argc}));
}
