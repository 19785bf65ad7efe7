#pragma once

// The formulations this build has, one line each. SimulationOptions::formulation, the command line's
// `--formulation` and `ligament list formulations` run over the list.

#include "formulations/implicit/implicit.h"
#include "formulations/impulse/impulse.h"
#include "formulations/multiplier/multiplier.h"
#include "formulations/reduced/reduced.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace lig::formulations {

struct FormulationInfo {
    std::string_view name;
    std::string_view summary;
    bool on_bodies;  // its unknowns are motions of bodies, so everything that moves needs mass
    bool has_tendon_rows;  // its steps honour inertia and couplings of tendons
    // What of the options it does not have, in words ("the integrator rattle"); empty: all is well.
    std::string (*find_unsupported)(const SimulationOptions& options);
    std::unique_ptr<Formulation> (*make)(std::shared_ptr<const Model> model,
                                         const SimulationOptions& options);
};

template <class Kind>
std::unique_ptr<Formulation> make(std::shared_ptr<const Model> model, const SimulationOptions& options) {
    return std::make_unique<Kind>(std::move(model), options);
}

inline constexpr FormulationInfo formulation_list[] = {
    {"reduced", "joint coordinates: the articulated-body method, impulses on velocities", false, true,
     Reduced::find_unsupported, make<Reduced>},
    {"multiplier",
     "body coordinates: joint forces by one sparse factorization, exact joints, loops by their fill", true,
     false, Multiplier::find_unsupported, make<Multiplier>},
    {"implicit", "body coordinates at the end of the step: stiff springs and any tension at 60 Hz", true,
     false, Implicit::find_unsupported, make<Implicit>},
    {"impulse", "body coordinates: sequential impulses, joint by joint and contact by contact, in sub-steps",
     true, true, Impulse::find_unsupported, make<Impulse>},
};

inline constexpr auto formulation_names = [] {
    std::array<std::string_view, std::size(formulation_list)> names;
    for (std::size_t k = 0; k < names.size(); ++k) names[k] = formulation_list[k].name;
    return names;
}();

// Null when there is none.
inline const FormulationInfo* find_formulation(std::string_view name) {
    for (const FormulationInfo& info : formulation_list)
        if (info.name == name) return &info;
    return nullptr;
}

}  // namespace lig::formulations
