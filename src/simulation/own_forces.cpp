#include "simulation/own_forces.h"

#include "bodies/modal.h"
#include "model/named.h"

#include <array>
#include <cmath>

namespace lig {

OwnForces::OwnForces(const Model& model) {
    int count = 0;
    for (std::size_t k = 0; k < model.deforming.size(); ++k) {
        const Model::Deforming& own = model.deforming[k];
        const auto* const kind = own.modal ? dynamic_cast<const PushedBody*>(own.modal->kind.get()) : nullptr;
        if (!kind) continue;
        const TreeStretch& stretch = model.tree.stretches[k];
        bodies_.push_back({kind, named(model, model.bodies[own.body]), stretch.q_adr, stretch.v_adr,
                           stretch.count});
        count += stretch.count;
    }
    before_.resize(count);
    with_.resize(count);
}

std::string OwnForces::add(const JointState<double>& state, std::vector<double>& applied) {
    std::string bad;
    std::size_t at = 0;
    for (const Body& body : bodies_) {
        std::array<double, max_shape_coordinates> force{};
        body.kind->push({state.q.data() + body.q, state.v.data() + body.v, state.time}, force.data());
        for (int k = 0; k < body.count; ++k, ++at) {
            if (!std::isfinite(force[k]) && bad.empty())
                bad = "a force of " + body.name + " on its own coordinates is not finite";
            before_[at] = applied[body.v + k];
            with_[at] = applied[body.v + k] += force[k];
        }
    }
    added_ = true;
    return bad;
}

void OwnForces::take_off(std::vector<double>& applied) {
    std::size_t at = 0;
    for (const Body& body : bodies_)
        for (int k = 0; k < body.count && added_; ++k, ++at)
            if (applied[body.v + k] == with_[at] || std::isnan(with_[at])) applied[body.v + k] = before_[at];
    added_ = false;
}

}  // namespace lig
