#include "app/run/run_narration.h"

#include "formulations/formulation_list.h"
#include "formulations/impulse_solvers.h"

#include <fmt/format.h>

#include <numeric>

namespace lig::app {

namespace {

// "(asked for)", or why else.
std::string_view reason(bool given, std::string_view otherwise) { return given ? "asked for" : otherwise; }

// What moves the model on where nothing is touched, and what does elsewhere.
std::string_view smooth_method_of(const SimulationOptions& simulation,
                                  const formulations::Capabilities& can) {
    if (simulation.stepping == Stepping::velocity) return "velocity steps throughout";
    switch (simulation.integrator) {
        case SmoothIntegrator::automatic: return can.smooth_steps;
        case SmoothIntegrator::euler: return "semi-implicit Euler steps where nothing is touched";
        case SmoothIntegrator::rk4: return "Runge-Kutta steps of fourth order where nothing is touched";
        case SmoothIntegrator::rk45: return "Dormand-Prince steps by their error where nothing is touched";
        case SmoothIntegrator::rattle: return "RATTLE where nothing is touched";
        case SmoothIntegrator::backward_euler: return "backward Euler steps";
        case SmoothIntegrator::bdf2: return "BDF2 steps";
    }
    return {};
}

}  // namespace

std::string choices_text(const RunOptions& options, const RunSettings& settings) {
    const SimulationOptions& simulation = settings.simulation;
    const DynamicsOptions& job = options.job;
    std::string text;
    const auto line = [&](std::string_view what, const std::string& chosen, std::string_view why) {
        text += fmt::format("ligament {}: {}: {} ({})\n", options.command, what, chosen, why);
    };
    const formulations::FormulationInfo& info = *formulations::find_formulation(simulation.formulation);
    line("formulation", fmt::format("{}, {}", simulation.formulation, info.summary),
         reason(simulation.formulation != DynamicsOptions().formulation, "the default"));
    line("integrator", fmt::format("{}, {}", settings.integrator, smooth_method_of(simulation, info.can)),
         reason(options.integrator != RunOptions().integrator, "the formulation's own"));
    line("stepping", std::string(word_of(simulation.stepping)),
         reason(settings.stepping_asked_for, "the integrator's"));
    line("solver",
         simulation.solver == formulations::automatic_solver
             ? std::string(formulations::default_solver(info.can.solvers))
             : simulation.solver,
         reason(options.simulation.has("--solver"),
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
