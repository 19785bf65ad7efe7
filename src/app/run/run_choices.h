#pragma once

// The words for what a simulation is told.

#include "app/choices.h"

#include <ligament/simulation.h>

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

constexpr Named<Stepping> steppings[] = {{"automatic", Stepping::automatic},
                                         {"velocity", Stepping::velocity},
                                         {"event", Stepping::event},
                                         {"smooth", Stepping::smooth}};

constexpr Named<ImpactLaw> impacts[] = {{"automatic", ImpactLaw::automatic},
                                        {"simultaneous", ImpactLaw::simultaneous},
                                        {"sequential", ImpactLaw::sequential}};

constexpr Named<FrictionLaw> frictions[] = {
    {"cone", FrictionLaw::cone},
    {"six_rows", FrictionLaw::six_rows},
    {"tangent", FrictionLaw::tangent},
    {"per_axis", FrictionLaw::per_axis}};

constexpr Named<Coordinates> coordinate_kinds[] = {{"automatic", Coordinates::automatic},
                                                   {"maximal", Coordinates::maximal},
                                                   {"joint", Coordinates::joint}};

constexpr Named<Touching> touchings[] = {
    {"automatic", Touching::automatic}, {"hard", Touching::hard}, {"penalty", Touching::penalty}};

constexpr Named<Law> laws[] = {{"dynamic", Law::dynamic}, {"kinematic", Law::kinematic}};

constexpr Named<SmoothIntegrator> smooth_integrators[] = {
    {"automatic", SmoothIntegrator::automatic},
    {"euler", SmoothIntegrator::euler},
    {"rk4", SmoothIntegrator::rk4},
    {"rk45", SmoothIntegrator::rk45},
    {"rattle", SmoothIntegrator::rattle},
    {"backward-euler", SmoothIntegrator::backward_euler},
    {"bdf2", SmoothIntegrator::bdf2}};

// The list of an enumeration's words.
constexpr const auto& words_of(Stepping) { return steppings; }
constexpr const auto& words_of(ImpactLaw) { return impacts; }
constexpr const auto& words_of(FrictionLaw) { return frictions; }
constexpr const auto& words_of(Coordinates) { return coordinate_kinds; }
constexpr const auto& words_of(Touching) { return touchings; }
constexpr const auto& words_of(Law) { return laws; }
constexpr const auto& words_of(LoopMethod) { return loop_methods; }
constexpr const auto& words_of(SmoothIntegrator) { return smooth_integrators; }

// Of a value; empty where the list has it not.
template <class Value>
constexpr std::string_view word_of(Value value) {
    for (const auto& entry : words_of(value))
        if (entry.value == value) return entry.name;
    return {};
}

}  // namespace lig::app
