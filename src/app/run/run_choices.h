#pragma once

// The words for what a simulation is told.

#include <ligament/simulation_options.h>

#include <string_view>

namespace lig::app {

// An integrator is what happens where nothing is touched, and how long steps are. Contacts, limits and dry
// friction act in all of them.
struct Integrator {
    std::string_view name;
    Stepping stepping;
    SmoothIntegrator method;
    double tolerance;  // 0: the simulation's own
    bool fixed;
};

constexpr Integrator integrators[] = {
    {"auto", Stepping::automatic, SmoothIntegrator::automatic, 0, false},
    {"velocity", Stepping::velocity, SmoothIntegrator::automatic, 0, true},
    {"euler", Stepping::automatic, SmoothIntegrator::euler, 0, true},
    {"rk4", Stepping::automatic, SmoothIntegrator::rk4, 0, true},
    {"rk45", Stepping::automatic, SmoothIntegrator::rk45, 1e-9, false},
    {"rattle", Stepping::automatic, SmoothIntegrator::rattle, 0, true},
    {"backward-euler", Stepping::automatic, SmoothIntegrator::backward_euler, 0, true},
    {"bdf2", Stepping::automatic, SmoothIntegrator::bdf2, 0, true},
};

}  // namespace lig::app
