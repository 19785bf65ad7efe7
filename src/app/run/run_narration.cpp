#include "app/run/run_narration.h"

#include "formulations/formulation_list.h"
#include "formulations/impulse_solvers.h"

#include <fmt/format.h>

#include <numeric>

namespace lig::app {

namespace {

// "(asked for)", or why else.
std::string_view reason(bool given, std::string_view otherwise) { return given ? "asked for" : otherwise; }

std::string_view solver_of(std::string_view formulation) {
    for (const formulations::ImpulseSolverInfo& solver : formulations::impulse_solver_list)
        if (solver.of_impulse == (formulation == "impulse")) return solver.name;
    return formulations::automatic_solver;
}

// What moves the model on where nothing is touched, and what does elsewhere.
std::string_view smooth_method_of(const RunSettings& settings) {
    const SimulationOptions& simulation = settings.simulation;
    if (simulation.stepping == Stepping::velocity) return "velocity steps throughout";
    switch (simulation.integrator) {
        case SmoothIntegrator::automatic: break;
        case SmoothIntegrator::euler: return "semi-implicit Euler steps where nothing is touched";
        case SmoothIntegrator::rk4: return "Runge-Kutta steps of fourth order where nothing is touched";
        case SmoothIntegrator::rk45: return "Dormand-Prince steps by their error where nothing is touched";
        case SmoothIntegrator::rattle: return "RATTLE where nothing is touched";
        case SmoothIntegrator::backward_euler: return "backward Euler steps";
        case SmoothIntegrator::bdf2: return "BDF2 steps";
    }
    if (simulation.formulation == "reduced")
        return "Dormand-Prince steps by their error where nothing is touched";
    if (simulation.formulation == "multiplier") return "RATTLE where nothing is touched";
    if (simulation.formulation == "implicit") return "implicit steps";
    return "impulses in sub-steps";
}

}  // namespace

std::string choices_text(const RunOptions& options, const RunSettings& settings) {
    const SimulationOptions& simulation = settings.simulation;
    const DynamicsOptions& job = options.job;
    std::string text;
    const auto line = [&](std::string_view what, const std::string& chosen, std::string_view why) {
        text += fmt::format("ligament {}: {}: {} ({})\n", options.command, what, chosen, why);
    };
    const formulations::FormulationInfo* const info = formulations::find_formulation(simulation.formulation);
    line("formulation", fmt::format("{}, {}", simulation.formulation, info ? info->summary : ""),
         reason(simulation.formulation != DynamicsOptions().formulation, "the default"));
    line("integrator", fmt::format("{}, {}", settings.integrator, smooth_method_of(settings)),
         reason(options.integrator != RunOptions().integrator, "the formulation's own"));
    line("stepping", std::string(settings.stepping), reason(settings.stepping_asked_for, "the integrator's"));
    line("solver",
         simulation.solver == formulations::automatic_solver ? std::string(solver_of(simulation.formulation))
                                                             : simulation.solver,
         reason(options.solver.has_value(),
                simulation.solver == formulations::automatic_solver ? "the formulation's own"
                                                                    : "that of the law of friction"));
    line("step", fmt::format("{}{:g} s", settings.fixed ? "" : "at most ", settings.dt),
         reason(options.dt.has_value(), "the model's"));
    line("duration", fmt::format("{:g} s, a sample every {:g} s", settings.duration, settings.every),
         reason(options.duration.has_value(), "the default"));
    line("start",
         !job.state_path.empty() ? "the state of " + job.state_path
         : !job.key.empty()      ? "keyframe " + job.key
                                 : "the reference configuration",
         reason(!job.state_path.empty() || !job.key.empty(), "the default"));
    line("threads", std::to_string(simulation.threads), reason(options.threads.has_value(), "the default"));
    return text;
}

std::string trouble_text(std::string_view command, const StepReport& report) {
    return fmt::format("ligament {}: at {:g} s: {}{}{}{}", command, report.time, name_of(report.status),
                       report.where.empty() ? "" : ": ", report.where,
                       was_taken(report) ? "; the step was taken" : "; the step was not taken");
}

std::string stages_text(const RunSummary& summary) {
    const double all = std::accumulate(summary.stage_seconds.begin(), summary.stage_seconds.end(), 0.0);
    std::string text = "ligament run: stages:";
    for (int k = 0; k < step_stages; ++k)
        text += fmt::format("{} {} {:.3g} s ({:.0f} %)", k == 0 ? "" : ",", stage_names[k],
                            summary.stage_seconds[k], all > 0 ? 100 * summary.stage_seconds[k] / all : 0.0);
    return text + '\n';
}

}  // namespace lig::app
