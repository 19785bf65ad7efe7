// The command line: finds the command, runs it, and turns whatever ends it into a message and an exit code.

#include "app/commands.h"

#include <ligament/config.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

namespace lig::app {

namespace {

std::string overview() {
    std::string text =
        "Example: ligament info scenes/acrobat.xml\n\n"
        "Ligament simulates articulated bodies.\n\n"
        "Usage: ligament COMMAND [ARGUMENT…]\n\n";
    for (const Command& command : commands)
        text += fmt::format("  {:<10}{}\n", command.name, command.summary);
    text +=
        "\n'ligament COMMAND --help' tells more. 'ligament --version' prints the version.\n"
        "Exit codes: 0 done, 1 wrong usage, 2 wrong input, 3 failed computation, 4 cannot read or write, "
        "5 not supported, 130 interrupted.\n";
    return text;
}

Exit run(std::vector<std::string> words) {
    if (words.empty()) throw Failure(Exit::usage, overview());
    std::string name = words.front();
    words.erase(words.begin());
    if (name == "help" && !words.empty()) {
        name = words.front();
        words = {"--help"};
    }
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
    const bool is_option = name.starts_with('-');
    std::vector<std::string_view> choices;
    if (is_option)
        choices = {"--help", "--version"};
    else
        for (const Command& command : commands) choices.push_back(command.name);
    const std::string suggestion = did_you_mean(name, choices);
    throw Failure(Exit::usage,
                  fmt::format("ligament: there is no {} '{}'{}\nTry 'ligament --help'.",
                              is_option ? "option" : "command", name,
                              suggestion.empty() ? "; there are: " + join(choices) : suggestion));
}

Exit run_and_report(std::vector<std::string> words) {
    try {
        const Exit code = run(std::move(words));
        // A short result meets a full disk only here.
        if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
        return code;
    } catch (const Failure& failure) {
        if (const std::string_view text = failure.what(); !text.empty())
            fmt::print(stderr, "{}{}", text, text.ends_with('\n') ? "" : "\n");
        return failure.code();
    } catch (const std::system_error& error) {
        fmt::print(stderr, "ligament: the result cannot be written: {}\n", error.code().message());
        return Exit::io;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ligament: there is not enough memory for this\n");
        return Exit::simulation;
    }
}

}  // namespace

}  // namespace lig::app

int main(int argc, char** argv) {
    return static_cast<int>(lig::app::run_and_report({argv + 1, argv + argc}));
}
