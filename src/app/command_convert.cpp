// A model written in another format: read, compiled as a check, and saved.

#include "app/commands.h"
#include "app/model_file.h"
#include "io/format_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

namespace fs = std::filesystem;

// "mjcf (.xml, .mjcf)", all that can be written.
std::string writable_formats() {
    std::string text;
    for (const io::Format& format : io::formats)
        if (format.write)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", format.name,
                                join({format.endings.begin(), format.endings.end()}));
    return text;
}

void require_writable(const std::string& out) {
    const io::Format* const format = io::format_of_ending(out);
    if (format && format->write) return;
    const std::string ending = fs::path(out).extension().string();
    const std::string what = format ? fmt::format("{} is read, but not written", format->name)
                             : ending.empty()
                                 ? std::string("its name has no ending that tells the format")
                                 : fmt::format("no format has the ending '{}'", ending);
    throw Failure(Exit::usage, fmt::format("ligament: cannot write '{}': {}; there are: {}", out, what,
                                           writable_formats()));
}

bool is_same_file(const std::string& in, const std::string& out) {
    std::error_code failure;
    return fs::equivalent(in, out, failure) ||
           fs::absolute(in).lexically_normal() == fs::absolute(out).lexically_normal();
}

}  // namespace

Exit run_convert(Arguments& arguments) {
    ModelOptions options;
    std::string out;
    options.declare(arguments);
    arguments.positional(out, "OUT",
                         "the file to write, " + writable_formats() + "; - writes MJCF to standard output");
    if (!arguments.parse()) return Exit::ok;

    const bool to_stdout = out == "-";
    if (!to_stdout) require_writable(out);
    if (!to_stdout && options.path != "-" && is_same_file(options.path, out))
        throw Failure(Exit::usage,
                      fmt::format("ligament: '{}' is the model itself; write to another file", out));

    const LoadedModel loaded = load_model(options);
    if (to_stdout) {
        const std::string text = write_mjcf(loaded.scene);
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
            throw std::system_error(errno, std::generic_category());
        return Exit::ok;
    }
    try {
        save_scene(loaded.scene, out);
    } catch (const std::system_error& error) {
        throw Failure(Exit::io, fmt::format("{}: error: cannot be written: {}", out, error.code().message()));
    }
    return Exit::ok;
}

}  // namespace lig::app
