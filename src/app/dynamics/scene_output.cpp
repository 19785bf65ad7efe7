#include "app/dynamics/scene_output.h"

#include "app/file_failure.h"
#include "io/format_list.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

// "mjcf (.xml, .mjcf)", all that can be written.
std::string writable_formats() {
    std::string text;
    for (const io::Format& format : io::formats)
        if (format.write)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", format.name,
                                join({format.endings.begin(), format.endings.end()}));
    return text;
}

}  // namespace

std::vector<std::string_view> writable_endings() {
    std::vector<std::string_view> endings;
    for (const io::Format& format : io::formats)
        if (format.write) endings.insert(endings.end(), format.endings.begin(), format.endings.end());
    return endings;
}

void declare_scene_output(Arguments& arguments, std::string& out) {
    arguments
        .positional(out, "OUT",
                    "the file to write, " + writable_formats() + "; - writes MJCF to standard output")
        .file(writable_endings());
}

void require_writable(const std::string& out) {
    if (out == "-") return;
    const io::Format* const format = io::format_of_ending(out);
    if (format && format->write) return;
    const std::string ending = std::filesystem::path(out).extension().string();
    const std::string what = format ? fmt::format("{} is read, but not written", format->name)
                             : ending.empty()
                                 ? std::string("its name has no ending that tells the format")
                                 : fmt::format("no format has the ending '{}'", ending);
    throw Failure(Exit::usage, fmt::format("ligament: cannot write '{}': {}; there are: {}", out, what,
                                           writable_formats()));
}

void require_other_file(const std::string& model, const std::string& out) {
    namespace fs = std::filesystem;
    if (out == "-" || model == "-") return;
    std::error_code failure;
    if (fs::equivalent(model, out, failure) ||
        fs::absolute(model).lexically_normal() == fs::absolute(out).lexically_normal())
        throw Failure(Exit::usage,
                      fmt::format("ligament: '{}' is the model itself; write to another file", out));
}

void write_scene(const Scene& scene, const std::string& out) {
    if (out == "-") {
        const std::string text = write_mjcf(scene);
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
            throw std::system_error(errno, std::generic_category());
        return;
    }
    try {
        save_scene(scene, out);
    } catch (const std::system_error& error) {
        throw cannot_write(out, error.code());
    }
}

}  // namespace lig::app
