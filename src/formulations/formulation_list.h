#pragma once

// The formulations this build has, one line each. SimulationOptions::formulation, the command line's
// `--formulation` and `ligament list formulations` run over the list.

#include "formulations/capabilities.h"
#include "formulations/implicit/implicit.h"
#include "formulations/impulse/impulse.h"
#include "formulations/multiplier/multiplier.h"
#include "formulations/reduced/reduced.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace lig::formulations {

struct FormulationInfo {
    std::string_view name;
    std::string_view summary;
    const Capabilities& can;
    std::unique_ptr<Formulation> (*make)(std::shared_ptr<const Model> model,
                                         const SimulationOptions& options);

    // Whether a shared option means nothing to it, whatever the others are.
    bool ignores(std::string_view option) const;
    // Whether it has an option, the owner as in for_all_options; and whether that means anything to it, with
    // the other options as they are.
    bool has(std::string_view owner, const OptionInfo& info) const;
    bool uses(std::string_view owner, const OptionInfo& info, const SimulationOptions& options) const;
    // The first thing that it does not have, or that contradicts something else; in the model or the options.
    std::optional<Unsupported> find_unsupported(const Model& model, const SimulationOptions& options) const;
};

template <class Kind>
std::unique_ptr<Formulation> make(std::shared_ptr<const Model> model, const SimulationOptions& options) {
    return std::make_unique<Kind>(std::move(model), options);
}

inline constexpr FormulationInfo formulation_list[] = {
    {"reduced", "joint coordinates: the articulated-body method, impulses on velocities",
     Reduced::capabilities, make<Reduced>},
    {"multiplier",
     "body coordinates: joint forces by one sparse factorization, exact joints, loops by their fill",
     Multiplier::capabilities, make<Multiplier>},
    {"implicit", "body coordinates at the end of the step: stiff springs and any tension at 60 Hz",
     Implicit::capabilities, make<Implicit>},
    {"impulse", "body coordinates: sequential impulses, joint by joint and contact by contact, in sub-steps",
     Impulse::capabilities, make<Impulse>},
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

// Why options make no sense whatever the formulation; empty: they do.
std::string find_bad_option(const SimulationOptions& options);

}  // namespace lig::formulations
