// Reads a recording: computes it again and compares to the last bit, writes it in other formats, or tells
// what is in it.

#include "app/commands.h"
#include "app/files/trajectory_files.h"
#include "app/number_option.h"
#include "app/progress.h"
#include "app/recording/recorded_run.h"
#include "app/recording/sample_difference.h"
#include "core/printable.h"

#include <fmt/format.h>

#include <stdexcept>

namespace lig::app {

namespace {

struct ReplayOptions {
    std::string path;
    std::vector<std::string> out;
    std::optional<std::string> threads;
    bool check = false, info = false, figures = false, json = false, quiet = false, strict = false;

    void declare(Arguments& arguments) {
        arguments.positional(path, "FILE", "a recording, .lrec; - reads standard input").file({".lrec"});
        arguments.option(out, "--out", "FILE",
                         "write it in another format instead of computing it again; the ending decides: " +
                             join(trajectory_endings()) + " (repeatable)")
            .file(trajectory_endings());
        arguments.flag(check, "--check", "with --out or --info: compute it again, too");
        arguments.flag(info, "--info", "tell what is in it instead of computing it again");
        arguments.flag(figures, "--figures", "write errors and counts to .csv, too");
        arguments.option(threads, "--threads", "COUNT", "to compute with; results do not depend on it");
        arguments.flag(json, "--json", "print one JSON document");
        arguments.flag(strict, "--strict", "take a recording that ends early for an error");
        arguments.flag(quiet, "--quiet", "do not warn of that, and draw no progress bar");
    }
};

// What has been found out about a recording when it has been read.
struct Replay {
    std::optional<SampleDifference> difference;
    std::string otherwise;  // how the run differs but in a sample; empty: it does not
    std::size_t samples = 0;
    double first_time = 0, last_time = 0;

    bool differs() const { return difference || !otherwise.empty(); }
};

class Replayer {
public:
    Replayer(const ReplayOptions& options, RecordedRun& recorded)
        : options_(options),
          recorded_(recorded),
          layout_(*recorded.loaded().model, recorded.names(), contents_of(options, recorded)),
          files_(
              "replay", options.out, options.path,
              {recorded.loaded().scene, *recorded.loaded().model, recorded.names(),
               recorded.recorded().settings, recorded.inputs(), layout_, recorded.recorded().command_line}) {}

    Replay run() {
        if (options_.check || (options_.out.empty() && !options_.info)) simulate();
        while (recorded_.sample()) take();
        result_.samples = recorded_.dropped();
        files_.finish(end());
        return std::move(result_);
    }

    const std::vector<std::string>& written() const { return files_.paths(); }

private:
    static TrajectoryContents contents_of(const ReplayOptions& options, const RecordedRun& recorded) {
        TrajectoryContents contents = recorded.recorded().contents;
        contents.figures = contents.figures || options.figures;
        return contents;
    }

    void take() {
        const TrajectorySample& sample = *recorded_.sample();
        files_.add(sample);
        result_.last_time = sample.row[0];
        if (recorded_.dropped() == 0) result_.first_time = result_.last_time;
        recorded_.drop();
    }

    RunEnd end() {
        if (recorded_.end()) return {recorded_.end()->summary, recorded_.end()->message};
        cut_off_.emplace(*recorded_.loaded().model);
        cut_off_->status = truncated;
        cut_off_->simulated_time = result_.last_time - result_.first_time;
        return {*cut_off_, "the recording is truncated"};
    }

    void simulate() {
        RunSettings settings = recorded_.recorded().settings;
        settings.simulation.threads =
            count_option("replay", "--threads", options_.threads, settings.simulation.threads);
        settings.simulation.timed = false;
        std::optional<SimulationRun> run;
        try {
            run.emplace("replay", recorded_.loaded().model, recorded_.names(), settings, recorded_.inputs(),
                        recorded_.recorded().contents);
        } catch (const std::invalid_argument& error) {
            throw Failure(Exit::input, fmt::format("{}: error: the recording cannot be used: {}",
                                                   recorded_.file(), error.what()));
        }
        const Interruption interruption;
        Progress progress(options_.quiet);
        const std::optional<Failure> trouble =
            run->simulate({[&](const TrajectorySample& computed) { compare(computed); },
                           [&](double simulated, double all) { progress.at(simulated, all); }, interruption,
                           [&] { return is_enough(run->simulation().state().time); }});
        if (trouble && trouble->code() == Exit::interrupted) throw *trouble;
        if (result_.differs()) return;
        if (recorded_.sample())
            result_.otherwise =
                fmt::format("the simulation ends after {} samples ({}), the recording does not",
                            recorded_.dropped(), run->summary().status);
        else if (!is_cut_off() && recorded_.end()->summary.status != run->summary().status)
            result_.otherwise = fmt::format("its end was '{}', is now '{}'", recorded_.end()->summary.status,
                                            run->summary().status);
    }

    void compare(const TrajectorySample& computed) {
        if (result_.differs()) return;
        const TrajectorySample* const sample = recorded_.sample();
        if (!sample) {
            if (recorded_.end())
                result_.otherwise = fmt::format("the recording ends after {} samples, the simulation goes on",
                                                recorded_.dropped());
            return;
        }
        result_.difference = first_difference(layout_, recorded_.dropped(), *sample, computed);
        if (!result_.difference) take();
    }

    // Its run was interrupted or the file was cut off, or that of which this one is a copy.
    bool is_cut_off() const {
        if (!recorded_.end()) return true;
        const std::string& status = recorded_.end()->summary.status;
        return status == "interrupted" || status == truncated;
    }

    // A run that ended at any step is followed up to there.
    bool is_enough(double time) {
        if (result_.differs()) return true;
        const TrajectorySample* const sample = recorded_.sample();
        return recorded_.is_over() && is_cut_off() && (!sample || time >= sample->row[0]);
    }

    static constexpr std::string_view truncated = "truncated";

    const ReplayOptions& options_;
    RecordedRun& recorded_;
    TrajectoryLayout layout_;
    TrajectoryFiles files_;
    std::optional<RunSummary> cut_off_;
    Replay result_;
};

std::string contents_text(const TrajectoryContents& contents) {
    std::string text = "states, energies, poses, errors and counts";
    if (contents.wrenches) text += ", forces of joints";
    if (contents.contacts) text += ", contact forces";
    if (contents.sensors) text += ", sensors";
    if (contents.tracking) text += ", errors of tracking";
    if (contents.replay) text += ", contacts and times of stages for pages";
    return text;
}

std::string end_text(const RecordedRun& recorded) {
    if (!recorded.end()) return "truncated";
    const RecordedEnd& end = *recorded.end();
    return end.message.empty() ? end.summary.status : fmt::format("{}: {}", end.summary.status, end.message);
}

void print_info(const RecordedRun& recorded, const Replay& replay) {
    const RecordedSettings& about = recorded.recorded();
    const auto line = [](std::string_view head, const std::string& text) {
        fmt::print("{:<14}{}\n", head, text);
    };
    line("model", printable(recorded.loaded().model->name));
    line("command", printable(about.command_line));
    line("written by", printable(about.program));
    line("formulation",
         fmt::format("{}, {}", about.settings.simulation.formulation, about.settings.integrator));
    line("step", fmt::format("{:g} s", about.settings.dt));
    line("samples", fmt::format("{}, one each {:g} s, from {:g} s to {:g} s", replay.samples,
                                about.settings.every, replay.first_time, replay.last_time));
    line("holds", contents_text(about.contents));
    line("end", printable(end_text(recorded)));
    line("size", fmt::format("{} bytes", recorded.bytes_read()));
}

void print_document(const RecordedRun& recorded, const Replay& replay, bool checked,
                    const std::vector<std::string>& written) {
    const RecordedSettings& about = recorded.recorded();
    Json document{{"status", !checked           ? "read"
                             : replay.differs() ? "differs"
                                                : "reproduced"},
                  {"samples", replay.samples},
                  {"duration", replay.last_time - replay.first_time},
                  {"truncated", !recorded.end()},
                  {"first_difference", replay.difference ? replay.difference->json() : Json()},
                  {"end", recorded.end() ? Json(recorded.end()->summary.status) : Json()},
                  {"message", recorded.end() ? Json(recorded.end()->message) : Json()},
                  {"model", recorded.loaded().model->name},
                  {"bytes", recorded.bytes_read()},
                  {"written", written},
                  {"settings", about.json()}};
    print_json(document);
}

}  // namespace

Exit run_replay(Arguments& arguments) {
    ReplayOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    RecordedRun recorded(options.path);
    Replayer replayer(options, recorded);
    const Replay replay = replayer.run();
    const bool checked = options.check || (options.out.empty() && !options.info);
    if (options.json)
        print_document(recorded, replay, checked, replayer.written());
    else if (options.info)
        print_info(recorded, replay);
    if (replay.differs()) {
        const std::string& by = recorded.recorded().program;
        throw Failure(Exit::simulation,
                      fmt::format("{}: differs: {}{}", recorded.file(),
                                  replay.difference ? replay.difference->text() : replay.otherwise,
                                  by == program_version()
                                      ? ""
                                      : fmt::format(" (recorded by {}, this is {})", by, program_version())));
    }
    const double duration = replay.last_time - replay.first_time;
    if (!options.json) {
        if (checked)
            fmt::print("reproduced: {} sample{}, {:.6g} s, bit for bit\n", replay.samples,
                       replay.samples == 1 ? "" : "s", duration);
        for (const std::string& path : replayer.written()) fmt::print("{:<14}{}\n", "written", path);
    }
    if (!recorded.end()) {
        const std::string text = fmt::format("the recording is truncated: it ends after {:.6g} of {:.6g} s",
                                             duration, recorded.recorded().settings.duration);
        if (options.strict) throw Failure(Exit::input, fmt::format("{}: error: {}", recorded.file(), text));
        if (!options.quiet) fmt::print(stderr, "{}: warning: {}\n", recorded.file(), text);
    }
    return Exit::ok;
}

}  // namespace lig::app
