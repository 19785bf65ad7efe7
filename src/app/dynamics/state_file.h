#pragma once

// Reading the states that `forward` and `inverse` work on: one state, or {"states": […]}.

#include "app/names.h"

#include <ligament/state.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lig::app {

struct StateInput {
    JointState<double> state;
    std::vector<double> qacc;          // (nv)
    std::vector<double> qfrc_applied;  // (nv)
    std::vector<double> ctrl;          // (nu)
    // Body; force and moment in world axes at its centre of mass.
    std::vector<std::pair<int, std::array<double, 6>>> xfrc_applied;
};

// A state without forces and controls.
StateInput input_at(const Model& model, JointState<double> state);

struct StateFileOptions {
    bool needs_qacc = false;
    bool actuation = true;  // false: `act` and `ctrl` are not used, so they may hold anything
    bool strict = false;    // warnings are errors
    bool quiet = false;     // warnings are not printed
};

// Reads the states from a file or, for "-", from standard input. What is wrong is printed, and ends in a
// Failure.
std::vector<StateInput> read_states(const std::string& path, const Model& model, const Names& names,
                                    const StateFileOptions& options);

}  // namespace lig::app
