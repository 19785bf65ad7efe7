#pragma once

// Simulations that are saved, restored, reset or run on several threads: a model, how long it runs before and
// after, and what is done to it first.

#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace lig::test {

struct SimulationCase {
    std::string name;
    std::shared_ptr<const Model> model;
    double dt;
    int before, after;  // steps
    std::function<void(Simulation&)> prepare = [](Simulation&) {};
};

inline void throw_character(Simulation& sim) {
    JointState<double> state = sim.state();
    state.v[0] = 1.5;
    state.v[4] = 2;
    sim.set_state(state);
}
inline void push_four_bar(Simulation& sim) {
    sim.inputs().ctrl[0] = 0.7;
    sim.inputs().qfrc_applied[0] = 0.05;
}
inline void push_walker(Simulation& sim) {
    sim.inputs().ctrl = {0.3, -0.4, 0.5, 0.2};
    sim.inputs().xfrc_applied[1] = {{0, 1, 0}, {5, 0, 0}};
}
inline void move_table(Simulation& sim) {
    BaseMotion<double> motion = sim.state().kinematic[0];
    motion.velocity.lin = {0.1, 0, 0.05};
    motion.velocity.ang = {0, 0, 0.3};
    sim.set_kinematic(sim.model().find_body("table"), motion);
}

// Steps that need not be as good as wished, but must be taken.
inline void take_steps(Simulation& sim, double dt, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim.step(dt);
        CAPTURE(report.where);
        REQUIRE(was_taken(report));
    }
}

}  // namespace lig::test
