#include "app/run/run_options.h"

#include "app/dynamics/set_option.h"
#include "app/files/trajectory_files.h"
#include "app/number_option.h"
#include "app/run/run_choices.h"
#include "core/unit_quaternion.h"
#include "formulations/impulse_solvers.h"
#include "joints/joint_list.h"
#include "linalg/lcp_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

namespace lig::app {

namespace {

std::vector<std::string_view> solver_names() {
    std::vector<std::string_view> names{formulations::automatic_solver};
    for (const formulations::ImpulseSolverInfo& solver : formulations::impulse_solver_list)
        names.push_back(solver.name);
    for (const LcpSolverInfo& solver : lcp_solver_list) names.push_back(solver.name);
    return names;
}

// A law of friction and a solver that takes it: what is not said follows from the other.
void choose_friction(const RunOptions& options, SimulationOptions& simulation) {
    if (options.friction)
        simulation.friction = choose(frictions, options.command, "--friction", *options.friction).value;
    else if (simulation.solver == "lemke")
        simulation.friction = FrictionLaw::six_rows;
    const bool by_lemke =
        simulation.friction == FrictionLaw::six_rows || simulation.friction == FrictionLaw::tangent;
    if (!options.solver && by_lemke) simulation.solver = "lemke";
    if ((simulation.solver == "lemke") != by_lemke)
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --solver {} and --friction {} exclude each other; "
                                  "six_rows and tangent are laws of lemke, and its only ones",
                                  options.command,
                                  simulation.solver, *options.friction));
    simulation.seed = whole_option(options.command, "--seed", options.seed, 0u, simulation.seed);
}

// Stepping and what goes with it: the integrator, and the options of events.
void choose_stepping(const RunOptions& options, const Integrator& integrator, RunSettings& settings) {
    SimulationOptions& simulation = settings.simulation;
    simulation.stepping = integrator.stepping;
    simulation.integrator = integrator.method;
    settings.integrator = integrator.name;
    settings.stepping_asked_for = options.stepping.has_value();
    settings.tracks = options.tracking.track.has_value();
    settings.fixed = integrator.fixed;
    if (options.stepping) {
        const Stepping wanted = choose(steppings, options.command, "--stepping", *options.stepping).value;
        // Event steps go by their error, between events as well as far from them.
        if ((integrator.stepping == Stepping::velocity && wanted != Stepping::velocity) ||
            (integrator.fixed && wanted == Stepping::event))
            throw Failure(Exit::usage, fmt::format("ligament {}: --integrator {} and --stepping {} exclude "
                                                   "each other",
                                                   options.command,
                                                   integrator.name, *options.stepping));
        simulation.stepping = wanted;
        settings.fixed = settings.fixed || wanted == Stepping::velocity;
    }
    settings.stepping = word_of(simulation.stepping);
    if (options.impact && simulation.stepping == Stepping::smooth)
        throw Failure(
            Exit::usage,
            fmt::format("ligament {}: --impact and --stepping smooth exclude each other: nothing is "
                        "hit",
                        options.command));
    if (options.max_events && simulation.stepping != Stepping::event)
        throw Failure(Exit::usage,
                      fmt::format("ligament {}: --max-events goes with --stepping event, not with {}",
                                  options.command, settings.stepping));
    if (options.impact)
        simulation.impact = choose(impacts, options.command, "--impact", *options.impact).value;
    simulation.most_events =
        count_option(options.command, "--max-events", options.max_events, simulation.most_events);
}

// What a formulation may have or not; it is asked once all of it is known.
void choose_formulation(const RunOptions& options, RunSettings& settings) {
    SimulationOptions& simulation = settings.simulation;
    simulation.formulation = options.job.formulation;
    const auto choose_named = [&](const auto& list, std::string_view option,
                                  const std::optional<std::string>& word, auto& value) {
        if (word) value = choose(list, options.command, option, *word).value;
        return word_of(value);
    };
    settings.coordinates =
        choose_named(coordinate_kinds, "--coordinates", options.coordinates, simulation.coordinates);
    settings.loops = choose_named(loop_methods, "--loops", options.loops, simulation.loops);
    settings.law = choose_named(laws, "--law", options.law, simulation.law);
    simulation.baumgarte = number_option(options.command, "--baumgarte", "a rate, 1/s", options.baumgarte,
                                         simulation.baumgarte, 0);
    settings.touching = choose_named(touchings, "--touching", options.touching, simulation.touching);
    simulation.newton = whole_option(options.command, "--newton", options.newton, 0, simulation.newton);
    simulation.geometric_stiffness = !options.no_geometric_stiffness;
    simulation.penalty_frequency =
        number_option(options.command, "--penalty-frequency", "a frequency in hertz",
                      options.penalty_frequency, simulation.penalty_frequency, 0, true);
    simulation.penalty_dissipation =
        number_option(options.command, "--penalty-dissipation", "a number of s/m",
                      options.penalty_dissipation, simulation.penalty_dissipation, 0);
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
    declare_steps(arguments);
    declare_formulation(arguments);
    declare_contacts(arguments);
    arguments.section(Section::output);
    arguments.option(every, "--every", "SECONDS", "time between samples (default: the step)");
    arguments.flag(contents.wrenches, "--wrenches", "write the forces of joints, loops and bushings, too");
    arguments.flag(contents.contacts, "--contacts", "write the contact forces, too");
    arguments.flag(contents.figures, "--figures", "write errors and counts to .csv, too");
    tracking.declare(arguments);
    impulse.declare(arguments);
}

void RunOptions::declare_steps(Arguments& arguments) {
    arguments.section(Section::steps);
    arguments.option(duration, "--duration", "SECONDS", "how long (default: 10)");
    arguments
        .option(stepping, "--stepping", "NAME", "{} (default: what the integrator asks for)")
        .choice(names_of(steppings));
    arguments.option(tolerance, "--tolerance", "NUMBER",
                     "of a step of rk45, relative (default: 1e-9; of auto 1e-7)");
    arguments.option(energy_guard, "--energy-guard", "SHARE",
                     "of the energy in motion that the method may make before steps are taken again, or off "
                     "(default: 0.01)");
    arguments.option(max_events, "--max-events", "COUNT",
                     "of one step of --stepping event; velocity steps make the rest (default: 400)");
    arguments.option(threads, "--threads", "COUNT",
                     "to compute with, 0 for one per core (default: 1); results do not depend on it");
    arguments.option(seed, "--seed", "NUMBER", "of directions that --friction tangent draws (default: 0)");
}

void RunOptions::declare_formulation(Arguments& arguments) {
    arguments.section(Section::formulation);
    arguments
        .option(coordinates, "--coordinates", "NAME",
                "of smooth motion: {} (default: automatic, the formulation's)")
        .choice(names_of(coordinate_kinds));
    arguments
        .option(law, "--law", "NAME", "dynamic: forces accelerate; kinematic: they move (default: dynamic)")
        .choice(names_of(laws));
    arguments.option(baumgarte, "--baumgarte", "RATE",
                     "1/s by which errors of joints decay (default: 0, they are projected away)");
    arguments.section(Section::implicit);
    arguments.option(
        newton, "--newton", "COUNT",
        "iterations of an implicit step, no more and no fewer (default: 0, until they converge)");
    arguments.flag(no_geometric_stiffness, "--no-geometric-stiffness",
                   "of implicit steps: leave out how forces of joints turn with their bodies");
    arguments.option(penalty_frequency, "--penalty-frequency", "HERTZ",
                     "how stiff penalties are: of what rests on one of them (default: 100)");
    arguments.option(penalty_dissipation, "--penalty-dissipation", "NUMBER",
                     "s/m: how much less they push what moves away than what comes (default: 1)");
}

void RunOptions::declare_contacts(Arguments& arguments) {
    arguments.section(Section::contacts);
    arguments.option(loops, "--loops", "METHOD", "how they hold beside joints: {} (default: direct)")
        .choice(names_of(loop_methods));
    arguments
        .option(touching, "--touching", "WAY",
                "how limits and contacts act: {} (default: automatic, hard unless there are bushings)")
        .choice(names_of(touchings));
    arguments.option(impact, "--impact", "LAW", "of several impacts at once: {} (default: automatic)")
        .choice(names_of(impacts));
    arguments
        .option(friction, "--friction", "LAW",
                "of sliding: cone, by the solver lemke six_rows or tangent, by impulse per_axis")
        .choice(names_of(frictions));
    arguments.option(solver, "--solver", "NAME", "of impulses: {} (default: automatic, the formulation's)")
        .choice(solver_names());
    arguments.option(iterations, "--iterations", "COUNT", "of the solver, at most (default: its own limit)");
}

RunSettings interpret(const RunOptions& options, const Model& model) {
    const Integrator& integrator = choose(integrators, options.command, "--integrator", options.integrator);
    RunSettings settings{};
    SimulationOptions& simulation = settings.simulation;
    choose_formulation(options, settings);
    choose_stepping(options, integrator, settings);
    simulation.tolerance =
        number_option(options.command, "--tolerance", "a positive number", options.tolerance,
                      integrator.tolerance > 0 ? integrator.tolerance : simulation.tolerance, 0, true);
    if (options.energy_guard == "off")
        simulation.energy_guard = 0;
    else
        simulation.energy_guard = number_option(options.command, "--energy-guard", "a positive number or off",
                                                options.energy_guard, simulation.energy_guard, 0, true);
    if (options.solver) {
        const std::vector<std::string_view> names = solver_names();
        if (std::ranges::find(names, *options.solver) == names.end())
            not_among(options.command, "--solver", *options.solver, names);
        simulation.solver = *options.solver;
    }
    choose_friction(options, simulation);
    simulation.impulse = options.impulse.interpret(options.command, simulation.formulation);
    simulation.iterations =
        count_option(options.command, "--iterations", options.iterations, simulation.iterations);
    simulation.threads = whole_option(options.command, "--threads", options.threads, 0, simulation.threads);
    if (simulation.threads == 0)
        simulation.threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
    // Whatever could tell of it.
    simulation.momentum_ledger = options.job.json || !options.out.empty() || options.command == "compare";
    simulation.timed = options.job.json || options.contents.replay || options.job.model.verbose;
    require_options(options.command, simulation);

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
