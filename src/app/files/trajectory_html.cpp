// A trajectory as a page that shows it: one run of a report.

#include "app/compare/comparison_columns.h"
#include "app/files/report_document.h"
#include "app/files/trajectory_files.h"
#include "app/run/promise_output.h"

#include "io/whole_file.h"

namespace lig::app {

namespace {

class TrajectoryHtml final : public TrajectoryFile {
public:
    TrajectoryHtml(const std::string& path, const TrajectoryContext& context)
        : path_(path),
          settings_(context.settings),
          document_(ReportKind::replay, context.layout.title, context.command_line, context.model,
                    context.names),
          file_(path),
          samples_(context.layout) {}

    void add(const TrajectorySample& sample) override { samples_.add(sample); }

    void finish(const RunEnd& end) override {
        Json figures = run_figures(end.summary), columns = Json::array();
        for (const ComparisonColumn& column : comparison_columns)
            if (figures.contains(column.key)) columns.push_back(column_json(column, ""));
        document_.set_columns(std::move(columns));
        document_.add({.name = settings_.simulation.formulation,
                       .formulation = settings_.simulation.formulation,
                       .integrator = std::string(settings_.integrator),
                       .dt = settings_.dt,
                       .status = end.summary.status,
                       .message = end.message,
                       .missed = missed_text(end.summary.promises),
                       .figures = std::move(figures),
                       .samples = std::move(samples_)});
        file_.write(document_.page());
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    std::string path_;
    const RunSettings& settings_;
    ReportDocument document_;
    io::WholeFile file_;
    ReportSamples samples_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_html(const std::string& path,
                                                     const TrajectoryContext& context) {
    return std::make_unique<TrajectoryHtml>(path, context);
}

}  // namespace lig::app
