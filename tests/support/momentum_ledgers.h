#pragma once

// Runs with their momentum ledgers summed up.

#include "support/simulation_runs.h"

#include <ligament/momentum_ledger.h>

#include "core/length.h"

#include <algorithm>

namespace lig::test {

struct MomentumSums {
    Force<double> before = Force<double>::zero(), after = Force<double>::zero();
    MomentumFlows flows;
    Force<double> method = Force<double>::zero();
    // The largest of its partial sums.
    double max_made = 0, max_turned = 0;
    bool measured = false;
};

// Every step must close: what it began with is what the one before has left.
inline MomentumSums momentum_sums(Simulation& sim, double seconds, double dt) {
    MomentumSums sum;
    bool first = true;
    const auto is_zero = [](const Force<double>& f, double scale) {
        CHECK(length(f.lin) <= 1e-9 * scale);
        CHECK(length(f.ang) <= 1e-9 * scale);
    };
    run(sim, seconds, dt, [&](const StepReport& report) {
        const MomentumLedger& own = report.momentum;
        if (first) sum.before = own.before;
        const double scale = 1 + length(own.before.lin) + length(own.before.ang);
        if (!first) is_zero(own.before - sum.after, scale);
        is_zero(own.after - own.before - own.flows.net() - own.method, scale);
        first = false;
        sum.after = own.after;
        sum.flows += own.flows;
        sum.method += own.method;
        sum.max_made = std::max(sum.max_made, length(sum.method.lin));
        sum.max_turned = std::max(sum.max_turned, length(sum.method.ang));
        sum.measured = own.measured;
    });
    return sum;
}

}  // namespace lig::test
