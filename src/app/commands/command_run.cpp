// Simulates a model: from its reference configuration, a keyframe or a given state, for so long, into files.

#include "app/commands.h"
#include "app/dynamics/sensor_output.h"
#include "app/files/trajectory_files.h"
#include "app/progress.h"
#include "app/run/failure_hints.h"
#include "app/run/run_narration.h"
#include "app/run/simulation_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

namespace {

// Where the trajectory goes to standard output, the summary does not.
bool writes_to_stdout(const RunOptions& options) {
    return std::find(options.out.begin(), options.out.end(), "-") != options.out.end();
}

void print_results(SimulationRun& run, const RunOptions& options, const DynamicsJob& job,
                   const std::vector<std::string>& files) {
    const JointState<double>& state = run.simulation().state();
    if (!options.job.json) {
        print_summary(run.summary(), run.settings(), job.model(), job.names, state, files,
                      writes_to_stdout(options) ? stderr : stdout);
        return;
    }
    Json document = summary_json(run.summary(), run.settings(), job.names, state, run.bodies());
    if (const auto loops = run.loop_coordinates(); !loops.empty()) {
        document["final"]["loop_qpos"] = to_json(loops);
        document["final"]["loop_qvel"] = to_json(run.loop_velocities());
    }
    if (options.contents.sensors) add_sensor_results(job.model(), run.read_sensors(), document["final"]);
    if (options.contents.wrenches) {
        Workspace<double> ws(job.loaded.model);
        forward_kinematics(state, ws);
        add_wrenches(ws, job.names, run.find_wrenches(), document["final"]);
    }
    print_json(document);
}

}  // namespace

Exit run_run(Arguments& arguments) {
    RunOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;
    if (options.job.json && writes_to_stdout(options))
        throw Failure(Exit::usage,
                      "ligament run: --json and --out - both write to standard output; give the trajectory a "
                      "file: --out NAME.csv");

    options.contents.tracking = options.tracking.track.has_value();
    options.contents.replay = holds_replay(options.out);
    const ModelOptions& model_options = options.job.model;
    const DynamicsJob job = prepare_to_run(options.job);
    const RunSettings settings = interpret(options, job.model());
    options.contents.momentum_ledger = settings.simulation.momentum_ledger;
    const RunInputs inputs = read_inputs(options, settings, job);
    if (model_options.verbose) fmt::print(stderr, "{}", choices_text(options, settings));
    SimulationRun run("run", job.loaded.model, job.names, settings, inputs, options.contents);
    TrajectoryFiles files("run", options.out, model_options.path,
                          {job.loaded.scene, job.model(), job.names, settings, inputs, run.layout(),
                           arguments.command_line()});
    std::optional<Failure> trouble;
    {
        const Interruption interruption;
        Progress progress(model_options.quiet);
        SimulationRun::Watcher watcher{[&](const TrajectorySample& sample) {
                                           files.add(sample);
                                           if (files.pipe_closed()) Interruption::ask_for();
                                       },
                                       [&](double simulated, double all) { progress.at(simulated, all); },
                                       interruption};
        if (model_options.verbose)
            watcher.trouble = [&](const StepReport& report) { progress.say(trouble_text("run", report)); };
        trouble = run.simulate(watcher);
    }
    files.finish({run.summary(), trouble ? trouble->what() : ""});
    if (files.pipe_closed()) return Exit::pipe_closed;
    print_results(run, options, job, files.paths());
    if (model_options.verbose) fmt::print(stderr, "{}", stages_text(run.summary()));
    if (!trouble) return Exit::ok;
    if (trouble->code() == Exit::interrupted) throw *trouble;
    throw Failure(trouble->code(),
                  trouble->what() + what_to_try({options, settings, job, inputs, run, files.paths()}));
}

}  // namespace lig::app
