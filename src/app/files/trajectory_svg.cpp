// A trajectory as plots over time.

#include "app/files/plot_panels.h"
#include "app/files/trajectory_files.h"

#include "io/svg_plot.h"
#include "io/whole_file.h"

#include <algorithm>
#include <cmath>

namespace lig::app {

namespace {

constexpr std::size_t points_of_a_line = 1400;  // twice the pixels

bool is_zero(const io::PlotSeries& series) {
    // What is not known is no more than zero, either.
    return std::ranges::none_of(series.points,
                                [](const io::PlotPoint& point) { return std::abs(point.y) > 0; });
}

class TrajectorySvg final : public TrajectoryFile {
public:
    TrajectorySvg(const std::string& path, const TrajectoryLayout& layout)
        : path_(path), layout_(layout), file_(path), lines_(layout.row_size, points_of_a_line) {}

    void add(const TrajectorySample& sample) override { lines_.add(sample.row[0], sample.row); }

    void finish(const RunEnd&) override {
        io::Plot plot{layout_.title, "time [s]", {}};
        for (const PanelKind& kind : panel_kinds) {
            if (!kind.in_pictures) continue;
            io::PlotPanel panel{std::string(kind.title), std::string(kind.unit), series_at(kind.place)};
            const bool idle = kind.unless_zero && std::ranges::all_of(panel.series, is_zero);
            if (!panel.series.empty() && !idle) plot.panels.push_back(std::move(panel));
        }
        file_.write(io::svg_plot(plot));
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    std::vector<io::PlotSeries> series_at(PlotPlace place) const {
        std::vector<io::PlotSeries> series;
        for (const TrajectoryBlock& block : layout_.blocks)
            for (std::size_t k = 0; k < block.size(); ++k)
                if (block.places[k] == place) {
                    io::PlotSeries line{block.columns[k], lines_.line(block.begin + k)};
                    if (!block.unless_zero || !is_zero(line)) series.push_back(std::move(line));
                }
        return series;
    }

    std::string path_;
    const TrajectoryLayout& layout_;
    io::WholeFile file_;
    io::LineReducer lines_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_svg(const std::string& path,
                                                    const TrajectoryContext& context) {
    return std::make_unique<TrajectorySvg>(path, context.layout);
}

}  // namespace lig::app
