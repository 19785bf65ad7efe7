#pragma once

// Simulations by `implicit`.

#include "scenes/generator.h"
#include "scenes/generator_list.h"
#include "support/simulation_runs.h"

namespace lig::test {

inline SimulationOptions implicit_options(SmoothIntegrator integrator = SmoothIntegrator::automatic) {
    SimulationOptions options;
    options.formulation = "implicit";
    options.integrator = integrator;
    return options;
}

// The chain with a ball at its end of the benchmark scenes (G2).
inline std::shared_ptr<const Model> heavy_chain(int count, double mass) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(count)}, {"mass", mass}};
    return compile(scenes::generate(scenes::chain, settings));
}

}  // namespace lig::test
