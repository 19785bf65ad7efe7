#include "formulations/implicit/ball_springs.h"

#include "dynamics/joint_springs.h"
#include "dynamics/rotation_spring.h"
#include "joints/joint_list.h"

#include <algorithm>

namespace lig::implicit {

BallSprings::BallSprings(const Model& model) : model_(&model) {
    if (!model.options.enabled.spring) return;
    for (const Model::Joint& joint : model.joints) {
        if (joint.type != JointType::ball) continue;
        if (joint.axis_spring)
            springs_.push_back(
                {joint.q_adr, joint.v_adr, joint.axis_spring->stiffness, joint.axis_spring->R_MS, true});
        else if (joint.stiffness != 0 && joint.stiffness_poly == std::array<double, 2>{})
            springs_.push_back({joint.q_adr, joint.v_adr, {joint.stiffness, joint.stiffness, joint.stiffness}, Mat3d::identity(), false});
    }
    for (std::vector<Vec3d>* v : {&shortest_, &now_, &accepted_}) v->assign(springs_.size(), Vec3d::zero());
    beyond_.assign(springs_.size(), 0);
}

Vec3d BallSprings::shortest(const Spring& spring, const JointState<double>& state) const {
    Vec3d e;
    joints::Ball::difference(model_->q_spring.data() + spring.q_adr, state.q.data() + spring.q_adr, &e.x);
    return transpose_mul(spring.R_MS, e);
}

void BallSprings::start(const JointState<double>& state) {
    for (std::size_t k = 0; k < springs_.size(); ++k)
        shortest_[k] = now_[k] = accepted_[k] = shortest(springs_[k], state);
    std::fill(beyond_.begin(), beyond_.end(), 0);
}

void BallSprings::follow(const JointState<double>& state) {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        shortest_[k] = shortest(springs_[k], state);
        now_[k] = unwrapped(shortest_[k], accepted_[k]);
        const Vec3d by = now_[k] - shortest_[k];
        beyond_[k] = dot(by, by) > 0;
    }
}

void BallSprings::add_torques(std::span<double> tau) const {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        if (!beyond_[k]) continue;
        const Spring& spring = springs_[k];
        const Vec3d torque = spring.R_MS * (rotation_spring_torque(spring.stiffness, now_[k]) -
                                            rotation_spring_torque(spring.stiffness, shortest_[k]));
        for (int a = 0; a < 3; ++a) tau[spring.v_adr + a] += torque[a];
    }
}

void BallSprings::add_terms(double h, JointTerms& terms) const {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        const Sym3d there = spring.by_axes
                                ? rotation_spring_return(spring.stiffness, shortest_[k])
                                : Sym3d::diagonal(spring.stiffness.x, spring.stiffness.y, spring.stiffness.z);
        const Mat3d K = rotate(spring.R_MS, rotation_spring_stiffness(spring.stiffness, now_[k]) - there).full();
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b <= a; ++b)
                terms.added[terms.added_at(spring.v_adr + a, spring.v_adr + b)] += h * h * K(a, b);
    }
}

}  // namespace lig::implicit
