// A trajectory as BVH, for programs that draw characters. The skeleton is that of the model; y is up.

#include "app/files/trajectory_files.h"
#include "io/whole_file.h"

#include <ligament/motion_clip.h>

namespace lig::app {

namespace {

class TrajectoryBvh final : public TrajectoryFile {
public:
    TrajectoryBvh(const std::string& path, const TrajectoryLayout& layout)
        : path_(path), layout_(layout), file_(path) {
        for (int j = 0; j < static_cast<int>(layout.model.joints.size()); ++j) samples_.joints.push_back(j);
    }

    void add(const TrajectorySample& sample) override {
        const TrajectoryBlock& q = *layout_.find("qpos");
        const auto begin = sample.row.begin() + static_cast<std::ptrdiff_t>(q.begin);
        samples_.times.push_back(sample.row[layout_.find("time")->begin]);
        samples_.q.insert(samples_.q.end(), begin, begin + static_cast<std::ptrdiff_t>(q.size()));
    }

    void finish(const RunEnd&) override {
        file_.write(clip_to_bvh(layout_.model, samples_));
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    std::string path_;
    const TrajectoryLayout& layout_;
    io::WholeFile file_;
    ClipSamples samples_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_bvh(const std::string& path,
                                                    const TrajectoryContext& context) {
    return std::make_unique<TrajectoryBvh>(path, context.layout);
}

}  // namespace lig::app
