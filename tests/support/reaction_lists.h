#pragma once

// Reactions of a simulation as lists.

#include <ligament/simulation.h>

#include <vector>

namespace lig::test {

inline std::vector<Force<double>> joint_reactions(const Simulation& sim) {
    std::vector<Force<double>> out(sim.model().bodies.size());
    sim.joint_reactions(out);
    return out;
}
inline std::vector<Force<double>> loop_reactions(const Simulation& sim) {
    std::vector<Force<double>> out(sim.model().loops.size());
    sim.loop_reactions(out);
    return out;
}
inline std::vector<Force<double>> bushing_forces(const Simulation& sim) {
    std::vector<Force<double>> out(sim.model().bushings.size());
    sim.bushing_forces(out);
    return out;
}

}  // namespace lig::test
