#include "simulation/adhesion.h"

#include "dynamics/dynamics_parts.h"
#include "model/collision_model.h"

#include <algorithm>

namespace lig {

namespace {

// What rests on a hard surface is as far from it as rounding, or a slop, has left it. From so far, in metres,
// it is still drawn to it.
constexpr double reach = 1e-4;

bool draws(const Model::Actuator& actuator) { return actuator.transmission == Transmission::body; }

}  // namespace

bool Adhesion::is_in(const Model& model) {
    const CollisionModel& collision = *model.collision;
    const auto is_sticky = [](const auto& of_contact) { return of_contact.adhesion > 0; };
    return std::ranges::any_of(collision.materials, is_sticky) ||
           std::ranges::any_of(
               collision.pairs,
               [&](const CollisionModel::ExplicitPair& pair) { return is_sticky(pair.properties); }) ||
           std::ranges::any_of(model.actuators, draws);
}

Adhesion::Adhesion(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      ws_(model_),
      drives_(*model_),
      contacts_(model_),
      poses_(model_->bodies.size()) {}

void Adhesion::find_contacts_at(const JointState<double>& state) {
    forward_kinematics(state, ws_);
    for (std::size_t b = 0; b < poses_.size(); ++b) poses_[b] = body_pose(ws_, static_cast<int>(b));
    find_contacts(poses_, {.speculative_distance = reach, .stretches = ws_.stretches}, contacts_);
}

void Adhesion::find_pulls(const JointState<double>& state, const SmoothDynamics& dynamics) {
    const Contacts& found = contacts_.contacts;
    pulls_.assign(found.contacts.size(), 0.0);
    for (std::size_t c = 0; c < pulls_.size(); ++c)
        pulls_[c] = found.properties[found.manifolds[found.contacts[c].manifold].properties].adhesion;
    if (std::ranges::none_of(model_->actuators, draws)) return;
    update_drives(state, ws_, drives_);
    actuator_forces<double>(state, *model_, dynamics.ctrl, drives_);
    for (std::size_t a = 0; a < model_->actuators.size(); ++a) {
        const Model::Actuator& actuator = model_->actuators[a];
        if (!draws(actuator) || drives_.actuator_force[a] == 0) continue;
        const auto is_its = [&](const Contact& contact) {
            const Manifold& manifold = found.manifolds[contact.manifold];
            return model_->geoms[manifold.geom_a].body == actuator.body ||
                   model_->geoms[manifold.geom_b].body == actuator.body;
        };
        const auto count = std::ranges::count_if(found.contacts, is_its);
        for (std::size_t c = 0; c < pulls_.size(); ++c)
            if (is_its(found.contacts[c]))
                pulls_[c] += drives_.actuator_force[a] / static_cast<double>(count);
    }
}

void Adhesion::put_on(const JointState<double>& state, SmoothDynamics& dynamics,
                      std::vector<Force<double>>& acting) {
    given_ = dynamics.xfrc_applied;
    is_on_ = true;
    find_contacts_at(state);
    find_pulls(state, dynamics);
    acting.assign(model_->bodies.size(), Force<double>::zero());
    const Contacts& found = contacts_.contacts;
    const auto pull = [&](int geom, const Vec3d& force, const Vec3d& at) {
        const int body = model_->geoms[geom].body;
        acting[body] +=
            shift_back(Force<double>{{0, 0, 0}, force}, at - poses_[body] * model_->bodies[body].com);
    };
    for (std::size_t c = 0; c < pulls_.size(); ++c) {
        if (pulls_[c] == 0) continue;
        const Contact& contact = found.contacts[c];
        const Manifold& manifold = found.manifolds[contact.manifold];
        pull(manifold.geom_a, pulls_[c] * contact.normal, contact.on_a);
        pull(manifold.geom_b, -pulls_[c] * contact.normal, contact.on_b);
    }
    for (std::size_t b = 1; b < acting.size(); ++b) dynamics.xfrc_applied[b] += acting[b];
}

void Adhesion::take_off(SmoothDynamics& dynamics) {
    if (is_on_) dynamics.xfrc_applied = given_;
    is_on_ = false;
}

}  // namespace lig
