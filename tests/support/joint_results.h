#pragma once

// Everything that a joint says, on any scalar. The lane packs have a test file each, because all joints on
// one pack are most of what a file can take to compile.

#include "support/joint_table.h"
#include "support/random_values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace lig::test {

template <class T>
void add(std::vector<T>& out, const Vec3<T>& a) {
    for (int k = 0; k < 3; ++k) out.push_back(a[k]);
}
template <class T>
void add(std::vector<T>& out, const Transform<T>& X) {
    for (const Vec3<T>& column : {X.R.x, X.R.y, X.R.z, X.p}) add(out, column);
}
template <class T, class M>
void add_spatial(std::vector<T>& out, const M& m) {
    add(out, m.ang);
    add(out, m.lin);
}

// Everything that a joint says at q0 (moved to q1, along v), one number after the other.
template <class T>
std::vector<T> everything(const JointFunctions<T>& joint, const std::vector<T>& q0, const std::vector<T>& q1,
                          const std::vector<T>& v, const T& pitch, const Transform<T>& X, const T& step) {
    const joints::Parameters<T> parameters{pitch};
    std::vector<T> out;
    add(out, joint.pose(parameters, q0.data()));
    Motion<T> S[joints::max_nv];
    joint.motion(parameters, q0.data(), S);
    for (int k = 0; k < joint.info.nv; ++k) add_spatial(out, S[k]);
    add_spatial(out, joint.velocity_product(parameters, q0.data(), v.data()));
    T numbers[joints::max_nq];
    joint.integrate(q0.data(), v.data(), step, numbers);
    out.insert(out.end(), numbers, numbers + joint.info.nq);
    joint.difference(q0.data(), q1.data(), numbers);
    out.insert(out.end(), numbers, numbers + joint.info.nv);
    joint.coordinates(parameters, X, q0.data(), numbers);
    out.insert(out.end(), numbers, numbers + joint.info.nq);
    joint.residual(parameters, X, q0.data(), numbers);
    out.insert(out.end(), numbers, numbers + joint.info.rows);
    Force<T> G[6];
    joint.jacobian(parameters, X, G);
    for (int k = 0; k < joint.info.rows; ++k) add_spatial(out, G[k]);
    joint.jacobian_rate(parameters, X, Motion<T>{X.R.x, X.p}, numbers);
    out.insert(out.end(), numbers, numbers + joint.info.rows);
    return out;
}

// The numbers that a joint is asked about.
struct Inputs {
    std::vector<double> q0, q1, v;
    double pitch, step;
    Transformd X;
};

inline Inputs random_inputs(Random& random, const joints::JointInfo& info) {
    Inputs in{std::vector<double>(info.nq + 1),
              std::vector<double>(info.nq + 1),
              std::vector<double>(info.nv + 1),
              random.uniform(-0.5, 0.5),
              random.uniform(0, 1),
              {}};
    random_coordinates(random, info, 2, in.q0.data());
    random_coordinates(random, info, 2, in.q1.data());
    for (double& x : in.v) x = random.uniform(-1, 1);
    // Off the manifold of most joints.
    in.X = {rotation_matrix(random_rotation(random, 1.5)), random_vec(random, 1)};
    return in;
}

// The inputs of one lane, or of a plain number.
template <class T>
struct Scalars {
    std::vector<T> q0, q1, v;
    T pitch, step;
    Transform<T> X;

    explicit Scalars(const Inputs& shape) : q0(shape.q0.size()), q1(shape.q1.size()), v(shape.v.size()) {}
    void set(int lane, const Inputs& in) {
        using R = real_t<T>;
        const auto fill = [&](std::vector<T>& to, const std::vector<double>& from) {
            for (std::size_t k = 0; k < from.size(); ++k) set_lane(to[k], lane, R(from[k]));
        };
        fill(q0, in.q0);
        fill(q1, in.q1);
        fill(v, in.v);
        set_lane(pitch, lane, R(in.pitch));
        set_lane(step, lane, R(in.step));
        for (int k = 0; k < 3; ++k) {
            set_lane(X.R.x[k], lane, R(in.X.R.x[k]));
            set_lane(X.R.y[k], lane, R(in.X.R.y[k]));
            set_lane(X.R.z[k], lane, R(in.X.R.z[k]));
            set_lane(X.p[k], lane, R(in.X.p[k]));
        }
    }
    std::vector<T> run(const JointFunctions<T>& joint) const {
        return everything(joint, q0, q1, v, pitch, X, step);
    }
};

// W different inputs in the lanes of T give the bits of W calls.
template <class T>
void check_lanes() {
    using R = real_t<T>;
    const auto of_lanes = joint_table<T>();
    const auto of_numbers = joint_table<R>();
    for (std::size_t j = 0; j < of_lanes.size(); ++j) {
        CAPTURE(std::string(of_lanes[j].info.name));
        Random random(7 + j);
        for (int trial = 0; trial < 5; ++trial) {
            std::vector<Inputs> inputs;
            for (int lane = 0; lane < lane_width<T>; ++lane)
                inputs.push_back(random_inputs(random, of_lanes[j].info));
            Scalars<T> lanes(inputs[0]);
            for (int lane = 0; lane < lane_width<T>; ++lane) lanes.set(lane, inputs[lane]);
            const std::vector<T> together = lanes.run(of_lanes[j]);
            for (int lane = 0; lane < lane_width<T>; ++lane) {
                Scalars<R> single(inputs[lane]);
                single.set(0, inputs[lane]);
                const std::vector<R> alone = single.run(of_numbers[j]);
                bool same = alone.size() == together.size();
                for (std::size_t k = 0; same && k < alone.size(); ++k)
                    same = same_bits(get_lane(together[k], lane), alone[k]);
                CHECK(same);
            }
        }
    }
}

}  // namespace lig::test
