#pragma once

// One simulation from its beginning to its end, sample by sample: what `run`, `compare` and `replay` have in
// common.

#include "app/dynamics/wrench_output.h"
#include "app/interruption.h"
#include "app/run/run_options.h"
#include "app/run/run_summary.h"
#include "app/run/trajectory.h"

#include <ligament/kinematic_paths.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lig::app {

// What a run depends on beside the model and its settings.
struct RunInputs {
    StateInput start;
    std::optional<TrackedClip> clip;
    std::optional<PathSamples> paths;
    std::string paths_source;  // for messages
};

// The start with --set, the clip and the paths that the options name. Throws Failure, also where there is not
// just one state.
RunInputs read_inputs(const RunOptions& options, const RunSettings& settings, const DynamicsJob& job);

class SimulationRun {
public:
    // Throws Failure where the formulation cannot have the model or the options, or inputs do not fit. Model
    // and names must outlive it. `command` opens messages.
    SimulationRun(std::string_view command, std::shared_ptr<const Model> model, const Names& names,
                  const RunSettings& settings, const RunInputs& inputs, const TrajectoryContents& contents);

    const TrajectoryLayout& layout() const { return layout_; }
    const RunSettings& settings() const { return settings_; }
    const RunSummary& summary() const { return summary_; }
    Simulation& simulation() { return simulation_; }
    const BodyState<double>& bodies() const { return sampler_.bodies(); }  // of the last sample

    struct Watcher {
        std::function<void(const TrajectorySample&)> sample;
        std::function<void(double simulated, double all)> progress;
        const Interruption& interruption;
        std::function<bool()> enough{};  // asked before every step
        // Every step that was not as it should be, as it happens.
        std::function<void(const StepReport&)> trouble = {};
    };
    // Returns why it ended before its time or did not go well, if so.
    std::optional<Failure> simulate(const Watcher& watcher);

    // Of the step that ended it, or the first that was not as it should be; null where all went well.
    const StepReport* troubled_step() const { return troubled_step_ ? &*troubled_step_ : nullptr; }

    // Of the last sub-step.
    const Wrenches& find_wrenches();
    // Of the present state and the last sub-step.
    const SensorWorkspace<double>& read_sensors() { return simulation_.read_sensors(); }
    // Of the last sample.
    std::span<const double> loop_coordinates() const { return loop_q_; }
    std::span<const double> loop_velocities() const { return loop_v_; }

private:
    bool going(const Watcher& watcher) const {
        return !over_ && !watcher.interruption.happened() && !(watcher.enough && watcher.enough());
    }
    void advance(double length, const Watcher& watcher);
    void step(double h, const Watcher& watcher);
    void note_trouble(const StepReport& report);
    void sample(const Watcher& watcher);
    SampleReadings find_readings();

    const std::string command_;
    RunSettings settings_;
    Simulation simulation_;
    TrajectoryLayout layout_;
    TrajectorySampler sampler_;
    Wrenches wrenches_;
    std::vector<Transformd> poses_;  // (bodies)
    std::vector<double> loop_q_, loop_v_;  // of loops_with_coordinates
    std::vector<double> readings_;         // of all sensors
    std::optional<KinematicPaths> paths_;

    RunSummary summary_;
    formulations::PromiseWatch promises_;
    StepFigures figures_;  // since the last sample
    Energy<double> energy_{};
    std::optional<Failure> trouble_;
    std::optional<StepReport> troubled_step_;
    double start_ = 0, sampled_ = 0;  // times: of the beginning and of the last sample
    bool stepped_ = false, over_ = false;
};

}  // namespace lig::app
