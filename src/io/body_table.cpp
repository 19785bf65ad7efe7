// Where bodies are over time, from a table: which columns are whose, and the numbers below them.

#include <ligament/kinematic_paths.h>

#include "core/diagnostic_codes.h"
#include "core/printable.h"
#include "core/suggest.h"
#include "io/body_table.h"
#include "io/csv_table.h"
#include "io/file_bytes.h"
#include "io/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace lig {

namespace {

constexpr std::size_t parts = 7;
constexpr std::array<std::string_view, parts> endings{"x", "y", "z", "qw", "qx", "qy", "qz"};

class PathReader {
public:
    PathReader(std::string_view text, const std::filesystem::path& file, const Model& model,
               io::TableOf bodies, Diagnostics& log)
        : table_(text, file, codes::E180, codes::E182, log), model_(model), bodies_(bodies), log_(log) {
        for (const Model::Body& body : model.bodies)
            if (can_be(body)) names_.push_back(body.name);
    }

    PathSamples run() {
        if (table_.begin() && read_header(table_.fields())) {
            bool good = true;
            while (good && table_.next()) good = read_row();
            if (good && samples_.times.empty())
                table_.report(codes::E180, 1, "there are no rows below the header");
        }
        log_.throw_if_errors();
        return std::move(samples_);
    }

private:
    bool can_be(const Model::Body& body) const { return body.kinematic || bodies_ == io::TableOf::any; }

    // The columns of a body, by part; −1: there is none.
    struct Columns {
        std::array<int, parts> at;
        Columns() { at.fill(-1); }

        bool has(std::size_t begin, std::size_t end) const {
            return std::any_of(at.begin() + begin, at.begin() + end, [](int c) { return c >= 0; });
        }
    };

    bool read_header(const std::vector<io::CsvField>& fields) {
        std::map<int, Columns> bodies;
        bool good = true;
        for (std::size_t k = 0; k < fields.size(); ++k)
            good = take_column(fields[k], static_cast<int>(k), bodies) && good;
        if (!good) return false;
        if (time_ < 0)
            return table_.report(codes::E180, 1, "there is no column 'time'",
                                 fields.size() == 1 ? "columns are separated by commas" : "");
        if (bodies.empty())
            return table_.report(
                codes::E180, 1, "there is no column of a body",
                names_.empty() ? "the model has no kinematic body"
                               : "they are called '" + std::string(names_[0]) + ".x' and so on");
        for (const auto& [body, columns] : bodies) {
            for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 3}, {3, parts}})
                for (std::size_t p = begin; p < end; ++p)
                    if (columns.has(begin, end) && columns.at[p] < 0)
                        good = table_.report(
                            codes::E180, 1,
                            fmt::format("body '{0}' has no column '{0}.{1}'", model_.bodies[body].name,
                                        endings[p]),
                            "give all of x, y, z or none, and all of qw, qx, qy, qz or none");
            samples_.paths.push_back({body, {}, {}});
            columns_.push_back(columns);
        }
        return good;
    }

    bool take_column(const io::CsvField& field, int k, std::map<int, Columns>& bodies) {
        const std::string& title = field.text;
        const auto twice = [&] {
            return table_.report(codes::E180, field.column,
                                 "there are two columns '" + shortened(title, 40) + "'");
        };
        if (title == "time") {
            if (time_ >= 0) return twice();
            time_ = k;
            return true;
        }
        const std::size_t dot = std::min(title.rfind('.'), title.size());
        const std::string_view name = std::string_view(title).substr(0, dot),
                               ending = std::string_view(title).substr(std::min(dot + 1, title.size()));
        const auto part = std::find(endings.begin(), endings.end(), ending);
        if (part == endings.end())
            return table_.report(codes::E180, field.column,
                                 "column '" + shortened(title, 40) + "' is neither the time nor of a body",
                                 "columns of a body are its name and .x .y .z .qw .qx .qy .qz");
        const int body = model_.find_body(name);
        if (body < 0 || !can_be(model_.bodies[body])) {
            const std::string_view near = nearest(name, names_);
            return table_.report(codes::E181, field.column,
                                 (body < 0 ? "there is no body '" : "there is no path for body '") +
                                     shortened(std::string(name), 40) +
                                     (body < 0 ? "'" : "', which is not kinematic"),
                                 !near.empty() ? "did you mean '" + std::string(near) + "'?"
                                 : body >= 0   ? "kinematic bodies have mocap=\"true\""
                                               : "");
        }
        int& at = bodies[body].at[part - endings.begin()];
        if (at >= 0) return twice();
        at = k;
        return true;
    }

    bool read_row() {
        if (!table_.time(time_, samples_.times)) return false;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            PathSamples::Path& path = samples_.paths[k];
            std::array<double, parts> numbers{};
            for (std::size_t p = 0; p < parts; ++p)
                if (columns_[k].at[p] >= 0 && !table_.number(columns_[k].at[p], numbers[p])) return false;
            if (columns_[k].has(0, 3)) path.pos.push_back({numbers[0], numbers[1], numbers[2]});
            if (!columns_[k].has(3, parts)) continue;
            if (std::all_of(numbers.begin() + 3, numbers.end(), [](double x) { return x == 0; }))
                return table_.report(codes::E180, table_.fields()[columns_[k].at[3]].column,
                                     "the quaternion of body '" + model_.bodies[path.body].name + "' is zero",
                                     "1 0 0 0 is no rotation");
            path.quat.push_back({numbers[3], numbers[4], numbers[5], numbers[6]});
        }
        return true;
    }

    io::CsvTable table_;
    const Model& model_;
    const io::TableOf bodies_;
    Diagnostics& log_;
    std::vector<std::string_view> names_;  // of the bodies that may have columns
    int time_ = -1;                        // its column
    std::vector<Columns> columns_;         // by path
    PathSamples samples_;
};

}  // namespace

PathSamples io::parse_body_table(std::string_view text, const std::filesystem::path& file_name,
                                 const Model& model, TableOf bodies, Diagnostics& log) {
    const std::string decoded = decode_text(std::string(text)).utf8;
    return PathReader(decoded, file_name, model, bodies, log).run();
}

PathSamples parse_paths(std::string_view text, const std::filesystem::path& file_name, const Model& model,
                        Diagnostics& log) {
    return io::parse_body_table(text, file_name, model, io::TableOf::kinematic, log);
}

PathSamples load_paths(const std::filesystem::path& path, const Model& model, Diagnostics& log) {
    const auto text = io::read_file_text(path, io::FileKind::or_pipe);
    if (const auto* fault = std::get_if<io::FileFault>(&text)) {
        log.report(fault->code ? *fault->code : codes::E001,
                   {std::make_shared<const std::string>(path.string())}, fault->what, fault->hint);
        log.throw_if_errors();
    }
    return parse_paths(std::get<std::string>(text), path, model, log);
}

}  // namespace lig
