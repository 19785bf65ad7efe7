#include "app/dynamics/dynamics_job.h"

#include "app/dynamics/disable.h"
#include "app/dynamics/support.h"
#include "app/failure.h"
#include "app/table.h"
#include "formulations/formulation_list.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <stdexcept>

namespace lig::app {

std::vector<std::string_view> formulation_names() {
    return {formulations::formulation_names.begin(), formulations::formulation_names.end()};
}

void StateOptions::declare(Arguments& arguments) {
    model.declare(arguments);
    arguments.section(Section::start);
    arguments.option(state_path, "--state", "FILE", "the states as JSON; - reads standard input")
        .file({".json"});
    arguments.option(key, "--key", "NAME", "a keyframe of the model instead of --state").keyframe();
    arguments.section(Section::output);
}

void DynamicsOptions::declare(Arguments& arguments) {
    declare_without_formulation(arguments);
    arguments.section(Section::formulation);
    arguments
        .option(formulation, "--formulation", "NAME",
                "{}; see 'ligament list formulations' (default: reduced)")
        .choice(formulation_names());
}

void DynamicsOptions::declare_without_formulation(Arguments& arguments) {
    StateOptions::declare(arguments);
    arguments.section(Section::formulation);
    arguments.option(disable, "--disable", "WORDS", Disabled::help()).choices(Disabled::words());
    arguments.section(Section::output);
    arguments.flag(json, "--json", "print one JSON document");
}

namespace {

const formulations::FormulationInfo& formulation_called(const std::string& name) {
    if (const formulations::FormulationInfo* info = formulations::find_formulation(name)) return *info;
    const std::vector<std::string_view> names = formulation_names();
    const std::string suggestion = did_you_mean(name, names);
    throw Failure(Exit::unsupported,
                  fmt::format("ligament: --formulation is one of {}, not '{}'{}", join(names), name,
                              suggestion.empty() ? "; 'ligament list formulations' tells what they are"
                                                 : suggestion));
}

std::vector<StateInput> choose_states(const StateOptions& options, const DynamicsJob& job,
                                      bool needs_qacc) {
    const Model& model = job.model();
    if (!options.state_path.empty())
        return read_states(
            options.state_path, model, job.names,
            {needs_qacc, model.options.enabled.actuation, options.model.strict, options.model.quiet});
    if (options.key.empty()) return {input_at(model, JointState<double>(model))};
    const int key = model.find_keyframe(options.key);
    if (key >= 0) {
        StateInput input = input_at(model, keyframe_state(model, key));
        input.ctrl = model.keyframes[key].ctrl;
        return {std::move(input)};
    }
    std::vector<std::string_view> choices;
    for (const Model::Keyframe& k : model.keyframes) choices.push_back(k.name);
    const std::string suggestion = did_you_mean(options.key, choices);
    throw Failure(
        Exit::usage,
        fmt::format("ligament: the model has no keyframe '{}'{}", options.key,
                    !suggestion.empty() ? suggestion
                    : choices.empty()   ? "; it has none at all: leave out --key, or give a start by --state"
                                        : "; it has: " + join(choices)));
}

// With bodies that deform.
void warn_of_contacts(const DynamicsOptions& options, const DynamicsJob& job, Workspace<double>& ws) {
    const Switches& enabled = job.model().options.enabled;
    if (!enabled.constraint || !enabled.contact) return;
    CollisionWorkspace contacts(job.loaded.model);
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        clear_contacts(contacts);
        find_contacts_at(job, i, {}, ws, contacts);
        const std::vector<ContactEvent>& touching = contacts.contacts.events;
        if (touching.empty()) continue;
        warn(options.model, options.model.path, Exit::unsupported,
             fmt::format("state {}: geoms '{}' and '{}'{} touch, and contact forces are not computed with "
                         "bodies that deform; '--disable contact' says that this is known",
                         i, job.names.geoms[touching[0].geom_a], job.names.geoms[touching[0].geom_b],
                         touching.size() > 1 ? fmt::format(" and {} other pairs", touching.size() - 1) : ""));
        return;
    }
}

// What touches or rubs takes no part in accelerations where bodies deform.
void require_nothing_touches(const DynamicsOptions& options, const DynamicsJob& job) {
    require_supported_model(job.model(), job.names);
    Workspace<double> ws(job.loaded.model);
    DriveWorkspace<double> drives(job.model());
    for (std::size_t i = 0; i < job.states.size(); ++i)
        require_within_limits(job.names, job.states[i].state, i, ws, drives);
    warn_of_contacts(options, job, ws);
}

}  // namespace

void require_supported(std::string_view command, const Model& model, const SimulationOptions& options) {
    using formulations::Unsupported;
    const std::optional<Unsupported> lack =
        formulation_called(options.formulation).find_unsupported(model, options);
    if (!lack) return;
    if (lack->kind == Unsupported::Kind::model) refuse(lack->where, lack->text);
    if (lack->kind == Unsupported::Kind::contradiction)
        throw Failure(Exit::usage, fmt::format("ligament {}: {}", command, lack->text));
    throw Failure(Exit::unsupported,
                  fmt::format("ligament {}: {}; leave out that option, or choose another formulation "
                              "('ligament list formulations')",
                              command, lack->text));
}

void warn(const ModelOptions& options, const std::string& file, Exit code_if_strict, std::string_view text) {
    const std::string name = file == "-" ? "<stdin>" : file;
    if (options.strict) throw Failure(code_if_strict, fmt::format("{}: error: {}", name, text));
    if (!options.quiet) fmt::print(stderr, "{}: warning: {}\n", name, text);
}

DynamicsJob load_job(const StateOptions& options, bool needs_qacc,
                     const std::function<void(Scene&)>& change) {
    if (!options.state_path.empty() && !options.key.empty())
        throw Failure(Exit::usage, "ligament: --state and --key exclude each other");
    if (options.model.path == "-" && options.state_path == "-")
        throw Failure(Exit::usage, "ligament: MODEL and --state cannot both be read from standard input");
    LoadedModel loaded = load_model(options.model, change);
    Names names(*loaded.model);
    DynamicsJob job{std::move(loaded), std::move(names), {}};
    job.states = choose_states(options, job, needs_qacc);
    return job;
}

DynamicsJob prepare_to_run(const DynamicsOptions& options, bool needs_qacc) {
    const Disabled disabled = Disabled::parse(options.disable);
    formulation_called(options.formulation);  // before the model is read
    return load_job(options, needs_qacc, [&](Scene& scene) { disabled.apply(scene); });
}

DynamicsJob prepare(const DynamicsOptions& options, const SimulationOptions& method, bool needs_qacc) {
    DynamicsJob job = prepare_to_run(options, needs_qacc);
    // Forces of given accelerations are the same in all formulations.
    if (!needs_qacc) {
        require_supported("forward", job.model(), method);
        // Accelerations of bodies are found without, even where steps are not.
        if (formulation_called(options.formulation).can.on_bodies)
            if (const auto found = formulations::find_feature(job.model(), formulations::not_on_bodies))
                refuse(found->where,
                       fmt::format("the formulation '{}' does not compute accelerations with {}",
                                   options.formulation, found->text));
    }
    if (!job.model().deforming.empty()) require_nothing_touches(options, job);
    return job;
}

void find_contacts_at(const DynamicsJob& job, std::size_t state, const CollisionOptions& options,
                      Workspace<double>& ws, CollisionWorkspace& contacts) {
    forward_kinematics(job.states[state].state, ws);
    std::vector<Transformd> poses;
    for (int b = 0; b < static_cast<int>(job.model().bodies.size()); ++b) poses.push_back(body_pose(ws, b));
    try {
        CollisionOptions here = options;
        here.stretches = ws.stretches;
        find_contacts(poses, here, contacts);
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::simulation, fmt::format("ligament: state {}: {}", state, error.what()));
    }
}

void close_state(std::string_view command, const StateOptions& options, std::size_t index,
                 SmoothDynamics& dynamics, JointState<double>& state) {
    constexpr double told_opening = 1e-6;  // m: a reader wants to hear of more
    const double opening = dynamics.equality_errors(state).largest;
    const ClosingReport report = dynamics.close_equalities(state);
    if (!report.closed)
        throw Failure(Exit::simulation,
                      fmt::format("ligament {}: state {}: {}; 'ligament assemble' closes it", command,
                                  index, report.where));
    if (opening > told_opening)
        warn(options.model, options.state_path.empty() ? options.model.path : options.state_path, Exit::input,
             fmt::format("state {} is off its equalities by {}: it is put onto them", index,
                         number_text(opening)));
}

bool set_external_forces(const StateInput& input, Workspace<double>& ws) {
    clear_external(ws);
    for (const auto& [body, f] : input.xfrc_applied)
        add_body_wrench<double>(ws, body, {f[0], f[1], f[2]}, {f[3], f[4], f[5]});
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    return !input.xfrc_applied.empty() || has_medium(ws.model()) || has_bushings(ws.model());
}

void require_finite(const DynamicsJob& job, std::size_t state, std::span<const double> numbers,
                    std::string_view what) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (!std::isfinite(numbers[k]))
            throw Failure(Exit::simulation,
                          fmt::format("ligament: state {}: the {} of '{}' is not finite", state, what,
                                      velocity_names(job.model(), job.names)[k]));
}

}  // namespace lig::app
