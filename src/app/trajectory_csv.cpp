#include "app/trajectory_csv.h"

#include "app/failure.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

// RFC 4180: what holds a comma, a quote or a line break is quoted, quotes doubled.
std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

}  // namespace

TrajectoryCsv::TrajectoryCsv(const std::string& path, const Model& model, const Names& names)
    : path_(path), file_(path, std::ios::binary) {
    file_ << "time";
    for (const std::string& name : coordinate_names(model, names)) file_ << ',' << cell(name);
    for (const std::string& name : velocity_names(model, names)) file_ << ',' << cell(name + ".v");
    file_ << ",energy\n";
    file_.flush();
    if (!file_) throw Failure(Exit::io, fmt::format("{}: error: cannot be written", path_));
}

void TrajectoryCsv::add(const JointState<double>& state, double energy) {
    // The shortest digits that read back to the same number.
    file_ << fmt::format("{}", state.time);
    for (const double x : state.q) file_ << fmt::format(",{}", x);
    for (const double x : state.v) file_ << fmt::format(",{}", x);
    file_ << fmt::format(",{}\n", energy);
}

void TrajectoryCsv::finish() {
    file_.close();
    if (!file_) throw Failure(Exit::io, fmt::format("{}: error: cannot be written", path_));
}

}  // namespace lig::app
