// A trajectory as arrays for NumPy. A file of arrays tells their lengths first, so samples are kept in memory
// until the end.

#include "app/files/trajectory_files.h"

#include "io/npz_write.h"

#include <cstdint>

namespace lig::app {

namespace {

class TrajectoryNpz final : public TrajectoryFile {
public:
    TrajectoryNpz(const std::string& path, const TrajectoryLayout& layout)
        : path_(path), layout_(layout), file_(path), arrays_(layout.blocks.size()) {}

    void add(const TrajectorySample& sample) override {
        for (std::size_t k = 0; k < arrays_.size(); ++k) {
            const auto from = sample.row.begin() + static_cast<std::ptrdiff_t>(layout_.blocks[k].begin);
            arrays_[k].insert(arrays_[k].end(), from,
                              from + static_cast<std::ptrdiff_t>(layout_.blocks[k].size()));
        }
        for (const ContactForce& contact : sample.contacts) {
            contact_time_.push_back(sample.row[0]);
            contact_geoms_.insert(contact_geoms_.end(), {contact.geom_a, contact.geom_b});
            contact_distance_.push_back(contact.distance);
            const auto append = [](std::vector<double>& array, const Vec3d& v) {
                array.insert(array.end(), {v.x, v.y, v.z});
            };
            append(contact_point_, contact.point);
            append(contact_normal_, contact.normal);
            append(contact_force_, contact.force);
            append(contact_moment_, contact.moment);
        }
        ++samples_;
    }

    void finish(const RunEnd&) override {
        for (std::size_t k = 0; k < arrays_.size(); ++k) {
            const TrajectoryBlock& block = layout_.blocks[k];
            if (!block.in_npz) continue;
            std::vector<std::size_t> shape{samples_};
            shape.insert(shape.end(), block.shape.begin(), block.shape.end());
            file_.add(block.name, arrays_[k], shape);
        }
        if (layout_.contents.contacts) add_contacts();
        for (const auto& [name, list] : layout_.name_lists) file_.add(name, list);
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    void add_contacts() {
        const std::size_t count = contact_time_.size();
        const std::size_t one[] = {count}, two[] = {count, 2}, three[] = {count, 3};
        file_.add("contact_time", contact_time_, one);
        file_.add("contact_geoms", contact_geoms_, two);
        file_.add("contact_distance", contact_distance_, one);
        file_.add("contact_point", contact_point_, three);
        file_.add("contact_normal", contact_normal_, three);
        file_.add("contact_force", contact_force_, three);
        file_.add("contact_moment", contact_moment_, three);
    }

    std::string path_;
    const TrajectoryLayout& layout_;
    io::NpzWriter file_;
    std::size_t samples_ = 0;
    std::vector<std::vector<double>> arrays_;  // (blocks)
    std::vector<double> contact_time_, contact_distance_, contact_point_, contact_normal_, contact_force_,
        contact_moment_;
    std::vector<std::int64_t> contact_geoms_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_npz(const std::string& path,
                                                    const TrajectoryContext& context) {
    return std::make_unique<TrajectoryNpz>(path, context.layout);
}

}  // namespace lig::app
