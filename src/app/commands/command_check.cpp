// Everything that reading and compiling say about a model, as the result of the command.

#include "app/commands.h"
#include "app/dynamics/model_file.h"
#include "app/json_output.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

std::string count_text(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Exit run_check(Arguments& arguments) {
    ModelOptions options;
    bool json = false;
    options.declare(arguments);
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;

    Diagnostics log;
    Exit code = Exit::ok;
    try {
        compile(read_scene(options, log), log);
    } catch (const InputError& error) { code = exit_of(error.kind()); }

    std::vector<Diagnostic> shown;
    for (const Diagnostic& d : log.all())
        if (d.severity == Severity::error || !options.quiet) shown.push_back(d);
    if (json) {
        Json out;
        out["diagnostics"] = to_json(shown);
        out["errors"] = log.error_count();
        out["warnings"] = log.warning_count();
        print_json(out);
        return code;
    }
    for (const Diagnostic& d : shown) fmt::print("{}\n", d.to_string());
    const std::string name = options.path == "-" ? "<stdin>" : options.path;
    fmt::print("{}: {}, {}\n", name, count_text(log.error_count(), "error"),
               count_text(log.warning_count(), "warning"));
    return code;
}

}  // namespace lig::app
