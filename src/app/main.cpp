// The command line: finds the command, runs it, and turns whatever ends it into a message and an exit code.

#include "app/commands.h"
#include "app/terminal.h"

#include <ligament/config.h>
#include <ligament/dynamics.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

namespace lig::app {

namespace {

// By what one wants to do. Those that are in none of them come last.
struct Group {
    std::string_view title;
    std::vector<std::string_view> names;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"See and check a model", {"info", "check", "contacts", "assemble"}},
        {"Simulate and compare", {"run", "compare", "replay"}},
        {"Compute with single states", {"forward", "inverse"}},
        {"Get and change files", {"gallery", "generate", "convert", "clip"}},
    };
    return all;
}

std::string overview() {
    const int width = std::clamp(line_width(stdout, 100), 40, 100);
    std::string text =
        "Example: ligament run scenes/character.xml --key tumble --out fall.svg\n\n"
        "Ligament simulates articulated bodies.\n\n"
        "Usage: ligament COMMAND [ARGUMENT…]\n";
    std::vector<std::string_view> told;
    const auto add = [&](std::string_view title, const auto& is_in) {
        text += fmt::format("\n{}:\n", title);
        for (const Command& command : commands) {
            if (!is_in(command.name)) continue;
            text += fmt::format("  {:<12}{}\n", command.name, wrapped(command.summary, 14, width));
            told.push_back(command.name);
        }
    };
    for (const Group& group : groups())
        add(group.title, [&](std::string_view name) { return std::ranges::count(group.names, name) > 0; });
    add("Other commands", [&](std::string_view name) { return std::ranges::count(told, name) == 0; });
    text +=
        "\nFirst steps:\n"
        "    ligament gallery                        scenes to begin with\n"
        "    ligament info scenes/acrobat.xml        what is in one of them\n"
        "    ligament run scenes/character.xml       10 s of another one, in numbers\n"
        "    ligament compare scenes/character.xml --key tumble --duration 3 --out report.html\n"
        "                                            formulations beside each other, as a page\n"
        "    ligament run --help                     what else can be asked for\n\n";
    text += wrapped(
        "'ligament COMMAND --help' and 'ligament help COMMAND' tell more. 'ligament --version' prints the "
        "version. Where to look when something does not work: docs/troubleshooting.md.\n"
        "Exit codes: 0 done, 1 wrong usage, 2 wrong input, 3 failed computation, 4 cannot read or write, "
        "5 not supported, 130 interrupted.\n",
        0, width);
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
        if (!words.empty() && words.front() == "--verbose")
            fmt::print("compiler      {}\ninstructions  {}\n", __VERSION__, instruction_set_name());
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
        // Whoever reads has enough, and needs no telling.
        if (error.code() == std::errc::broken_pipe) return Exit::pipe_closed;
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
    // A pipe that nobody reads from any more is noticed where it is written to: files are to be finished.
    std::signal(SIGPIPE, SIG_IGN);
    return static_cast<int>(lig::app::run_and_report({argv + 1, argv + argc}));
}
