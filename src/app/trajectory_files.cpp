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
    {".lrec", make_trajectory_lrec},
};

const Format& format_of(std::string_view command, const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    for (const Format& format : formats)
        if (format.ending == ending) return format;
    throw Failure(Exit::usage, fmt::format("ligament {}: --out '{}': the ending tells the format, and this "
                                           "build writes {}",
                                           command, path, trajectory_endings()));
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

TrajectoryFiles::TrajectoryFiles(std::string_view command, const std::vector<std::string>& paths,
                                 const std::string& input, const TrajectoryContext& context) {
    for (const std::string& path : paths) {
        format_of(command, path);
        if (input != "-" && is_same_file(input, path))
            throw Failure(Exit::usage, fmt::format("ligament: '{}' is the input itself; write to another file", path));
    }
    for (const std::string& path : paths) {
        for (const std::string& other : written_)
            if (is_same_file(other, path))
                throw Failure(Exit::usage, fmt::format("ligament {}: --out '{}' is given twice", command, path));
        writing(path, [&] { files_.push_back({path, format_of(command, path).make(path, context)}); });
        for (std::string& written : files_.back().file->paths()) written_.push_back(std::move(written));
    }
}

void TrajectoryFiles::add(const TrajectorySample& sample) {
    for (const auto& [path, file] : files_) writing(path, [&sample, &to = *file] { to.add(sample); });
}

void TrajectoryFiles::finish(const RunEnd& end) {
    for (const auto& [path, file] : files_) writing(path, [&, &to = *file] { to.finish(end); });
}

}  // namespace lig::app
