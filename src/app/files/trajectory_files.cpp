#include "app/files/trajectory_files.h"

#include "app/arguments.h"
#include "app/dynamics/model_file.h"
#include "app/file_failure.h"
#include "app/files/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

struct Format {
    std::string_view ending, summary;
    MakeTrajectoryFile* make;
    bool replay = false;
};

constexpr Format formats[] = {
    {".csv", "a table", make_trajectory_csv},
    {".npz", "arrays for NumPy", make_trajectory_npz},
    {".svg", "plots", make_trajectory_svg},
    {".bvh", "the motion of a skeleton", make_trajectory_bvh},
    {".lrec", "a recording, for ligament replay", make_trajectory_lrec},
    {".html", "a page that shows the motion and all curves", make_trajectory_html, true},
    {".glb", "an animated scene for other programs", make_trajectory_glb},
};

const Format* find_format(const std::string& path) {
    const std::string ending = path == "-" ? ".csv" : std::filesystem::path(path).extension().string();
    for (const Format& format : formats)
        if (format.ending == ending) return &format;
    return nullptr;
}

const Format& format_of(std::string_view command, const std::string& path) {
    if (const Format* const format = find_format(path)) return *format;
    throw Failure(Exit::usage, fmt::format("ligament {}: --out '{}': the ending tells the format, and this "
                                           "build writes {}",
                                           command, path, join(trajectory_endings())));
}

}  // namespace

std::vector<std::string_view> trajectory_endings() {
    std::vector<std::string_view> endings;
    for (const Format& format : formats) endings.push_back(format.ending);
    return endings;
}

std::vector<OutputFormat> output_formats() {
    std::vector<OutputFormat> all;
    for (const Format& format : formats)
        all.push_back({format.ending, format.summary, !format.replay || has_report_page()});
    return all;
}

bool holds_replay(const std::vector<std::string>& paths) {
    return std::ranges::any_of(paths, [](const std::string& path) {
        const Format* const format = find_format(path);
        return format && format->replay;
    });
}

TrajectoryFiles::TrajectoryFiles(std::string_view command, const std::vector<std::string>& paths,
                                 const std::string& input, const TrajectoryContext& context) {
    // Before the first is opened, which writes to it.
    if (std::count(paths.begin(), paths.end(), "-") > 1)
        throw Failure(Exit::usage, fmt::format("ligament {}: --out '-' is given twice", command));
    for (const std::string& path : paths) {
        if (format_of(command, path).replay) require_report_page();
        if (path == "-" && context.layout.contents.contacts)
            throw Failure(
                Exit::usage,
                fmt::format("ligament {}: contacts are a table of their own, and there is one standard "
                            "output; name a file: --out NAME.csv",
                            command));
        if (input != "-" && is_same_file(input, path))
            throw Failure(Exit::usage,
                          fmt::format("ligament: '{}' is the input itself; write to another file", path));
    }
    for (const std::string& path : paths) {
        for (const std::string& other : written_)
            if (is_same_file(other, path))
                throw Failure(Exit::usage,
                              fmt::format("ligament {}: --out '{}' is given twice", command, path));
        write(path, [&] {
            files_.push_back({path, format_of(command, path).make(path, context)});
            for (std::string& written : files_.back().file->paths()) written_.push_back(std::move(written));
        });
    }
}

void TrajectoryFiles::write(const std::string& path, const std::function<void()>& f) {
    if (path == "-" && pipe_closed_) return;
    try {
        f();
    } catch (const std::system_error& error) {
        pipe_closed_ = path == "-" && error.code() == std::errc::broken_pipe;
        if (!pipe_closed_) throw cannot_write(path, error.code());
    }
}

void TrajectoryFiles::add(const TrajectorySample& sample) {
    for (const auto& [path, file] : files_) write(path, [&sample, &to = *file] { to.add(sample); });
}

void TrajectoryFiles::finish(const RunEnd& end) {
    for (const auto& [path, file] : files_) write(path, [&, &to = *file] { to.finish(end); });
}

}  // namespace lig::app
