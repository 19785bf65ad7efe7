#include "app/trajectory_files.h"

#include "app/arguments.h"
#include "app/failure.h"
#include "app/model_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

struct Format {
    std::string_view ending;
    MakeTrajectoryFile make;
};

constexpr Format formats[] = {
    {".csv", make_trajectory_csv},
    {".npz", make_trajectory_npz},
    {".svg", make_trajectory_svg},
    {".bvh", make_trajectory_bvh},
};

const Format& format_of(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    for (const Format& format : formats)
        if (format.ending == ending) return format;
    throw Failure(Exit::usage, fmt::format("ligament run: --out '{}': the ending tells the format, and this "
                                           "build writes {}",
                                           path, trajectory_endings()));
}

// Calls f and turns what cannot be written into a Failure that names the file.
template <class F>
void writing(const std::string& path, F&& f) {
    try {
        f();
    } catch (const std::system_error& error) {
        throw Failure(Exit::io,
                      fmt::format("{}: error: cannot be written: {}", path, error.code().message()));
    }
}

}  // namespace

std::string trajectory_endings() {
    std::vector<std::string_view> endings;
    for (const Format& format : formats) endings.push_back(format.ending);
    return join(endings);
}

TrajectoryFiles::TrajectoryFiles(const std::vector<std::string>& paths, const std::string& model,
                                 const TrajectoryLayout& layout) {
    for (const std::string& path : paths) {
        format_of(path);
        if (model != "-" && is_same_file(model, path))
            throw Failure(Exit::usage,
                          fmt::format("ligament: '{}' is the model itself; write to another file", path));
    }
    for (const std::string& path : paths) {
        for (const std::string& other : written_)
            if (is_same_file(other, path))
                throw Failure(Exit::usage, fmt::format("ligament run: --out '{}' is given twice", path));
        writing(path, [&] { files_.push_back({path, format_of(path).make(path, layout)}); });
        for (std::string& written : files_.back().file->paths()) written_.push_back(std::move(written));
    }
}

void TrajectoryFiles::add(const TrajectorySample& sample) {
    for (const auto& [path, file] : files_) writing(path, [&sample, &to = *file] { to.add(sample); });
}

void TrajectoryFiles::finish() {
    for (const auto& [path, file] : files_) writing(path, [&to = *file] { to.finish(); });
}

}  // namespace lig::app
