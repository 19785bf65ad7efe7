#pragma once

// How many steps of a simulation allocate. In a program whose global operator new counts
// (allocation_counter.h).

#include "support/count_allocations.h"

#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <memory>

namespace lig::test {

// Steps that allocate, of so many after warm-up.
inline int allocating_steps(Simulation& sim, double dt, int warm_up, int count) {
    for (int k = 0; k < warm_up; ++k) REQUIRE(was_taken(sim.step(dt)));
    int steps = 0;
    for (int k = 0; k < count; ++k) {
        StepReport report;
        const long made = count_allocations([&] { report = sim.step(dt); });
        REQUIRE(was_taken(report));
        if (made != 0) ++steps;
    }
    return steps;
}

// The same again and again, so that the greatest number of contacts has been met.
inline int allocating_again(const std::shared_ptr<const Model>& model, const SimulationOptions& options,
                            double dt, int count) {
    Simulation sim(model, options);
    for (double& u : sim.inputs().ctrl) u = 0.3;
    const Snapshot start = sim.save();
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < count; ++k) REQUIRE(was_taken(sim.step(dt)));
        sim.restore(start);
    }
    return allocating_steps(sim, dt, 0, count);
}

}  // namespace lig::test
