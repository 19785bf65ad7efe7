// A trajectory as comma-separated text (RFC 4180), written as it comes. Contact forces, which are as many as
// there are, go to a table of their own beside it: t.contacts.csv for t.csv.

#include "app/files/trajectory_files.h"
#include "io/csv_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <system_error>

namespace lig::app {

namespace {

// Lines of text, "-" on standard output. Values are separated as they are added.
class TextTable {
public:
    TextTable(std::string path, const std::vector<std::string>& header)
        : path_(std::move(path)), to_(path_ == "-" ? std::cout : file_) {
        if (path_ != "-") file_.open(path_, std::ios::binary);
        for (const std::string& name : header) text(name);
        end_row();
        to_.flush();
        check();
    }

    void text(std::string_view value) {
        separate();
        io::append_csv_text(line_, value);
    }
    // The shortest digits that read back to the same number; nothing for one that is not known.
    void number(double value) {
        separate();
        if (!std::isnan(value)) line_.append(fmt::format("{}", value));
    }
    void numbers(std::initializer_list<double> values) {
        for (const double value : values) number(value);
    }
    void end_row() {
        line_.push_back('\n');
        to_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
        line_.clear();
        begun_ = false;
        check();
    }

    void finish() {
        to_.flush();
        if (path_ != "-") file_.close();
        check();
    }

    const std::string& path() const { return path_; }

private:
    void separate() {
        if (begun_) line_.push_back(',');
        begun_ = true;
    }
    void check() const {
        if (!to_) throw std::system_error(errno, std::generic_category(), path_);
    }

    std::string path_;
    std::ofstream file_;
    std::ostream& to_;
    fmt::memory_buffer line_;
    bool begun_ = false;
};

std::vector<std::string> header_of(const TrajectoryLayout& layout) {
    std::vector<std::string> header;
    for (const TrajectoryBlock& block : layout.blocks)
        if (block.in_csv) header.insert(header.end(), block.columns.begin(), block.columns.end());
    return header;
}

class TrajectoryCsv final : public TrajectoryFile {
public:
    TrajectoryCsv(const std::string& path, const TrajectoryLayout& layout)
        : layout_(layout), states_(path, header_of(layout)) {
        if (!layout.contents.contacts) return;
        contacts_.emplace(std::filesystem::path(path).replace_extension(".contacts.csv").string(),
                          std::vector<std::string>{"time", "geom1", "geom2", "distance", "x", "y", "z", "nx",
                                                   "ny", "nz", "fx", "fy", "fz", "tx", "ty", "tz"});
    }

    void add(const TrajectorySample& sample) override {
        for (const TrajectoryBlock& block : layout_.blocks)
            if (block.in_csv)
                for (std::size_t k = 0; k < block.size(); ++k) states_.number(sample.row[block.begin + k]);
        states_.end_row();
        if (!contacts_) return;
        for (const ContactForce& contact : sample.contacts) {
            contacts_->number(sample.row[0]);
            contacts_->text(layout_.geoms[contact.geom_a]);
            contacts_->text(layout_.geoms[contact.geom_b]);
            contacts_->number(contact.distance);
            for (const Vec3d* v : {&contact.point, &contact.normal, &contact.force, &contact.moment})
                contacts_->numbers({v->x, v->y, v->z});
            contacts_->end_row();
        }
    }

    void finish(const RunEnd&) override {
        states_.finish();
        if (contacts_) contacts_->finish();
    }

    std::vector<std::string> paths() const override {
        if (!contacts_) return {states_.path()};
        return {states_.path(), contacts_->path()};
    }

private:
    const TrajectoryLayout& layout_;
    TextTable states_;
    std::optional<TextTable> contacts_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_csv(const std::string& path,
                                                    const TrajectoryContext& context) {
    return std::make_unique<TrajectoryCsv>(path, context.layout);
}

}  // namespace lig::app
