// Simulates a model: from its reference configuration, a keyframe or a given state, for so long, into files.

#include "app/commands.h"
#include "app/path_file.h"
#include "app/progress.h"
#include "app/run_options.h"
#include "app/run_summary.h"
#include "app/set_option.h"
#include "app/trajectory_files.h"
#include "app/wrench_output.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <optional>
#include <stdexcept>

namespace lig::app {

namespace {

volatile std::sig_atomic_t interrupted = 0;

// Once: whoever insists ends the program at once.
void note_interruption(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

Simulation make_simulation(const RunSettings& settings, const DynamicsJob& job) {
    try {
        return Simulation(job.loaded.model, settings.simulation);
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::unsupported, fmt::format("ligament run: {}", error.what()));
    }
}

TrajectoryContents contents_of(const RunOptions& options) {
    TrajectoryContents contents = options.contents;
    contents.tracking = options.tracking.track.has_value();
    return contents;
}

class Run {
public:
    Run(const RunOptions& options, const DynamicsJob& job)
        : options_(options),
          job_(job),
          settings_(interpret(options, job.model())),
          simulation_(make_simulation(settings_, job)),
          layout_(job.model(), job.names, contents_of(options)),
          sampler_(job.loaded.model, layout_),
          wrenches_(job.model()),
          summary_(job.model()) {
        const StateInput& input = job.states[0];
        JointState<double> state = input.state;
        set_coordinates("run", options.set, job, state);
        simulation_.set_state(state);
        track_clip(options.tracking, options.job.model, simulation_);
        if (options.paths) paths_.emplace(*options.paths, options.job.model, simulation_);
        SmoothDynamics& inputs = simulation_.inputs();
        inputs.ctrl = input.ctrl;
        inputs.qfrc_applied = input.qfrc_applied;
        for (const auto& [body, f] : input.xfrc_applied)
            inputs.xfrc_applied[body] = {{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
        files_.emplace(options.out, options.job.model.path, layout_);
    }

    // Returns why it ended before its time or did not go well, if so. Files are finished in any case.
    std::optional<Failure> simulate() {
        start_ = simulation_.state().time;
        {
            Progress progress(options_.job.model.quiet);
            note_energy(true);
            sample();
            // Counting samples, so that rounding of the time adds none.
            const double intervals = std::ceil(settings_.duration / settings_.every - 1e-9);
            for (double k = 0; k < intervals && going(); ++k) {
                advance(std::min(settings_.every, settings_.duration - k * settings_.every), progress);
                // A step that failed has left the state where it was.
                if (simulation_.state().time > sampled_) sample();
            }
        }
        summary_.simulated_time = simulation_.state().time - start_;
        files_->finish();
        if (interrupted && !over_) {
            summary_.status = "interrupted";
            trouble_.emplace(Exit::interrupted, fmt::format("ligament run: interrupted at {:g} s",
                                                            simulation_.state().time));
        } else if (trouble_ && !over_) {
            trouble_.emplace(Exit::simulation,
                             fmt::format("{} ({})", trouble_->what(), summary_.troubled_steps()));
        }
        return trouble_;
    }

    void print() {
        const JointState<double>& state = simulation_.state();
        if (!options_.job.json) {
            print_summary(summary_, options_, job_, state, files_->paths());
            return;
        }
        Json document = summary_json(summary_, options_, settings_, job_.names, state, sampler_.bodies());
        if (layout_.contents.wrenches) {
            find_wrenches();
            Workspace<double> ws(job_.loaded.model);
            forward_kinematics(state, ws);
            add_wrenches(ws, job_.names, wrenches_, document["final"]);
        }
        print_json(document);
    }

private:
    // A step that was taken is a step, if not as good as wished; anything worse ends the run.
    bool going() const { return !interrupted && !over_; }

    void advance(double length, Progress& progress) {
        const RunSettings::Steps steps = settings_.divide(length);
        for (int k = 0; k < steps.count && going(); ++k) step(steps.h, progress);
        if (steps.rest > 0 && going()) step(steps.rest, progress);
    }

    void step(double h, Progress& progress) {
        using Clock = std::chrono::steady_clock;
        if (paths_) paths_->lead(simulation_, h);
        const Clock::time_point begin = Clock::now();
        const StepReport report = simulation_.step(h);
        summary_.wall_time += std::chrono::duration<double>(Clock::now() - begin).count();
        if (report.status != StepStatus::ok) note_trouble(report);
        if (over_) return;
        stepped_ = true;
        summary_.note(report);
        figures_.note(report);
        note_energy(false);
        summary_.tracking.note(simulation_);
        progress.at(report.time - start_, settings_.duration);
    }

    void note_trouble(const StepReport& report) {
        over_ = !was_taken(report);
        // Of the harmless ones the first is told, unless something else ends the run.
        if (trouble_ && !over_) return;
        summary_.status = name_of(report.status);
        trouble_.emplace(Exit::simulation,
                         fmt::format("ligament run: at {:g} s: {}{}{}", report.time, summary_.status,
                                     report.where.empty() ? "" : ": ", report.where));
    }

    void note_energy(bool first) {
        energy_ = simulation_.energy();
        summary_.note_energy(energy_.kinetic + energy_.potential, first);
    }

    void find_wrenches() {
        simulation_.joint_reactions(wrenches_.joints);
        simulation_.loop_reactions(wrenches_.loops);
        simulation_.pair_reactions(wrenches_.constraints);
        simulation_.bushing_forces(wrenches_.bushings);
    }

    void sample() {
        StepForces forces;
        forces.known = stepped_;
        if (stepped_ && layout_.contents.wrenches) {
            find_wrenches();
            forces.joint_reactions = wrenches_.joints;
            forces.loop_reactions = wrenches_.loops;
            forces.pair_reactions = wrenches_.constraints;
            forces.bushing_forces = wrenches_.bushings;
        }
        if (stepped_ && layout_.contents.contacts) {
            forces.contacts = &simulation_.contacts();
            forces.contact_time = simulation_.contact_time();
        }
        if (layout_.contents.tracking) figures_.tracking_error = summary_.tracking.error_now(simulation_);
        const JointState<double>& state = simulation_.state();
        files_->add(sampler_.take(state, energy_, figures_, forces));
        figures_ = {};
        sampled_ = state.time;
    }

    const RunOptions& options_;
    const DynamicsJob& job_;
    RunSettings settings_;
    Simulation simulation_;
    TrajectoryLayout layout_;
    TrajectorySampler sampler_;
    std::optional<TrajectoryFiles> files_;
    Wrenches wrenches_;
    std::optional<PathFile> paths_;

    RunSummary summary_;
    StepFigures figures_;  // since the last sample
    Energy<double> energy_{};
    std::optional<Failure> trouble_;
    double start_ = 0, sampled_ = 0;  // times: of the beginning and of the last sample
    bool stepped_ = false, over_ = false;
};

}  // namespace

Exit run_run(Arguments& arguments) {
    RunOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare_to_run(options.job);
    if (job.states.size() != 1)
        throw Failure(Exit::usage, fmt::format("ligament run: --state holds {} states; one is simulated",
                                               job.states.size()));
    Run run(options, job);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, note_interruption);
    const std::optional<Failure> trouble = run.simulate();
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    run.print();
    if (trouble) throw *trouble;
    return Exit::ok;
}

}  // namespace lig::app
