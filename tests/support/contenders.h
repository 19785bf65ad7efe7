#pragma once

// Every formulation as it is by default, and `implicit` with penalties, to be held to the same answers.

#include "formulations/formulation_list.h"

#include <ligament/simulation.h>

#include <string>
#include <vector>

namespace lig::test {

struct Contender {
    std::string name;
    SimulationOptions options;
};

inline std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (const std::string_view name : formulations::formulation_names)
        all.push_back({std::string(name), {.formulation = std::string(name)}});
    SimulationOptions penalties{.formulation = "implicit"};
    penalties.touching = Touching::penalty;
    penalties.implicit.penalty_dissipation = 30;  // nothing bounces
    penalties.implicit.penalty_frequency = 300;   // it gives way by 3 µm
    all.push_back({"implicit, penalties", penalties});
    return all;
}

}  // namespace lig::test
