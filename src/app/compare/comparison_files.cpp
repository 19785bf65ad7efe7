#include "app/compare/comparison_files.h"

#include "app/compare/comparison_output.h"
#include "app/file_failure.h"
#include "app/files/report_document.h"
#include "app/run/promise_output.h"
#include "io/whole_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace lig::app {

namespace {

constexpr std::string_view endings[] = {".html", ".json", ".csv", ".svg"};

// Of so many runs the motion is shown; of more, that of the first step of each method.
constexpr std::size_t max_drawn = 8;

std::string ending_of(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    for (const std::string_view known : endings)
        if (known == ending) return ending;
    throw Failure(Exit::usage,
                  fmt::format("ligament compare: --out '{}': the ending tells the format, and this "
                              "build writes {}",
                              path, join(comparison_endings())));
}

}  // namespace

std::vector<std::string_view> comparison_endings() {
    return {std::begin(endings), std::end(endings)};
}

struct ComparisonFiles::Inside {
    struct File {
        std::string path, ending;
        std::unique_ptr<io::WholeFile> place;
    };

    const DynamicsJob& job;
    std::string scene, command_line;
    std::vector<File> files;
    std::optional<ReportDocument> page;
    std::map<std::string, ReportSamples> samples;  // by ComparedRun::key

    std::string text_of(const File& file, const Comparison& comparison) {
        if (file.ending == ".html") return page_of(comparison);
        if (file.ending == ".json") return comparison_json(comparison, scene).dump(1) + '\n';
        if (file.ending == ".csv") return comparison_csv(comparison);
        return comparison_svg(comparison, job.model().name);
    }

    std::string page_of(const Comparison& comparison) {
        const bool all = comparison.runs.size() <= max_drawn;
        std::set<std::string> shown;
        for (const ComparedRun& run : comparison.runs) {
            ReportRun told{.name = run.name,
                           .formulation = run.what.formulation,
                           .integrator = run.what.integrator,
                           .dt = run.dt(),
                           .status = run.status,
                           .message = run.message,
                           .missed = missed_text(run.run->summary().promises),
                           .figures = figures_json(run),
                           .drawn = all || run.is_reference || shown.insert(run.what.method()).second};
            if (const auto found = samples.find(run.key); found != samples.end())
                told.samples = std::move(found->second);
            page->add(told);
        }
        page->set_comparison(comparison_for_page(comparison));
        return page->page();
    }
};

ComparisonFiles::ComparisonFiles(const std::vector<std::string>& paths, const DynamicsJob& job,
                                 const std::string& scene, std::string command_line)
    : inside_(new Inside{job, scene, std::move(command_line), {}, {}, {}}) {
    for (const std::string& path : paths) {
        const std::string ending = ending_of(path);
        if (scene != "-" && is_same_file(scene, path))
            throw Failure(
                Exit::usage,
                fmt::format("ligament compare: '{}' is the scene itself; write to another file", path));
        for (const Inside::File& other : inside_->files)
            if (is_same_file(other.path, path))
                throw Failure(Exit::usage, fmt::format("ligament compare: --out '{}' is given twice", path));
        if (ending == ".html")
            inside_->page.emplace(ReportKind::comparison, job.model().name, inside_->command_line,
                                  job.model(), job.names);
        writing(path, [&] {
            inside_->files.push_back({path, ending, std::make_unique<io::WholeFile>(path)});
        });
    }
}

ComparisonFiles::~ComparisonFiles() = default;

WatchRun ComparisonFiles::watch() {
    if (!inside_->page) return nullptr;
    return [this](const ComparedRun& run) {
        ReportSamples& samples = inside_->samples.try_emplace(run.key, run.run->layout()).first->second;
        return [&samples](const TrajectorySample& sample) { samples.add(sample); };
    };
}

void ComparisonFiles::write(const Comparison& comparison) {
    for (const Inside::File& file : inside_->files)
        writing(file.path, [&] {
            file.place->write(inside_->text_of(file, comparison));
            file.place->finish();
        });
}

}  // namespace lig::app
