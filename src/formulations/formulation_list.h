#pragma once

// The formulations this build has, one line each. The command line's `--formulation` and `ligament list
// formulations` run over the list.

#include <string_view>

namespace lig::formulations {

struct FormulationInfo {
    std::string_view name;
    std::string_view summary;
};

inline constexpr FormulationInfo formulation_list[] = {
    {"reduced", "joint coordinates: the articulated-body method, impulses on velocities"},
};

}  // namespace lig::formulations
