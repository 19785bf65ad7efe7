#pragma once

// Simulations by `impulse`, beside the same ones by a formulation that solves its equations exactly.

#include "support/simulation_runs.h"

namespace lig::test {

// What a user gets who asks for nothing.
inline SimulationOptions usual() {
    SimulationOptions options;
    options.formulation = "impulse";
    return options;
}

inline SimulationOptions impulse_options(int substeps = 0, int iterations = 0,
                                         const char* solver = "automatic") {
    SimulationOptions options;
    options.formulation = "impulse";
    options.solver = solver;
    options.impulse.substeps = substeps;
    options.iterations = iterations;
    options.accuracy = 1e-10;
    return options;
}

// How far the states of two simulations of one model are apart: coordinates and velocities.
inline double distance(const Simulation& a, const Simulation& b) {
    double largest = 0;
    const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
        for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    };
    compare(a.state().q, b.state().q);
    compare(a.state().v, b.state().v);
    compare(a.state().act, b.state().act);
    return largest;
}

struct Convergence {
    double coarse, fine;  // distances from what is exact, with so many sub-steps and twice as many
    double ratio() const { return coarse / fine; }
};

struct Effort {
    int substeps = 32, iterations = 50;
    const char* solver = "automatic";
    // Steps of the reference for one of `impulse`: more where forces or rows keep it from its integrator of
    // high order.
    int exact_steps = 1;
};

// After `seconds` in steps of dt, against `reduced`. `setup(sim)` comes before.
template <class Setup>
Convergence converge(const std::shared_ptr<const Model>& model, double seconds, const Effort& effort,
                     Setup setup, double dt = frame) {
    const auto go = [&](Simulation& sim, double step) {
        setup(sim);
        run(sim, seconds, step);
    };
    SimulationOptions exact;
    exact.tolerance = 1e-10;
    Simulation reference(model, exact);
    go(reference, dt / effort.exact_steps);
    Convergence found{};
    int substeps = effort.substeps;
    for (double* out : {&found.coarse, &found.fine}) {
        Simulation sim(model, impulse_options(substeps, effort.iterations, effort.solver));
        go(sim, dt);
        *out = distance(sim, reference);
        substeps *= 2;
    }
    return found;
}

}  // namespace lig::test
