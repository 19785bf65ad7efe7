#include "formulations/maximal/kept_bodies.h"

#include "formulations/maximal/body_momenta.h"

namespace lig::maximal {

KeptBodies::KeptBodies(const Model& model) {
    const std::size_t links = model.tree.links.size();
    coordinates.x.assign(links, Vec3d::zero());
    coordinates.quat.assign(links, Quatd{1, 0, 0, 0});
    coordinates.V.assign(links, Motion<double>::zero());
    coordinates.shapes.resize(model.tree.stretches.size());
}

void KeptBodies::belong_to(const JointState<double>& state) {
    q_ = state.q;
    v_ = state.v;
    belongs_ = Belongs::all;
}

void KeptBodies::state_was_set(const JointState<double>& state) {
    q_ = state.q;
    v_ = state.v;
    belongs_ = Belongs::none;
}

void KeptBodies::velocities_were_set(const JointState<double>& state) {
    belongs_ = poses_match(state) ? Belongs::poses : Belongs::none;
    v_ = state.v;
}

Momenta KeptBodies::momenta_of(const JointState<double>& state, const Model& model,
                               MomentumAccount& account) const {
    return match(state) ? maximal::momenta_of(model, coordinates, account) : account.momenta(state);
}

void KeptBodies::save_or_restore(std::size_t link, NumberStream& numbers) {
    save_or_restore_pose(link, coordinates, numbers);
    numbers.spatial(coordinates.V[link]);
}

void save_or_restore_shapes(BodyCoordinates& bodies, NumberStream& numbers) {
    for (StretchWork<double>& shape : bodies.shapes) {
        numbers.symmetric(shape.S);
        numbers.symmetric(shape.rate);
    }
}

void save_or_restore_pose(std::size_t link, BodyCoordinates& bodies, NumberStream& numbers) {
    numbers.vector(bodies.x[link]);
    numbers.quaternion(bodies.quat[link]);
}

}  // namespace lig::maximal
