#pragma once

// The solvers of impulses that work without a matrix, by their names in SimulationOptions::solver. All others
// are those of linalg/lcp_list.h.

#include "linalg/lcp.h"

#include <string>
#include <string_view>

namespace lig::formulations {

struct ImpulseSolverInfo {
    std::string_view name;
    bool of_impulse;  // of the formulation `impulse`; the others, and LCP solvers, are for all others
    LcpFriction friction;
    std::string_view summary;
};

// `automatic` is the first that the formulation has.
inline constexpr ImpulseSolverInfo impulse_solver_list[] = {
    {"sweeps", false, LcpFriction::cone, "no matrix: Gauss-Seidel, then Newton's method on small islands"},
    {"split-step", true, LcpFriction::cone, "impulse: sub-steps, errors removed by velocities of their own"},
    {"soft-step", true, LcpFriction::cone, "impulse: sub-steps, each of a biased and a relaxing sweep"},
    {"classic", true, LcpFriction::cone, "impulse: sweeps of one step, errors fed back by a bias"},
};
inline constexpr std::string_view automatic_solver = "automatic";

// Null when there is none.
inline const ImpulseSolverInfo* find_impulse_solver(std::string_view name) {
    for (const ImpulseSolverInfo& info : impulse_solver_list)
        if (info.name == name) return &info;
    return nullptr;
}
// Whether a formulation has a solver that there is.
inline bool has_solver(std::string_view formulation, std::string_view solver) {
    const ImpulseSolverInfo* info = find_impulse_solver(solver);
    return solver == automatic_solver || (info && info->of_impulse) == (formulation == "impulse");
}
inline std::string impulse_solver_names() {
    std::string names(automatic_solver);
    for (const ImpulseSolverInfo& info : impulse_solver_list) names += ", " + std::string(info.name);
    return names;
}

}  // namespace lig::formulations
