#pragma once

// The files that a trajectory can be written to, one kind each; a new one is a file of its own and a line in
// trajectory_files.cpp. What they hold: docs/recordings.md.

#include "app/trajectory.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

class TrajectoryFile {
public:
    virtual ~TrajectoryFile() = default;

    virtual void add(const TrajectorySample& sample) = 0;
    // What has been added is in the file afterwards, whole. Throws std::system_error, as the making and `add`
    // do, when something cannot be written.
    virtual void finish() = 0;
    // That it was asked for, and those that come with it.
    virtual std::vector<std::string> paths() const = 0;
};

// The layout must outlive the file.
using MakeTrajectoryFile = std::unique_ptr<TrajectoryFile> (*)(const std::string& path,
                                                               const TrajectoryLayout& layout);
std::unique_ptr<TrajectoryFile> make_trajectory_csv(const std::string& path, const TrajectoryLayout& layout);
std::unique_ptr<TrajectoryFile> make_trajectory_bvh(const std::string& path, const TrajectoryLayout& layout);
std::unique_ptr<TrajectoryFile> make_trajectory_npz(const std::string& path, const TrajectoryLayout& layout);
std::unique_ptr<TrajectoryFile> make_trajectory_svg(const std::string& path, const TrajectoryLayout& layout);

// ".csv, .npz, .svg, .bvh".
std::string trajectory_endings();

// Files of one trajectory.
class TrajectoryFiles {
public:
    // Opens them all, so that a place that cannot be written to is known before anything is computed. Throws
    // Failure: for an ending that tells no format, for a file that is named twice or is `model`, and where
    // one cannot be written.
    TrajectoryFiles(const std::vector<std::string>& paths, const std::string& model,
                    const TrajectoryLayout& layout);

    void add(const TrajectorySample& sample);
    void finish();

    // All that are written, those that come with another one included.
    const std::vector<std::string>& paths() const { return written_; }

private:
    struct Opened {
        std::string path;
        std::unique_ptr<TrajectoryFile> file;
    };

    std::vector<Opened> files_;
    std::vector<std::string> written_;
};

}  // namespace lig::app
