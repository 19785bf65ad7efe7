#include "formulations/promises.h"

#include "formulations/formulation_list.h"

#include <algorithm>
#include <cmath>

namespace lig::formulations {

namespace {

// Times what is promised of the energy, for methods that were asked for by name: that of symplectic Euler
// swings by h ω of itself.
constexpr double asked_for_by_name = 50;
constexpr double soft_depth = 0.01;  // m: by which contacts give that are pushed out by velocities

// Those of the formulation, with the guard as the options have it.
std::array<double, promise_count> promised(const SimulationOptions& options) {
    std::array<double, promise_count> most = promises_of(options).most;
    const double by_default = SimulationOptions().energy_guard;
    double& energy = most[energy_promise];
    // Under the kinematic law there is no energy to keep.
    const bool has_energy = options.multiplier.law == Law::dynamic;
    const bool counts = has_energy && options.energy_guard > 0;
    energy = counts ? energy * (options.energy_guard / by_default) : not_promised;
    if (!has_energy) most[losses_promise] = not_promised;
    if (options.stepping == Stepping::smooth || options.integrator != SmoothIntegrator::automatic ||
        options.implicit.newton > 0 || has_soft_contacts(options))
        energy *= asked_for_by_name;
    return most;
}

// Of the energy in motion.
constexpr double rounding = 1e-9;
// What lifting everything by this takes is a small loss: contacts and loops settle by it.
constexpr double settling = 0.01;  // m

}  // namespace

const Promises& promises_of(const SimulationOptions& options) {
    const Promises* found = &promise_table[0];
    for (const Promises& promises : promise_table)
        if (promises.formulation == options.formulation &&
            (promises.stepping.empty() || promises.stepping == word_of(options.stepping)))
            found = &promises;
    return *found;
}

double guard_share(const SimulationOptions& options) {
    const double share = promised(options)[energy_promise];
    return std::isfinite(share) ? share : 0;
}

bool is_only_watched(const SimulationOptions& options) {
    const ImpulseSolverInfo* const solver = find_impulse_solver(options.solver);
    return solver && solver->only_watched;
}

bool has_soft_contacts(const SimulationOptions& options) {
    const ImpulseSolverInfo* const solver = find_impulse_solver(options.solver);
    return solver && solver->feeds_back;
}

bool leaves_slop(const SimulationOptions& options) {
    const FormulationInfo* const formulation = find_formulation(options.formulation);
    return (formulation && formulation->can.leaves_slop) || options.stepping == Stepping::crowd;
}

double resting_depth(const SimulationOptions& options) {
    if (has_soft_contacts(options)) return soft_depth;
    return leaves_slop(options) ? options.impulse.slop : 0;
}

double PromiseKept::share() const {
    if (!std::isfinite(most) || value == 0) return 0;
    return value / most;
}

const PromiseKind* worst_of(const PromisesKept& kept) {
    const auto worst = std::ranges::max_element(kept, {}, &PromiseKept::share);
    if (worst->share() == 0) return nullptr;
    return &promise_kinds[worst - kept.begin()];
}

PromiseWatch::PromiseWatch(const Model& model, const SimulationOptions& options)
    : account_(guard_share(options), model, has_soft_contacts(options)),
      idle_energy_(idle_energy(model, resting_depth(options))),
      small_loss_(idle_energy(model, settling)) {
    const std::array<double, promise_count> most = promised(options);
    for (std::size_t k = 0; k < promise_count; ++k) kept_[k].most = most[k];
}

double PromiseWatch::made_share(const EnergyLedger& step, double h, double promised) {
    // What the guard has removed was in motion when it looked, but the energy has not risen by it.
    EnergyLedger ledger = step;
    ledger.kinetic += ledger.flows.removed;
    ledger.before += ledger.flows.removed;
    const double beyond = account_.surplus(ledger, h, idle_energy_);
    account_.note(ledger, h);
    const EnergyGuard::Account& account = account_.account;
    const double share = std::max(0.0, account.made - idle_energy_) / std::max(account.moving, idle_energy_);
    // Of energies that are large beside it rounding is no gain, nor is what the guard leaves.
    return beyond <= rounding * account.moving ? std::min(share, promised) : share;
}

// After made_share, which has the energy in motion. An energy that swings loses nothing in the mean.
double PromiseWatch::lost_share(const EnergyLedger& step, double h) {
    lost_ = std::max(0.0, lost_ * std::exp(-h / EnergyGuard::fading_time) - step.method);
    return std::max(0.0, lost_ - small_loss_) / std::max(account_.account.moving, small_loss_);
}

void PromiseWatch::note(const StepReport& report, double h) {
    const double made = made_share(report.energy, h, kept_[energy_promise].most);
    const double lost = lost_share(report.energy, h);
    if (report.status != StepStatus::ok) return;
    for (std::size_t k = 0; k < promise_count; ++k) {
        PromiseKept& kept = kept_[k];
        const double value = promise_kinds[k].figure ? report.*promise_kinds[k].figure
                             : k == energy_promise   ? made
                                                     : lost;
        if (value > kept.value) {
            kept.value = value;
            kept.time = report.time;
        }
    }
}

}  // namespace lig::formulations
