#include "app/dynamics/equality_output.h"

#include <fmt/format.h>

namespace lig::app {

Json multipliers_json(const Model& model, std::span<const double> multipliers) {
    Json out = Json::object();
    if (multipliers.empty()) return out;
    std::size_t at = 0;
    const auto name = [](const std::string& given, std::string_view kind, std::size_t index) {
        return given.empty() ? fmt::format("{}{}", kind, index) : given;
    };
    for (std::size_t k = 0; k < model.loops.size(); ++k) {
        const Model::Loop& loop = model.loops[k];
        if (loop.active) out[name(loop.name, "loop", k)] = to_json(multipliers.subspan(at, loop.rows));
        at += loop.rows;
    }
    for (std::size_t k = 0; k < model.couplings.size(); ++k, ++at)
        if (model.couplings[k].active) out[name(model.couplings[k].name, "coupling", k)] = multipliers[at];
    for (std::size_t k = 0; k < model.tendon_couplings.size(); ++k, ++at)
        if (model.tendon_couplings[k].active)
            out[name(model.tendon_couplings[k].name, "tendon_coupling", k)] = multipliers[at];
    for (std::size_t k = 0; k < model.pair_constraints.size(); ++k) {
        const Model::PairConstraint& pair = model.pair_constraints[k];
        if (pair.active) out[name(pair.name, "constraint", k)] = to_json(multipliers.subspan(at, pair.rows));
        at += pair.rows;
    }
    for (std::size_t k = 0; k < model.subtree_constraints.size(); ++k) {
        const Model::SubtreeConstraint& held = model.subtree_constraints[k];
        if (held.active)
            out[name(held.name, subtree_quantity_words[static_cast<int>(held.quantity)], k)] =
                to_json(multipliers.subspan(at, held.rows));
        at += held.rows;
    }
    for (std::size_t k = 0; k < model.group_constraints.size(); ++k) {
        const Model::GroupConstraint& group = model.group_constraints[k];
        if (group.active) out[name(group.name, "group", k)] = to_json(multipliers.subspan(at, group.rows));
        at += group.rows;
    }
    return out;
}

}  // namespace lig::app
