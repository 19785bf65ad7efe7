#pragma once

// Runs with their energy ledgers summed up.

#include "support/simulation_runs.h"

#include <ligament/energy_ledger.h>

#include <cmath>
#include <string>

namespace lig::test {

struct Ledger {
    double before = 0, after = 0;  // kinetic and potential, at the beginning and the end
    EnergyFlows flows;
    double method = 0, max_method = 0;  // the sum; and the largest of its partial sums
    double elastic = 0;            // at the end
};

// Every step must close: what it began with is what the one before has left.
inline Ledger ledger_of(Simulation& sim, double seconds, double dt) {
    Ledger sum;
    bool first = true;
    run(sim, seconds, dt, [&](const StepReport& report) {
        const EnergyLedger& own = report.energy;
        if (first)
            sum.before = own.before;
        else
            CHECK(own.before == doctest::Approx(sum.after).epsilon(1e-9));
        first = false;
        CHECK(own.after() - own.before - own.flows.net() - own.method == doctest::Approx(0.0));
        sum.after = own.after();
        sum.elastic = own.elastic;
        sum.flows += own.flows;
        sum.method += own.method;
        sum.max_method = std::max(sum.max_method, std::abs(sum.method));
    });
    return sum;
}

inline SimulationOptions smooth_by(const std::string& formulation, SmoothIntegrator integrator,
                                   double tolerance = 1e-12) {
    SimulationOptions options;
    options.formulation = formulation;
    options.stepping = Stepping::smooth;
    options.integrator = integrator;
    options.tolerance = tolerance;
    options.energy_guard = 0;  // what the method makes is to be seen
    return options;
}

}  // namespace lig::test
