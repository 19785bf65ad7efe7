#include "app/run/run_options.h"

#include "app/choices.h"
#include "app/dynamics/set_option.h"
#include "app/files/trajectory_files.h"
#include "app/number_option.h"
#include "app/run/run_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace lig::app {

namespace {

// A law of friction and a solver that takes it: what is not said follows from the other.
void choose_friction(const RunOptions& options, SimulationOptions& simulation) {
    if (!options.simulation.has("--friction") && simulation.solver == "lemke")
        simulation.friction = FrictionLaw::six_rows;
    const bool by_lemke =
        simulation.friction == FrictionLaw::six_rows || simulation.friction == FrictionLaw::tangent;
    if (!options.simulation.has("--solver") && by_lemke) simulation.solver = "lemke";
}

// An integrator of the command line is a stepping, an integrator and a tolerance.
void choose_stepping(const RunOptions& options, const Integrator& integrator, RunSettings& settings) {
    SimulationOptions& simulation = settings.simulation;
    simulation.stepping = integrator.stepping;
    simulation.integrator = integrator.method;
    if (integrator.tolerance > 0) simulation.tolerance = integrator.tolerance;
    settings.integrator = integrator.name;
    settings.stepping_asked_for = options.stepping.has_value();
    settings.tracks = options.tracking.track.has_value();
    settings.fixed = integrator.fixed;
    if (!options.stepping) return;
    const Stepping wanted = choose_value<Stepping>(options.command, "--stepping", *options.stepping);
    // Event steps go by their error, between events as well as far from them.
    if ((integrator.stepping == Stepping::velocity && wanted != Stepping::velocity) ||
        (integrator.fixed && wanted == Stepping::event))
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --integrator {} and --stepping {} exclude each other",
                                  options.command, integrator.name, *options.stepping));
    simulation.stepping = wanted;
    settings.fixed = settings.fixed || wanted == Stepping::velocity;
}

// Rounding of times does not make another step.
constexpr double slack = 1e-9;

}  // namespace

void RunOptions::declare(Arguments& arguments) {
    job.declare(arguments);
    arguments.section(Section::steps);
    arguments.option(dt, "--dt", "SECONDS", "the step, or the longest (default: the model's)");
    arguments.option(integrator, "--integrator", "NAME", "{} (default: auto)").choice(names_of(integrators));
    arguments.section(Section::output);
    arguments
        .option(out, "--out", "FILE",
                "write the trajectory; the ending decides: " + join(trajectory_endings()) +
                    "; - is .csv on standard output (repeatable)")
        .file(trajectory_endings());
    declare_shared(arguments);
}

void RunOptions::declare_shared(Arguments& arguments) {
    arguments.section(Section::start);
    declare_set_option(arguments, set);
    arguments
        .option(paths, "--paths", "FILE", "a .csv file that tells where kinematic bodies are at which time")
        .file({".csv"});
    arguments.section(Section::steps);
    arguments.option(duration, "--duration", "SECONDS", "how long (default: 10)");
    arguments
        .option(stepping, "--stepping", "NAME", "{} (default: what the integrator asks for)")
        .choice(words<Stepping>());
    simulation.declare(arguments);
    arguments.section(Section::steps);
    arguments.option(threads, "--threads", "COUNT",
                     "to compute with, 0 for one per core (default: 1); results do not depend on it");
    arguments.section(Section::output);
    arguments.option(every, "--every", "SECONDS", "time between samples (default: the step)");
    arguments.flag(contents.wrenches, "--wrenches", "write the forces of joints, loops and bushings, too");
    arguments.flag(contents.contacts, "--contacts", "write the contact forces, too");
    arguments.flag(contents.sensors, "--sensors", "write what sensors read, too");
    arguments.flag(contents.figures, "--figures", "write errors and counts to .csv, too");
    tracking.declare(arguments);
}

RunSettings interpret(const RunOptions& options, const Model& model) {
    const Integrator& integrator = choose(integrators, options.command, "--integrator", options.integrator);
    RunSettings settings{};
    SimulationOptions& simulation = settings.simulation;
    simulation.formulation = options.job.formulation;
    choose_stepping(options, integrator, settings);
    options.simulation.interpret(options.command, simulation);
    choose_friction(options, simulation);
    simulation.threads = whole_option(options.command, "--threads", options.threads, 0, simulation.threads);
    if (simulation.threads == 0)
        simulation.threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
    // Whatever could tell of it.
    simulation.momentum_ledger = options.job.json || !options.out.empty() || options.command == "compare";
    simulation.timed = options.job.json || options.contents.replay || options.job.model.verbose;
    require_supported(options.command, model, simulation);

    const auto time_option = [&](std::string_view name, const std::optional<std::string>& text,
                                 double otherwise, bool above) {
        return number_option(options.command, name, "a time in seconds", text, otherwise, 0, above);
    };
    settings.dt = time_option("--dt", options.dt, model.options.timestep, true);
    settings.duration = time_option("--duration", options.duration, 10, false);
    settings.every = time_option("--every", options.every, settings.dt, true);
    const double ratio = settings.every / settings.dt;
    if (settings.fixed && std::abs(ratio - std::round(ratio)) > slack * ratio)
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --every ({:g} s) is not a multiple of the step ({:g} s); try "
                                  "--every {:g}, or --dt {:g}",
                                  options.command, settings.every, settings.dt,
                                  std::max(std::round(ratio), 1.0) * settings.dt,
                                  settings.every / std::max(std::ceil(ratio), 1.0)));
    if (settings.every / settings.dt > 1e9 || settings.duration / settings.every > 1e15)
        throw Failure(Exit::usage, fmt::format("ligament {}: {:g} s in steps of {:g} s have no end",
                                               options.command, settings.duration, settings.dt));
    return settings;
}

RunSettings::Steps RunSettings::divide(double length) const {
    if (fixed) {
        const double full = std::floor(length / dt + slack);
        const double rest = length - full * dt;
        return {static_cast<int>(full), dt, rest > slack * dt ? rest : 0};
    }
    const double count = std::max(std::ceil(length / dt - slack), 1.0);
    const double h = length / count;
    return {static_cast<int>(count), std::abs(h - dt) <= slack * dt ? dt : h, 0};
}

}  // namespace lig::app
