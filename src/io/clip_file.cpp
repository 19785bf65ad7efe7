// Clips from files: which format, and the table of numbers. BVH is in bvh_*.cpp.

#include <ligament/motion_clip.h>

#include "core/diagnostic_codes.h"
#include "io/bvh.h"
#include "io/csv_table.h"
#include "io/csv_text.h"
#include "io/file_bytes.h"
#include "io/text_encoding.h"
#include "model/coordinate_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace lig {

namespace {

class CsvReader {
public:
    CsvReader(std::string_view text, const std::filesystem::path& file, const Model& model, Diagnostics& log)
        : table_(text, file, codes::E150, codes::E157, log), model_(model) {}

    std::optional<ClipSamples> run() {
        if (!table_.begin() || !read_header(table_.fields())) return std::nullopt;
        while (table_.next())
            if (!read_row()) return std::nullopt;
        if (samples_.times.empty()) {
            table_.report(codes::E150, 1, "there are no rows below the header");
            return std::nullopt;
        }
        return std::move(samples_);
    }

private:
    bool read_header(const std::vector<io::CsvField>& fields) {
        std::map<std::string, std::size_t> columns;  // of two with one name the first
        for (std::size_t k = 0; k < fields.size(); ++k) columns.emplace(fields[k].text, k);
        const auto column_of = [&](const std::string& name) {
            const auto found = columns.find(name);
            return found == columns.end() ? -1 : static_cast<int>(found->second);
        };
        time_ = column_of("time");
        if (time_ < 0)
            return table_.report(codes::E150, 1, "there is no column 'time'",
                                 fields.size() == 1 ? "columns are separated by commas" : "");
        const std::vector<std::string> names = joint_names(model_);
        bool has_velocities = true;
        for (std::size_t j = 0; j < names.size(); ++j) {
            const JointType type = model_.joints[j].type;
            std::string missing;
            const std::size_t begin = q_.size();
            std::size_t wanted = 0;
            for (const std::string& name : coordinate_names(type, names[j])) {
                ++wanted;
                if (const int column = column_of(name); column >= 0)
                    q_.push_back(column);
                else
                    missing = name;
            }
            if (q_.size() == begin) continue;
            if (q_.size() < begin + wanted)
                return table_.report(codes::E150, 1,
                                     "joint '" + names[j] + "' has no column '" + missing + "'",
                                     "give all coordinates of a joint, or none");
            samples_.joints.push_back(static_cast<int>(j));
            for (const std::string& name : velocity_names(type, names[j])) {
                const int column = column_of(name + ".v");
                has_velocities = has_velocities && column >= 0;
                v_.push_back(column);
            }
        }
        if (samples_.joints.empty())
            return table_.report(
                codes::E151, 1, "no column has the name of a coordinate of the model",
                "coordinates are called after their joints, such as '" +
                    (names.empty() ? "knee" : coordinate_names(model_.joints[0].type, names[0])[0]) + "'");
        if (!has_velocities) v_.clear();
        return true;
    }

    bool read_row() {
        const auto read_all = [&](const std::vector<int>& columns, std::vector<double>& out) {
            return std::all_of(columns.begin(), columns.end(),
                               [&](int column) { return table_.number(column, out.emplace_back()); });
        };
        return table_.time(time_, samples_.times) && read_all(q_, samples_.q) && has_rotations() &&
               read_all(v_, samples_.v);
    }

    // Whether the quaternions of the row that was read last are any.
    bool has_rotations() {
        std::size_t at = 0;
        for (const int j : samples_.joints) {
            const Model::Joint& joint = model_.joints[j];
            at += joint.nq;
            if (joint.nq == joint.nv) continue;
            const auto end = samples_.q.end() - static_cast<std::ptrdiff_t>(q_.size() - at);
            if (std::all_of(end - 4, end, [](double x) { return x == 0; }))
                return table_.report(codes::E150, table_.fields()[q_[at - 4]].column,
                                     "the quaternion of joint '" + joint.name + "' is zero",
                                     "1 0 0 0 is no rotation");
        }
        return true;
    }

    io::CsvTable table_;
    const Model& model_;
    int time_ = -1;
    std::vector<int> q_, v_;  // columns
    ClipSamples samples_;
};

std::optional<ClipSamples> read(std::string_view text, const std::filesystem::path& file, const Model& model,
                                const ClipOptions& options, Diagnostics& log) {
    const std::string ending = file.extension().string();
    if (ending == ".csv" || ending == ".CSV") return CsvReader(text, file, model, log).run();
    if (ending == ".bvh" || ending == ".BVH") {
        const std::optional<io::Bvh> bvh = io::read_bvh(text, file, log);
        return bvh ? io::match_bvh(*bvh, model, options, file, log) : std::nullopt;
    }
    log.report(codes::E158, {std::make_shared<const std::string>(file.string())},
               "the ending '" + ending + "' tells no format of clips", "there are .csv and .bvh");
    return std::nullopt;
}

}  // namespace

ClipSamples parse_clip(std::string_view text, const std::filesystem::path& file_name, const Model& model,
                       const ClipOptions& options, Diagnostics& log) {
    const std::string decoded = io::decode_text(std::string(text)).utf8;
    std::optional<ClipSamples> samples = read(decoded, file_name, model, options, log);
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if (samples && !std::all_of(samples->q.begin(), samples->q.end(), is_finite))
        log.report(codes::E150, {std::make_shared<const std::string>(file_name.string())},
                   "lengths are too large to be computed with");
    log.throw_if_errors();
    return std::move(*samples);
}

ClipSamples load_clip(const std::filesystem::path& path, const Model& model, const ClipOptions& options,
                      Diagnostics& log) {
    auto text = io::read_file_text(path, io::FileKind::or_pipe);
    if (const auto* fault = std::get_if<io::FileFault>(&text)) {
        log.report(fault->code ? *fault->code : codes::E001,
                   {std::make_shared<const std::string>(path.string())}, fault->what, fault->hint);
        log.throw_if_errors();
    }
    return parse_clip(std::get<std::string>(text), path, model, options, log);
}

std::string clip_to_csv(const Model& model, const ClipSamples& samples) {
    const MotionClip clip(model, samples);
    const std::vector<std::string> names = joint_names(model);
    std::string text = "time";
    std::size_t nq = 0, nv = 0;
    const auto add_names = [&](const std::vector<std::string>& columns, std::string_view ending) {
        for (const std::string& name : columns) {
            text += ',';
            io::append_csv_text(text, name + std::string(ending));
        }
    };
    for (const int j : samples.joints) {
        add_names(coordinate_names(model.joints[j].type, names[j]), "");
        nq += model.joints[j].nq;
        nv += model.joints[j].nv;
    }
    for (const int j : samples.joints) add_names(velocity_names(model.joints[j].type, names[j]), ".v");
    text += '\n';
    for (std::size_t k = 0; k < samples.times.size(); ++k) {
        const auto add_numbers = [&](const double* numbers, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                text += fmt::format(",{}", numbers[i]);
        };
        text += fmt::format("{}", samples.times[k]);
        add_numbers(clip.samples().q.data() + k * nq, nq);
        add_numbers(clip.samples().v.data() + k * nv, nv);
        text += '\n';
    }
    return text;
}

}  // namespace lig
