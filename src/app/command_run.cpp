// Simulates a model: from its reference configuration, a keyframe or a given state, for so long, into files.

#include "app/commands.h"
#include "app/progress.h"
#include "app/simulation_run.h"
#include "app/trajectory_files.h"

namespace lig::app {

namespace {

void print_results(SimulationRun& run, const RunOptions& options, const DynamicsJob& job,
                   const std::vector<std::string>& files) {
    const JointState<double>& state = run.simulation().state();
    if (!options.job.json) {
        print_summary(run.summary(), run.settings(), job.model(), job.names, state, files);
        return;
    }
    Json document = summary_json(run.summary(), run.settings(), job.names, state, run.bodies());
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

    options.contents.tracking = options.tracking.track.has_value();
    options.contents.replay = holds_replay(options.out);
    const DynamicsJob job = prepare_to_run(options.job);
    const RunSettings settings = interpret(options, job.model());
    const RunInputs inputs = read_inputs(options, settings, job);
    SimulationRun run("run", job.loaded.model, job.names, settings, inputs, options.contents);
    TrajectoryFiles files("run", options.out, options.job.model.path,
                          {job.loaded.scene, job.model(), job.names, settings, inputs, run.layout(),
                           arguments.command_line()});
    std::optional<Failure> trouble;
    {
        const Interruption interruption;
        Progress progress(options.job.model.quiet);
        trouble = run.simulate(
            {[&](const TrajectorySample& sample) { files.add(sample); },
             [&](double simulated, double all) { progress.at(simulated, all); }, interruption});
    }
    files.finish({run.summary(), trouble ? trouble->what() : ""});
    print_results(run, options, job, files.paths());
    if (trouble) throw *trouble;
    return Exit::ok;
}

}  // namespace lig::app
