#pragma once

// The reference problem `catenary`: a chain at rest between two hooks.

#include "support/loop_scenes.h"
#include "support/simulation_runs.h"

#include <numbers>

namespace lig::test {

// Twenty rods, two metres in all, between two hooks one metre apart: tan of a rod's angle is (i − 9.5)/H.
inline void check_catenary(const SimulationOptions& options) {
    const int n = 20;
    const double weight = 0.05 * gravity, H = 2.29566763223549;
    const auto model = compile(pinned_chain_scene(n, 0.1, 0.05, 1, false, 0.05));
    Simulation sim(model, options);
    JointState<double> state = sim.state();
    // Two straight legs of one metre; positive angles about y lead down.
    state.q[0] = std::numbers::pi / 3;
    state.q[n / 2] = -2 * std::numbers::pi / 3;
    sim.set_state(state);
    int velocity_steps = 0;
    run(sim, 30, frame, [&](const StepReport& report) { velocity_steps += report.velocity_steps; });
    double angle = 0, sag = 0, worst = 0;
    for (int i = 0; i < n; ++i) {
        angle += sim.state().q[i];
        worst = std::max(worst, std::abs(angle - std::atan((9.5 - i) / H)));
        if (i < n / 2) sag += 0.1 * std::sin(angle);
    }
    std::vector<Force<double>> at_joints(model->bodies.size()), at_loops(1);
    sim.joint_reactions(at_joints);
    sim.loop_reactions(at_loops);
    const Vec3d first = at_joints[1].lin, last = at_loops[0].lin;
    MESSAGE("catenary: sag " << sag << " m, pull " << std::sqrt(dot(first, first)) / weight << " and "
                             << std::sqrt(dot(last, last)) / weight << " weights, angles off by " << worst
                             << ", " << velocity_steps << " velocity steps, kinetic energy "
                             << sim.energy().kinetic);
    CHECK(std::abs(sag - 0.798273108915640) < 1e-6);
    CHECK(worst < 1e-5);
    CHECK(std::abs(std::sqrt(dot(first, first)) / weight - 10.2601213383514) < 1e-4);
    CHECK(std::abs(std::sqrt(dot(last, last)) / weight - 10.2601213383514) < 1e-4);
    CHECK(std::abs(first.x / weight + H) < 1e-4);
}

}  // namespace lig::test
