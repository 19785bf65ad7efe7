#pragma once

// The solver of impulses that works without a matrix, by its name in SimulationOptions::solver. All others
// are those of linalg/lcp_list.h.

#include "linalg/lcp.h"

#include <string_view>

namespace lig::formulations {

struct ImpulseSolverInfo {
    std::string_view name;
    LcpFriction friction;
    std::string_view summary;
};

inline constexpr ImpulseSolverInfo sweeps{
    "sweeps", LcpFriction::cone,
    "no matrix: Gauss-Seidel, then Newton's method on small islands; the default"};

}  // namespace lig::formulations
