#include "app/run/simulation_run.h"

#include "app/dynamics/set_option.h"
#include "app/run/path_file.h"
#include "formulations/formulation_list.h"
#include "joints/joint_list.h"
#include "simulation/follow_leap.h"

#include <ligament/sensors.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lig::app {

namespace {

Simulation make_simulation(std::string_view command, std::shared_ptr<const Model> model,
                           const SimulationOptions& options) {
    try {
        return Simulation(std::move(model), options);
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::unsupported, fmt::format("ligament {}: {}", command, error.what()));
    }
}

// Calls f and turns what does not fit into a Failure that names where it came from.
template <class F>
void fitting(const std::string& source, F&& f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::input, fmt::format("{}: error: {}", source, error.what()));
    }
}

// Models made for soft constraints need not be closed in their reference configuration or their keyframes. As
// Simulation::reset(keyframe) does it. A state that is given by numbers is taken as it is, and Baumgarte's
// stabilization closes loops by itself, as it is asked to.
void close_start(const RunOptions& options, const RunSettings& settings, const DynamicsJob& job,
                 JointState<double>& state) {
    if (!options.job.state_path.empty() || settings.simulation.multiplier.baumgarte > 0 ||
        !formulations::find_formulation(settings.simulation.formulation)->can.holds_equalities)
        return;
    SmoothDynamics dynamics(job.loaded.model);
    JointState<double> given = state;
    const std::string open = follow_leap(job.loaded.model, dynamics, state, given);
    if (open.empty()) return;
    const std::string start =
        options.job.key.empty() ? "reference configuration" : fmt::format("keyframe '{}'", options.job.key);
    warn(options.job.model, options.job.model.path, Exit::input,
         fmt::format("{}: {}; the run starts from the nearest pose that is closed", start, open));
}

}  // namespace

RunInputs read_inputs(const RunOptions& options, const RunSettings& settings, const DynamicsJob& job) {
    if (job.states.size() != 1)
        throw Failure(Exit::usage, fmt::format("ligament {}: --state holds {} states; one is simulated",
                                               options.command, job.states.size()));
    RunInputs inputs{job.states[0], std::nullopt, std::nullopt, options.paths.value_or("")};
    close_start(options, settings, job, inputs.start.state);
    set_coordinates(options.command, options.set, job, inputs.start.state);
    inputs.clip = read_tracked_clip(options.command, options.tracking, options.job.model, job.model(),
                                    settings.simulation.stepping);
    if (options.paths) inputs.paths = read_paths(*options.paths, options.job.model, job.model());
    return inputs;
}

SimulationRun::SimulationRun(std::string_view command, std::shared_ptr<const Model> model, const Names& names,
                             const RunSettings& settings, const RunInputs& inputs,
                             const TrajectoryContents& contents)
    : command_(command),
      settings_(settings),
      simulation_(make_simulation(command, model, settings.simulation)),
      layout_(*model, names, contents),
      sampler_(model, layout_),
      wrenches_(*model),
      poses_(model->bodies.size()),
      summary_(*model),
      promises_(*model, settings.simulation) {
    simulation_.set_state(inputs.start.state);
    if (inputs.clip)
        fitting(inputs.clip->source, [&] {
            simulation_.track(MotionClip(*model, inputs.clip->samples, inputs.clip->ends),
                              inputs.clip->options);
        });
    if (inputs.paths)
        fitting(inputs.paths_source, [&] {
            paths_.emplace(*model, *inputs.paths);
            paths_->start(simulation_);
        });
    SmoothDynamics& outside = simulation_.inputs();
    outside.ctrl = inputs.start.ctrl;
    outside.qfrc_applied = inputs.start.qfrc_applied;
    for (const auto& [body, f] : inputs.start.xfrc_applied)
        outside.xfrc_applied[body] = {{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
}

std::optional<Failure> SimulationRun::simulate(const Watcher& watcher) {
    start_ = simulation_.state().time;
    energy_ = simulation_.energy();
    summary_.note_energy(energy_.kinetic + energy_.potential, true);
    sample(watcher);
    // Counting samples, so that rounding of the time adds none.
    const double intervals = std::ceil(settings_.duration / settings_.every - 1e-9);
    for (double k = 0; k < intervals && going(watcher); ++k) {
        advance(std::min(settings_.every, settings_.duration - k * settings_.every), watcher);
        // A step that failed has left the state where it was.
        if (simulation_.state().time > sampled_) sample(watcher);
    }
    summary_.simulated_time = simulation_.state().time - start_;
    if (watcher.interruption.happened() && !over_) {
        summary_.status = "interrupted";
        trouble_.emplace(Exit::interrupted, fmt::format("ligament {}: interrupted at {:g} s", command_,
                                                        simulation_.state().time));
    } else if (trouble_ && !over_) {
        trouble_.emplace(Exit::simulation,
                         fmt::format("{} ({})", trouble_->what(), summary_.troubled_steps()));
    }
    return trouble_;
}

const Wrenches& SimulationRun::find_wrenches() {
    simulation_.joint_reactions(wrenches_.joints);
    simulation_.loop_reactions(wrenches_.loops);
    simulation_.pair_reactions(wrenches_.constraints);
    simulation_.bushing_forces(wrenches_.bushings);
    return wrenches_;
}

void SimulationRun::advance(double length, const Watcher& watcher) {
    const RunSettings::Steps steps = settings_.divide(length);
    for (int k = 0; k < steps.count && going(watcher); ++k) step(steps.h, watcher);
    if (steps.rest > 0 && going(watcher)) step(steps.rest, watcher);
}

void SimulationRun::step(double h, const Watcher& watcher) {
    using Clock = std::chrono::steady_clock;
    if (paths_) paths_->lead(simulation_, h);
    const Clock::time_point begin = Clock::now();
    const StepReport report = simulation_.step(h);
    summary_.wall_time += std::chrono::duration<double>(Clock::now() - begin).count();
    if (report.status != StepStatus::ok) {
        note_trouble(report);
        if (watcher.trouble) watcher.trouble(report);
    }
    if (over_) return;
    stepped_ = true;
    summary_.note(report);
    promises_.note(report, h);
    summary_.promises = promises_.kept();
    figures_.note(report);
    energy_ = {report.energy.kinetic, report.energy.potential, report.energy.elastic};
    summary_.note_energy(report.energy.after(), false);
    summary_.tracking.note(simulation_);
    if (watcher.progress) watcher.progress(report.time - start_, settings_.duration);
}

// A step that was taken is a step, if not as good as wished; anything worse ends the run.
void SimulationRun::note_trouble(const StepReport& report) {
    over_ = !was_taken(report);
    // Of the harmless ones the first is told, unless something else ends the run.
    if (trouble_ && !over_) return;
    troubled_step_ = report;
    summary_.status = name_of(report.status);
    trouble_.emplace(Exit::simulation,
                     fmt::format("ligament {}: at {:g} s: {}{}{}", command_, report.time, summary_.status,
                                 report.where.empty() ? "" : ": ", report.where));
}

SampleReadings SimulationRun::find_readings() {
    const Model& model = layout_.model;
    loop_q_.clear();
    loop_v_.clear();
    for (const int k : loops_with_coordinates(model)) {
        const joints::JointInfo& joint = joints::joint_info(model.loops[k].type);
        std::array<double, joints::max_nq> q;
        std::array<double, joints::max_nv> v;
        simulation_.loop_coordinates(k, std::span(q).first(joint.nq), std::span(v).first(joint.nv));
        loop_q_.insert(loop_q_.end(), q.begin(), q.begin() + joint.nq);
        loop_v_.insert(loop_v_.end(), v.begin(), v.begin() + joint.nv);
    }
    if (layout_.find("sensors")) {
        const SensorWorkspace<double>& sensors = simulation_.read_sensors();
        readings_ = sensors.readings;
        for (std::size_t s = 0; s < model.sensors.size(); ++s)
            if (sensors.status[s] != SensorStatus::read)
                std::fill_n(readings_.begin() + model.sensors[s].adr, model.sensors[s].dim,
                            std::numeric_limits<double>::quiet_NaN());
    }
    return {loop_q_, loop_v_, readings_};
}

void SimulationRun::sample(const Watcher& watcher) {
    StepForces forces;
    forces.known = stepped_;
    if (stepped_ && layout_.contents.wrenches) {
        find_wrenches();
        forces.joint_reactions = wrenches_.joints;
        forces.loop_reactions = wrenches_.loops;
        forces.pair_reactions = wrenches_.constraints;
        forces.bushing_forces = wrenches_.bushings;
    }
    if (stepped_ && layout_.contents.lists_contacts()) {
        forces.contacts = &simulation_.contacts();
        forces.contact_time = simulation_.contact_time();
    }
    const SampleReadings readings = find_readings();
    if (layout_.contents.tracking) figures_.tracking_error = summary_.tracking.error_now(simulation_);
    figures_.flows = summary_.ledger.flows;
    figures_.method = summary_.ledger.method;
    figures_.impulses = summary_.momentum.flows;
    figures_.made = summary_.momentum.method;
    const JointState<double>& state = simulation_.state();
    simulation_.body_poses(poses_);
    const TrajectorySample& taken = sampler_.take(state, poses_, energy_, figures_, forces, readings);
    if (watcher.sample) watcher.sample(taken);
    figures_ = {};
    sampled_ = state.time;
}

}  // namespace lig::app
