#pragma once

// The files that a trajectory can be written to, one kind each; a new one is a file of its own and a line in
// trajectory_files.cpp. What they hold: docs/recordings.md.

#include "app/run/simulation_run.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// What is known of a run before its first step. Everything outlives the files.
struct TrajectoryContext {
    const Scene& scene;
    const Model& model;
    const Names& names;
    const RunSettings& settings;
    const RunInputs& inputs;
    const TrajectoryLayout& layout;
    std::string command_line;  // as it was given, or the like
};

// How it ended.
struct RunEnd {
    const RunSummary& summary;
    std::string message;  // what went wrong; empty: nothing
};

class TrajectoryFile {
public:
    virtual ~TrajectoryFile() = default;

    virtual void add(const TrajectorySample& sample) = 0;
    // What has been added is in the file afterwards, whole. Throws std::system_error, as the making and `add`
    // do, when something cannot be written.
    virtual void finish(const RunEnd& end) = 0;
    // That it was asked for, and those that come with it.
    virtual std::vector<std::string> paths() const = 0;
};

using MakeTrajectoryFile = std::unique_ptr<TrajectoryFile>(const std::string& path,
                                                           const TrajectoryContext& context);
MakeTrajectoryFile make_trajectory_csv, make_trajectory_bvh, make_trajectory_glb, make_trajectory_html,
    make_trajectory_lrec, make_trajectory_npz, make_trajectory_svg;

// .csv, .npz, ….
std::vector<std::string_view> trajectory_endings();

// The same for readers.
struct OutputFormat {
    std::string_view ending, summary;
    bool there;  // false: this build was made without what it takes
};
std::vector<OutputFormat> output_formats();

// Whether one of the files shows the motion, and so wants to hear of contacts and stages, too.
bool holds_replay(const std::vector<std::string>& paths);

// Files of one trajectory.
class TrajectoryFiles {
public:
    // Opens them all, so that a place that cannot be written to is known before anything is computed. Throws
    // Failure: for an ending that tells no format, for pages where the program has none, for a file that is
    // named twice or is `input`, and where one cannot be written. `input` is what the run was read from. "-"
    // is .csv on standard output.
    TrajectoryFiles(std::string_view command, const std::vector<std::string>& paths, const std::string& input,
                    const TrajectoryContext& context);

    void add(const TrajectorySample& sample);
    void finish(const RunEnd& end);

    // Whether whoever reads standard output has gone. What comes then is not written there.
    bool pipe_closed() const { return pipe_closed_; }

    // All that are written, those that come with another one included.
    const std::vector<std::string>& paths() const { return written_; }

private:
    struct Opened {
        std::string path;
        std::unique_ptr<TrajectoryFile> file;
    };

    // Calls f, which writes to the file of this name.
    void write(const std::string& path, const std::function<void()>& f);

    std::vector<Opened> files_;
    std::vector<std::string> written_;
    bool pipe_closed_ = false;
};

}  // namespace lig::app
