#pragma once

// What a run did, gathered step by step, and how it is told.

#include "app/dynamics/dynamics_job.h"
#include "app/json_output.h"
#include "app/run/run_options.h"
#include "app/run/step_totals.h"
#include "formulations/promises.h"

#include <ligament/simulation.h>

#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace lig::app {

// What the steps of a run have done to its energy, J.
struct EnergyTotals {
    EnergyFlows flows;
    double method = 0;  // what the method has made; negative: lost
    double moving = 0;  // the largest kinetic energy

    void note(const StepReport& report);
};

// … and to its momentum, N·s, N·m·s about the world's origin.
struct MomentumTotals {
    MomentumFlows flows;
    Force<double> method = Force<double>::zero();
    // How large what the method has made was at most. NaN: that was not measured, or not asked for.
    double max_made = std::numeric_limits<double>::quiet_NaN(),
           max_turned = std::numeric_limits<double>::quiet_NaN();

    void note(const StepReport& report);
};

struct RunSummary {
    explicit RunSummary(const Model& model) : tracking(model) {}

    std::string status = "ok";
    StepTotals totals;
    long steps = 0, not_converged = 0, too_many_events = 0;
    std::string fallback;  // the first of the fallbacks
    double contacts = 0;   // sum over the steps
    double simulated_time = 0;
    double wall_time = 0;  // of the steps; what is written takes its own
    double energy_start = 0, energy_end = 0, energy_lowest = 0, energy_max_rise = 0, energy_max_drift = 0;
    EnergyTotals ledger;
    MomentumTotals momentum;
    formulations::PromisesKept promises;
    std::array<double, step_stages> stage_seconds{};
    TrackingFigures tracking;

    void note(const StepReport& report);
    void note_energy(double energy, bool first);

    // How many steps were taken but not as they should be, in words.
    std::string troubled_steps() const;

    // The largest share of the energy in motion that the method had made, as the guard counts it.
    double made_share() const;

    // Means; 0 where there is nothing to take one of.
    double contacts_mean() const;
    double iterations_mean() const;  // per sub-step that is not smooth
};

// Every flow by its name, and what the method has made.
Json ledger_json(const EnergyTotals& totals);
// The same of momentum; null where it was not asked for.
Json momentum_json(const MomentumTotals& totals);
// The numbers that tell how well it went.
Json run_figures(const RunSummary& summary);
Json summary_json(const RunSummary& summary, const RunSettings& settings, const Names& names,
                  const JointState<double>& state, const BodyState<double>& bodies);

void print_summary(const RunSummary& summary, const RunSettings& settings, const Model& model,
                   const Names& names, const JointState<double>& state,
                   const std::vector<std::string>& files, std::FILE* to);

}  // namespace lig::app
