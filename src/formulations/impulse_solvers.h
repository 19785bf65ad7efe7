#pragma once

// The solvers of impulses that work without a matrix, by their names in SimulationOptions::solver. All others
// are those of linalg/lcp_list.h.

#include "linalg/lcp.h"

#include <string>
#include <string_view>

namespace lig::formulations {

enum class SolverFamily {
    rows,       // of rows against an inertia: `sweeps` and the LCP solvers
    sequential  // of `impulse`
};

struct ImpulseSolverInfo {
    std::string_view name;
    SolverFamily family;
    LcpFriction friction;
    std::string_view summary;
    bool feeds_back = false;    // errors into velocities: contacts that were pressed in push out
    bool only_watched = false;  // what it makes of the energy is told, and left as it is
};

// `automatic` is the first of the formulation's family.
inline constexpr ImpulseSolverInfo impulse_solver_list[] = {
    {"sweeps", SolverFamily::rows, LcpFriction::cone,
     "no matrix: Gauss-Seidel, then Newton's method on small islands"},
    {"split-step", SolverFamily::sequential, LcpFriction::cone,
     "impulse: sub-steps, errors removed by velocities of their own"},
    {"soft-step", SolverFamily::sequential, LcpFriction::cone,
     "impulse: sub-steps, each of a biased and a relaxing sweep", true},
    {"classic", SolverFamily::sequential, LcpFriction::cone,
     "impulse: sweeps of one step, errors fed back by a bias", true, true},
};
inline constexpr std::string_view automatic_solver = "automatic";

// Null when there is none.
inline const ImpulseSolverInfo* find_impulse_solver(std::string_view name) {
    for (const ImpulseSolverInfo& info : impulse_solver_list)
        if (info.name == name) return &info;
    return nullptr;
}
// Of a solver that there is.
inline SolverFamily family_of(std::string_view solver) {
    const ImpulseSolverInfo* info = find_impulse_solver(solver);
    return info ? info->family : SolverFamily::rows;
}
inline std::string_view default_solver(SolverFamily family) {
    for (const ImpulseSolverInfo& info : impulse_solver_list)
        if (info.family == family) return info.name;
    return automatic_solver;
}
inline std::string impulse_solver_names() {
    std::string names(automatic_solver);
    for (const ImpulseSolverInfo& info : impulse_solver_list) names += ", " + std::string(info.name);
    return names;
}

}  // namespace lig::formulations
