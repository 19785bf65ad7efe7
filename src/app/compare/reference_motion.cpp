#include "app/compare/reference_motion.h"

#include "app/dynamics/clip_options.h"
#include "app/failure.h"
#include "app/recording/recorded_run.h"
#include "io/body_table.h"
#include "io/csv_lines.h"

#include <ligament/dynamics.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lig::app {

namespace {

std::span<const double> block(const TrajectoryLayout& layout, const TrajectorySample& sample,
                              std::string_view name) {
    const TrajectoryBlock* const found = layout.find(name);
    return std::span(sample.row).subspan(found->begin, found->size());
}

// Times that differ by rounding of sums of steps are the same.
bool is_same_time(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a)); }

// A table of all coordinates of the model: bodies are where these have them.
class PoseTable final : public ReferenceMotion {
public:
    PoseTable(std::string path, std::shared_ptr<const Model> model, MotionClip clip)
        : path_(std::move(path)),
          clip_(std::move(clip)),
          distance_(*model),
          ws_(model),
          state_(*model),
          bodies_(*model) {}

    std::optional<double> distance(const TrajectoryLayout& layout, const TrajectorySample& sample) override {
        const double time = sample.row[0];
        if (time < clip_.begin() - 1e-9 || time > clip_.end() + 1e-9) return std::nullopt;
        clip_.sample(time, state_.q, {}, {});
        body_state(state_, ws_, bodies_);
        xpos_.clear();
        xquat_.clear();
        for (const Vec3d& p : bodies_.pos) xpos_.insert(xpos_.end(), {p.x, p.y, p.z});
        for (const Quatd& q : bodies_.quat) xquat_.insert(xquat_.end(), {q.w, q.x, q.y, q.z});
        return distance_.between(block(layout, sample, "xpos"), block(layout, sample, "xquat"), xpos_,
                                 xquat_);
    }
    std::string description() const override { return path_; }

private:
    std::string path_;
    MotionClip clip_;
    MatterDistance distance_;
    Workspace<double> ws_;
    JointState<double> state_;
    BodyState<double> bodies_;
    std::vector<double> xpos_, xquat_;
};

// A table of some coordinates: their differences, in the units that they happen to have.
class CoordinateTable final : public ReferenceMotion {
public:
    CoordinateTable(std::string path, const Model& model, MotionClip clip)
        : path_(std::move(path)), clip_(std::move(clip)), nq_(model.nq), q_(model.nq) {
        for (const int j : clip_.samples().joints)
            for (int k = 0; k < model.joints[j].nq; ++k) which_.push_back(model.joints[j].q_adr + k);
    }

    std::optional<double> distance(const TrajectoryLayout& layout, const TrajectorySample& sample) override {
        const double time = sample.row[0];
        if (time < clip_.begin() - 1e-9 || time > clip_.end() + 1e-9) return std::nullopt;
        clip_.sample(time, q_, {}, {});
        const std::span<const double> q = block(layout, sample, "qpos");
        double sum = 0;
        for (const int k : which_) sum += (q[k] - q_[k]) * (q[k] - q_[k]);
        return std::sqrt(sum / static_cast<double>(which_.size()));
    }
    std::string_view unit() const override { return "rad or m"; }
    std::string description() const override {
        return fmt::format("{} ({} of {} coordinates)", path_, which_.size(), nq_);
    }

private:
    std::string path_;
    MotionClip clip_;
    int nq_;
    std::vector<int> which_;
    std::vector<double> q_;
};

// A table of positions of bodies.
class PositionTable final : public ReferenceMotion {
public:
    PositionTable(std::string path, PathSamples samples)
        : path_(std::move(path)), samples_(std::move(samples)) {}

    std::optional<double> distance(const TrajectoryLayout& layout, const TrajectorySample& sample) override {
        const std::vector<double>& times = samples_.times;
        const double time = sample.row[0];
        if (time < times.front() - 1e-9 || time > times.back() + 1e-9) return std::nullopt;
        // The cubic through the four nearest rows, or through as many as there are.
        const int count = static_cast<int>(times.size()), points = std::min(count, 4);
        const int behind =
            static_cast<int>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
        const int first = std::clamp(behind - points / 2, 0, count - points);
        const std::span<const double> xpos = block(layout, sample, "xpos");
        double sum = 0;
        for (const PathSamples::Path& path : samples_.paths) {
            Vec3d there{0, 0, 0};
            for (int i = first; i < first + points; ++i) {
                double weight = 1;
                for (int j = first; j < first + points; ++j)
                    if (j != i) weight *= (time - times[j]) / (times[i] - times[j]);
                there = there + weight * path.pos[i];
            }
            const double* const p = xpos.data() + 3 * path.body;
            const Vec3d apart = Vec3d{p[0], p[1], p[2]} - there;
            sum += dot(apart, apart);
        }
        return std::sqrt(sum / static_cast<double>(samples_.paths.size()));
    }
    std::string description() const override {
        return fmt::format("{} (positions of {} bod{})", path_, samples_.paths.size(),
                           samples_.paths.size() == 1 ? "y" : "ies");
    }

private:
    std::string path_;
    PathSamples samples_;
};

// Whether any column is a coordinate of a joint; else they are those of bodies.
bool has_coordinates(const std::string& text, const Model& model, const Names& names) {
    std::vector<io::CsvField> header;
    if (!io::CsvLines(text).next(header)) return true;
    const std::vector<std::string> coordinates = coordinate_names(model, names);
    return std::ranges::any_of(header, [&](const io::CsvField& field) {
        return std::ranges::find(coordinates, field.text) != coordinates.end();
    });
}

}  // namespace

void RecordedReference::add(const TrajectoryLayout& layout, const TrajectorySample& sample) {
    const std::span<const double> xpos = block(layout, sample, "xpos"),
                                  xquat = block(layout, sample, "xquat");
    samples_.push_back({sample.row[0], {xpos.begin(), xpos.end()}, {xquat.begin(), xquat.end()}});
    if (distance_.has_matter())
        extent_ = std::max(extent_, distance_.between(xpos, xquat, samples_[0].xpos, samples_[0].xquat));
}

std::optional<double> RecordedReference::distance(const TrajectoryLayout& layout,
                                                  const TrajectorySample& sample) {
    const double time = sample.row[0];
    const auto found =
        std::ranges::lower_bound(samples_, time - 1e-9 * std::max(1.0, std::abs(time)), {}, &Poses::time);
    if (!distance_.has_matter() || found == samples_.end() || !is_same_time(found->time, time))
        return std::nullopt;
    return distance_.between(block(layout, sample, "xpos"), block(layout, sample, "xquat"), found->xpos,
                             found->xquat);
}

namespace {

std::unique_ptr<ReferenceMotion> read_recording(const std::string& path, const Model& model) {
    RecordedRun recorded(path);
    const Model& its = *recorded.loaded().model;
    if (its.fingerprint != model.fingerprint)
        throw Failure(Exit::input,
                      fmt::format("{}: error: the recording is of another model, '{}', or of another "
                                  "version of this one; record it again, or compare with its .csv",
                                  path, its.name));
    const TrajectoryLayout layout(its, recorded.names(), recorded.recorded().contents);
    auto reference = std::make_unique<RecordedReference>(model, path);
    for (; recorded.sample(); recorded.drop()) reference->add(layout, *recorded.sample());
    return reference;
}

}  // namespace

std::unique_ptr<ReferenceMotion> read_reference(std::string_view command, const std::string& path,
                                                std::shared_ptr<const Model> model, const Names& names,
                                                const ModelOptions& options) {
    if (path.ends_with(".lrec")) return read_recording(path, *model);
    const std::string text = read_text(path);
    if (!has_coordinates(text, *model, names)) {
        Diagnostics log;
        try {
            PathSamples samples = io::parse_body_table(text, path, *model, io::TableOf::any, log);
            std::erase_if(samples.paths, [](const PathSamples::Path& p) { return p.pos.empty(); });
            if (samples.paths.empty())
                throw Failure(Exit::input, fmt::format("{}: error: the table has no positions of bodies, "
                                                       "NAME.x NAME.y NAME.z",
                                                       path));
            return std::make_unique<PositionTable>(path, std::move(samples));
        } catch (const InputError& error) {
            for (const Diagnostic& d : log.all()) fmt::print(stderr, "{}\n", d.to_string());
            throw Failure(exit_of(error.kind()), "");
        }
    }
    try {
        const ClipFileOptions plain;
        MotionClip clip(*model, read_clip(path, *model, plain.interpret(command), options));
        if (clip.samples().joints.size() == model->joints.size() && MatterDistance(*model).has_matter())
            return std::make_unique<PoseTable>(path, std::move(model), std::move(clip));
        return std::make_unique<CoordinateTable>(path, *model, std::move(clip));
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::input, fmt::format("{}: error: {}", path, error.what()));
    }
}

}  // namespace lig::app
