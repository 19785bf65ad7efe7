#include "app/comparison_files.h"

#include "app/comparison_output.h"
#include "io/whole_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <system_error>

namespace lig::app {

namespace {

constexpr std::string_view endings[] = {".json", ".csv", ".svg"};

std::string ending_of(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    for (const std::string_view known : endings)
        if (known == ending) return ending;
    throw Failure(Exit::usage, fmt::format("ligament compare: --out '{}': the ending tells the format, and this "
                                           "build writes {}",
                                           path, comparison_endings()));
}

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

std::string comparison_endings() {
    return join({std::begin(endings), std::end(endings)});
}

struct ComparisonFiles::Inside {
    struct File {
        std::string path, ending;
        std::unique_ptr<io::WholeFile> place;
    };

    const DynamicsJob& job;
    std::string scene, command_line;
    std::vector<File> files;

    std::string text_of(const File& file, const Comparison& comparison) const {
        if (file.ending == ".json") return comparison_json(comparison, scene).dump(1) + '\n';
        if (file.ending == ".csv") return comparison_csv(comparison);
        return comparison_svg(comparison, job.model().name);
    }
};

ComparisonFiles::ComparisonFiles(const std::vector<std::string>& paths, const DynamicsJob& job,
                                 const std::string& scene, std::string command_line)
    : inside_(new Inside{job, scene, std::move(command_line), {}}) {
    for (const std::string& path : paths) {
        const std::string ending = ending_of(path);
        if (scene != "-" && is_same_file(scene, path))
            throw Failure(Exit::usage,
                          fmt::format("ligament compare: '{}' is the scene itself; write to another file", path));
        for (const Inside::File& other : inside_->files)
            if (is_same_file(other.path, path))
                throw Failure(Exit::usage, fmt::format("ligament compare: --out '{}' is given twice", path));
        writing(path, [&] {
            inside_->files.push_back({path, ending, std::make_unique<io::WholeFile>(path)});
        });
    }
}

ComparisonFiles::~ComparisonFiles() = default;

WatchRun ComparisonFiles::watch() { return nullptr; }

void ComparisonFiles::write(const Comparison& comparison) {
    for (const Inside::File& file : inside_->files)
        writing(file.path, [&] {
            file.place->write(inside_->text_of(file, comparison));
            file.place->finish();
        });
}

}  // namespace lig::app
