#include "app/run/run_summary.h"

#include "app/run/promise_output.h"
#include "app/table.h"
#include "core/length.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lig::app {

namespace {

// "1 step", "2 steps".
std::string counted(long count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Flows below this share of the largest are as good as none to a reader.
constexpr double negligible = 1e-6;

// "+5.2 J by drives, -3.1 J by dampers": what the flows have added, those that matter.
std::string flows_text(const EnergyTotals& totals) {
    double largest = totals.moving;
    for (const EnergyFlow& flow : energy_flows)
        largest = std::max(largest, std::abs(totals.flows.*flow.value));
    std::string text;
    const auto add = [&](double joules, std::string_view by) {
        text += fmt::format("{}{}{} J by {}", text.empty() ? "" : ", ", joules > 0 ? "+" : "",
                            number_text(joules), by);
    };
    for (const EnergyFlow& flow : energy_flows)
        if (const double joules = flow.sign * (totals.flows.*flow.value);
            std::abs(joules) > negligible * largest)
            add(joules, flow.title);
    if (totals.method != 0) add(totals.method, method_energy_title);
    return text;
}

// Those of the state, as far as a reader wants to see them.
void print_coordinates(const Model& model, const Names& names, const JointState<double>& state,
                       std::FILE* to) {
    constexpr std::size_t most = 40;
    const std::vector<std::string> coordinates = coordinate_names(model, names);
    Table table({"coordinate", "qpos"}, {1});
    for (std::size_t k = 0; k < std::min(coordinates.size(), most); ++k)
        table.add({coordinates[k], number_text(state.q[k])});
    table.print(to);
    if (coordinates.size() > most)
        fmt::print(to, "… and {} more; --json has all\n", coordinates.size() - most);
}

}  // namespace

void EnergyTotals::note(const StepReport& report) {
    flows += report.energy.flows;
    method += report.energy.method;
    moving = std::max(moving, report.energy.kinetic);
}

void MomentumTotals::note(const StepReport& report) {
    const MomentumLedger& own = report.momentum;
    flows += own.flows;
    method += own.method;
    if (!own.measured) return;
    if (!(max_made >= length(method.lin))) max_made = length(method.lin);
    if (!(max_turned >= length(method.ang))) max_turned = length(method.ang);
}

void RunSummary::note(const StepReport& report) {
    ++steps;
    if (report.fallbacks > 0 && totals(&StepReport::fallbacks) == 0) fallback = report.fallback;
    totals.note(report);
    not_converged += report.status == StepStatus::not_converged && was_taken(report);
    too_many_events += report.status == StepStatus::too_many_events;
    contacts += report.contacts;
    for (int k = 0; k < step_stages; ++k) stage_seconds[k] += report.seconds[k];
    ledger.note(report);
    momentum.note(report);
}

void RunSummary::note_energy(double energy, bool first) {
    if (first) energy_start = energy_lowest = energy;
    energy_end = energy;
    if (!std::isfinite(energy)) {  // too much to be told
        energy_max_rise = energy_max_drift = std::numeric_limits<double>::infinity();
        return;
    }
    energy_lowest = std::min(energy_lowest, energy);
    energy_max_rise = std::max(energy_max_rise, energy - energy_lowest);
    energy_max_drift = std::max(energy_max_drift, std::abs(energy - energy_start));
}

std::string RunSummary::troubled_steps() const {
    std::string text;
    const auto add = [&](long count, std::string_view what) {
        if (count > 0)
            text += fmt::format("{}{} of {} {}", text.empty() ? "" : "; ", count, counted(steps, "step"),
                                what);
    };
    add(not_converged, "taken with the best impulses found");
    add(too_many_events, "finished by velocity steps");
    return text;
}

double RunSummary::made_share() const { return promises[formulations::energy_promise].value; }

double RunSummary::contacts_mean() const { return steps > 0 ? contacts / static_cast<double>(steps) : 0; }
double RunSummary::iterations_mean() const {
    const long solved = totals(&StepReport::substeps) - totals(&StepReport::smooth_steps);
    return solved > 0 ? static_cast<double>(totals(&StepReport::iterations)) / static_cast<double>(solved)
                      : 0;
}

Json ledger_json(const EnergyTotals& totals) {
    Json document = Json::object();
    for (const EnergyFlow& flow : energy_flows)
        document[std::string(flow.name)] = totals.flows.*flow.value;
    document[std::string(method_energy_name)] = totals.method;
    return document;
}

Json momentum_json(const MomentumTotals& totals) {
    const auto both = [](const Force<double>& f) {
        return Json{{"linear", to_json(f.lin)}, {"angular", to_json(f.ang)}};
    };
    Json document = Json::object();
    for (const MomentumFlow& flow : momentum_flows)
        document[std::string(flow.name)] = both(totals.flows.*flow.value);
    const bool measured = std::isfinite(totals.max_made);
    document[std::string(method_momentum_name)] = measured ? both(totals.method) : Json();
    return document;
}

Json run_figures(const RunSummary& summary) {
    const auto if_measured = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
    Json figures = {
        {"steps", summary.steps},
        {"substeps", summary.totals(&StepReport::substeps)},
        {"simulated_time", summary.simulated_time},
        {"wall_time", summary.wall_time},
        {"energy_start", summary.energy_start},
        {"energy_end", summary.energy_end},
        {"energy_max_rise", summary.energy_max_rise},
        {"energy_max_drift", summary.energy_max_drift},
        {std::string(method_energy_name), summary.ledger.method},
        {"energy_in_motion", summary.ledger.moving},
        {"momentum_drift", if_measured(summary.momentum.max_made)},
        {"angular_momentum_drift", if_measured(summary.momentum.max_turned)},
        {"made_share", summary.made_share()},
        {"guarded_substeps", summary.totals(&StepReport::guarded)},
        {"contacts_mean", summary.contacts_mean()},
        {"iterations_mean", summary.iterations_mean()}};
    for (const StepError& error : step_errors)
        figures[std::string(error.max_name)] = summary.totals(error.value);
    return figures;
}

Json summary_json(const RunSummary& summary, const RunSettings& settings, const Names& names,
                  const JointState<double>& state, const BodyState<double>& bodies) {
    Json xpos = Json::object(), xquat = Json::object(), xvel = Json::object();
    for (std::size_t b = 0; b < bodies.pos.size(); ++b) {
        if (b == 0 && names.world_is_taken) continue;
        add_member(xpos, names.bodies[b], to_json(bodies.pos[b]));
        add_member(xquat, names.bodies[b], to_json(bodies.quat[b]));
        add_member(xvel, names.bodies[b],
                   Json{{"angular", to_json(bodies.vel[b].ang)}, {"linear", to_json(bodies.vel[b].lin)}});
    }
    Json stages = Json::object();
    for (int k = 0; k < step_stages; ++k) stages[std::string(stage_names[k])] = summary.stage_seconds[k];
    Json document = {{"status", summary.status},
                     {"not_converged_steps", summary.not_converged},
                     {"too_many_events_steps", summary.too_many_events},
                     {"steps_per_second",
                      summary.wall_time > 0 ? static_cast<double>(summary.steps) / summary.wall_time : 0.0},
                     {"formulation", settings.simulation.formulation},
                     {"integrator", settings.integrator},
                     {"stepping", word_of(settings.simulation.stepping)},
                     {"coordinates", word_of(settings.simulation.coordinates)},
                     {"equalities", word_of(settings.simulation.multiplier.equalities)},
                     {"law", word_of(settings.simulation.multiplier.law)},
                     {"touching", word_of(settings.simulation.touching)},
                     {"baumgarte", settings.simulation.multiplier.baumgarte},
                     {"solver", settings.simulation.solver},
                     {"dt", settings.dt},
                     {"fallback", summary.fallback},
                     {"stage_seconds", std::move(stages)},
                     {"tracking", settings.tracks ? summary.tracking.json() : Json()}};
    for (const StepCount& count : step_counts)
        if (!count.told_as.empty()) document[std::string(count.told_as)] = summary.totals(count.value);
    document.update(run_figures(summary));
    document["ledger"] = ledger_json(summary.ledger);
    document["momentum"] = settings.simulation.momentum_ledger ? momentum_json(summary.momentum) : Json();
    document["worst"] = worst_json(summary.promises);
    document["missed"] = missed_json(summary.promises);
    document["final"] = {{"time", state.time},
                         {"qpos", state.q},
                         {"qvel", state.v},
                         {"xpos", std::move(xpos)},
                         {"xquat", std::move(xquat)},
                         {"xvel", std::move(xvel)}};
    return document;
}

void print_summary(const RunSummary& summary, const RunSettings& settings, const Model& model,
                   const Names& names, const JointState<double>& state,
                   const std::vector<std::string>& files, std::FILE* to) {
    const StepTotals& total = summary.totals;
    const auto line = [to](std::string_view head, const std::string& text) {
        fmt::print(to, "{:<14}{}\n", head, text);
    };
    std::string simulated = fmt::format("{:.6g} s in {}", summary.simulated_time,
                                        counted(summary.steps, "step"));
    if (total(&StepReport::substeps) != summary.steps)
        simulated += ", " + counted(total(&StepReport::substeps), "sub-step");
    if (total(&StepReport::velocity_steps) > 0)
        simulated += ", " + counted(total(&StepReport::velocity_steps), "velocity step");
    line("simulated", fmt::format("{} ({}, {}{}{})", simulated, settings.simulation.formulation,
                                  settings.integrator, settings.stepping_asked_for ? ", " : "",
                                  settings.stepping_asked_for ? word_of(settings.simulation.stepping) : ""));
    std::string taken = fmt::format("{:.3g} s", summary.wall_time);
    if (summary.wall_time > 0 && summary.simulated_time > 0)
        taken += fmt::format(", {:.3g} times as fast as real time",
                             summary.simulated_time / summary.wall_time);
    line("took", taken);
    line("energy", fmt::format("{} J at the start, {} J at the end, at most {} J above the lowest before",
                               number_text(summary.energy_start), number_text(summary.energy_end),
                               number_text(summary.energy_max_rise)));
    if (std::string flows = flows_text(summary.ledger); !flows.empty()) {
        if (const double share = summary.made_share(); share > 0)
            flows += fmt::format(" (never more than {:.2g} % of the energy in motion)", 100 * share);
        line("ledger", flows);
    }
    if (std::isfinite(summary.momentum.max_made))
        line("momentum", fmt::format("at most {} N·s and {} N·m·s made by the method",
                                     number_text(summary.momentum.max_made),
                                     number_text(summary.momentum.max_turned)));
    if (total(&StepReport::guarded) > 0)
        line("guard", fmt::format("{} taken again or slowed down because of the energy they made",
                                  counted(total(&StepReport::guarded), "sub-step")));
    if (summary.contacts > 0)
        line("contacts", fmt::format("{:.1f} on average, at most {:.3g} mm deep", summary.contacts_mean(),
                                     1e3 * total(&StepReport::penetration)));
    if (total(&StepReport::events) + total(&StepReport::impacts) > 0)
        line("events", fmt::format("{}, {}", total(&StepReport::events),
                                   counted(total(&StepReport::impacts), "impact")));
    if (total(&StepReport::limit_violation) > 0)
        line("limits",
             fmt::format("exceeded by at most {:.3g} (rad or m)", total(&StepReport::limit_violation)));
    if (total(&StepReport::joint_error) > 0)
        line("joints", fmt::format("apart by at most {:.3g} (m or rad)", total(&StepReport::joint_error)));
    if (total(&StepReport::equality_rows) > 0) {
        line("equalities",
             fmt::format("open by at most {:.3g} (m or rad)", total(&StepReport::equality_error)));
        if (total(&StepReport::redundant_rows) > 0)
            fmt::print(to, "redundant rows: {} of {}\n", total(&StepReport::redundant_rows),
                       total(&StepReport::equality_rows));
    }
    if (summary.tracking.samples() > 0)
        line("tracking", fmt::format("off by at most {:.3g}, rms {:.3g} (rad or m); at most {:.4g} N·m or N",
                                     summary.tracking.largest_error(), summary.tracking.rms_error(),
                                     summary.tracking.largest_force()));
    if (total(&StepReport::newton_iterations) > 0 && total(&StepReport::smooth_steps) > 0)
        line("newton", fmt::format("{:.1f} solutions a smooth step, {} too long and taken again",
                                   static_cast<double>(total(&StepReport::newton_iterations)) /
                                       static_cast<double>(total(&StepReport::smooth_steps)),
                                   total(&StepReport::rejected)));
    if (total(&StepReport::projected_steps) > 0)
        line("singular",
             fmt::format("{} by projection", counted(total(&StepReport::projected_steps), "step")));
    if (total(&StepReport::iterations) > 0)
        line("solver", fmt::format("{:.1f} iterations a velocity step", summary.iterations_mean()));
    if (total(&StepReport::fallbacks) > 0)
        line("fallbacks", fmt::format("{}; the first: {}", total(&StepReport::fallbacks), summary.fallback));
    if (const std::string missed = missed_text(summary.promises); !missed.empty()) line("missed", missed);
    for (std::size_t k = 0; k < files.size(); ++k) line(k == 0 ? "written" : "", files[k]);

    fmt::print(to, "\n");
    print_coordinates(model, names, state, to);
}

}  // namespace lig::app
