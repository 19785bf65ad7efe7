#include "formulations/maximal/kept_bodies.h"

namespace lig::maximal {

KeptBodies::KeptBodies(const Model& model) {
    const std::size_t links = model.tree.links.size();
    coordinates.x.assign(links, Vec3d::zero());
    coordinates.quat.assign(links, Quatd{1, 0, 0, 0});
    coordinates.V.assign(links, Motion<double>::zero());
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

void write_pose(const BodyCoordinates& bodies, std::size_t link, NumberWriter& out) {
    out.vector(bodies.x[link]);
    out.quaternion(bodies.quat[link]);
}

void read_pose(NumberReader& in, std::size_t link, BodyCoordinates& bodies) {
    bodies.x[link] = in.vector();
    bodies.quat[link] = in.quaternion();
}

}  // namespace lig::maximal
