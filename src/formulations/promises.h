#pragma once

// What a step holds that ends as ok, in one table: `ligament list promises` prints it, docs/promises.md tells
// it, and PromiseWatch looks whether the steps of a run keep it.

#include "simulation/energy_guard.h"

#include <ligament/simulation.h>

#include <array>
#include <limits>
#include <string_view>

namespace lig::formulations {

struct PromiseKind {
    std::string_view name, unit, summary;
    double StepReport::* figure;  // null: energies, which are counted over many steps
};
inline constexpr PromiseKind promise_kinds[] = {
    {"joints", "m or rad", "how far joints come apart", &StepReport::joint_error},
    {"equalities", "m or rad", "how far loops, couplings and constraints are open",
     &StepReport::equality_error},
    {"limits", "m or rad", "how far limits are passed", &StepReport::limit_violation},
    {"contacts", "m", "how deep bodies are in each other", &StepReport::penetration},
    {"equations", "m/s or rad/s",
     "by how much velocities miss what joints, equalities, limits and contacts ask", &StepReport::residual},
    {"energy", "of the energy in motion", "what the method makes", nullptr},
    {"losses", "of the energy in motion", "what the method loses within about a second", nullptr},
};
inline constexpr std::size_t promise_count = std::size(promise_kinds), losses_promise = promise_count - 1,
                             energy_promise = losses_promise - 1;
static_assert(!promise_kinds[energy_promise].figure && !promise_kinds[losses_promise].figure);

struct Promises {
    std::string_view formulation;
    std::string_view stepping;  // empty: all that have no row of their own
    std::array<double, promise_count> most;  // in the order of promise_kinds
};
// Sweeps do not know how far they are off what they ask for, and backward Euler damps by its nature.
inline constexpr double not_promised = std::numeric_limits<double>::infinity();
// That of the energy is with the guard as it is by default; it goes with the share that the guard has.
inline constexpr Promises promise_table[] = {
    {"reduced", "", {0, 1e-7, 0.15, 0.005, 0.01, 0.01, 0.5}},
    {"multiplier", "", {1e-9, 1e-7, 0.15, 0.005, 0.01, 0.01, 0.5}},
    {"implicit", "", {1e-9, 1e-9, 0.05, 0.005, 0.01, 0.01, not_promised}},
    {"impulse", "", {0.02, 0.05, 0.05, 0.01, not_promised, 0.01, 0.5}},
    {"reduced", "crowd", {0, 1e-7, 0.3, 0.03, not_promised, 0.01, not_promised}},
};
// The row of a simulation.
const Promises& promises_of(const SimulationOptions& options);

// The share of the guard: what is promised of the energy, 0 where nothing is.
double guard_share(const SimulationOptions& options);
// Whether steps that make more end as energy_gained, as they are: those of Catto's slides.
bool is_only_watched(const SimulationOptions& options);
// Whether contacts keep energy as they are pressed in, and give it back.
bool has_soft_contacts(const SimulationOptions& options);
// Whether contacts are left in each other by a little, and put back all the time.
bool leaves_slop(const SimulationOptions& options);
// How deep contacts are that are at rest, m.
double resting_depth(const SimulationOptions& options);

// How a promise was kept: the largest value of all steps, what was promised, and when it was.
struct PromiseKept {
    double value = 0;
    double most = 0;  // not finite: nothing was promised
    double time = 0;

    bool is_missed() const { return value > most; }
    double share() const;  // of what was promised: 1 is just kept
};
using PromisesKept = std::array<PromiseKept, promise_count>;  // in the order of promise_kinds

// Which of them was missed the most, or came nearest to it; null: nothing was there to be held.
const PromiseKind* worst_of(const PromisesKept& kept);

// Follows the steps of one simulation.
class PromiseWatch {
public:
    PromiseWatch(const Model& model, const SimulationOptions& options);

    // A step of length h. One that is not ok promises nothing.
    void note(const StepReport& report, double h);

    const PromisesKept& kept() const { return kept_; }

private:
    double made_share(const EnergyLedger& ledger, double h, double promised);
    double lost_share(const EnergyLedger& ledger, double h);

    PromisesKept kept_;
    EnergyGuard account_;
    double idle_energy_, small_loss_;
    double lost_ = 0;  // by the method; fades as the energy in motion does
};

}  // namespace lig::formulations
