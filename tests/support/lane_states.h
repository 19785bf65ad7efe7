#pragma once

// Random inputs of the recursions in any scalar, and everything the recursions make of them, as a list of
// numbers that can be compared lane by lane.

#include "support/random_scene.h"

#include <memory>

namespace lig::test {

template <class R>
R narrow(double x) {
    return static_cast<R>(x);
}

// The inputs of all lanes: a state each, forces, external forces on every link, a second configuration.
template <class R>
struct Inputs {
    JointState<R> state;
    std::vector<R> tau, q1;
    std::vector<Force<R>> f_ext;
    R h;
};

template <class R>
Inputs<R> random_inputs(Random& random, const Model& model) {
    const JointState<double> state = random_state(random, model);
    const JointState<double> other = random_state(random, model);
    Inputs<R> in{JointState<R>(model), {}, {}, {}, R(random.uniform(0.01, 0.5))};
    for (std::size_t k = 0; k < state.q.size(); ++k) in.state.q[k] = R(state.q[k]);
    for (std::size_t k = 0; k < state.v.size(); ++k) in.state.v[k] = R(state.v[k]);
    const auto three = [](Vec3<R>& to, const Vec3d& from) {
        for (int k = 0; k < 3; ++k) to[k] = R(from[k]);
    };
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        const BaseMotion<double>& from = state.kinematic[k];
        BaseMotion<R>& to = in.state.kinematic[k];
        three(to.pos, from.pos);
        to.quat = {R(from.quat.w), R(from.quat.x), R(from.quat.y), R(from.quat.z)};
        three(to.velocity.ang, from.velocity.ang);
        three(to.velocity.lin, from.velocity.lin);
        three(to.acceleration.ang, from.acceleration.ang);
        three(to.acceleration.lin, from.acceleration.lin);
    }
    for (const double x : random_numbers(random, model.nv, 5)) in.tau.push_back(R(x));
    for (const double x : other.q) in.q1.push_back(R(x));
    in.f_ext.resize(model.tree.links.size());
    for (Force<R>& f : in.f_ext) {
        three(f.ang, random_vec(random, 2));
        three(f.lin, random_vec(random, 2));
    }
    return in;
}

template <class T>
struct Lanewise {
    JointState<T> state;
    std::vector<T> tau, q1;
    std::vector<Force<T>> f_ext;
    T h;

    explicit Lanewise(const Model& model)
        : state(model), tau(model.nv), q1(model.nq), f_ext(model.tree.links.size()) {}
    void set(int lane, const Inputs<real_t<T>>& in) {
        set_lane(state, lane, in.state);
        for (std::size_t k = 0; k < tau.size(); ++k) set_lane(tau[k], lane, in.tau[k]);
        for (std::size_t k = 0; k < q1.size(); ++k) set_lane(q1[k], lane, in.q1[k]);
        for (std::size_t k = 0; k < f_ext.size(); ++k)
            for (int c = 0; c < 3; ++c) {
                set_lane(f_ext[k].ang[c], lane, in.f_ext[k].ang[c]);
                set_lane(f_ext[k].lin[c], lane, in.f_ext[k].lin[c]);
            }
        set_lane(h, lane, in.h);
    }
};

template <class T>
void append(std::vector<T>& out, const Vec3<T>& a) {
    for (int k = 0; k < 3; ++k) out.push_back(a[k]);
}

}  // namespace lig::test
