#include <ligament/model.h>
#include <ligament/state.h>

#include "core/rotation.h"
#include "model/base_numbers.h"

#include <stdexcept>

namespace lig {

namespace {

template <class T>
Vec3<T> broadcast(const Vec3d& a) {
    using R = real_t<T>;
    return {T(R(a.x)), T(R(a.y)), T(R(a.z))};
}

}  // namespace

template <class T>
JointState<T>::JointState(const Model& model) {
    using R = real_t<T>;
    for (const double x : model.q0) q.push_back(T(R(x)));
    for (const double x : model.loop_q0) loop_q.push_back(T(R(x)));
    v.assign(model.nv, T(0));
    act.assign(model.na, T(0));
    for (const int body : model.kinematic_bodies) {
        const Transformd& X_WB = model.bodies[body].X_WB0;
        const Quatd quat = quaternion(X_WB.R);
        kinematic.push_back({broadcast<T>(X_WB.p),
                             {T(R(quat.w)), T(R(quat.x)), T(R(quat.y)), T(R(quat.z))},
                             Motion<T>::zero(),
                             Motion<T>::zero()});
    }
}

template <class T>
BodyState<T>::BodyState(const Model& model)
    : pos(model.bodies.size(), Vec3<T>::zero()),
      quat(model.bodies.size(), Quat<T>::identity()),
      vel(model.bodies.size(), Motion<T>::zero()) {}

template <class T>
void set_lane(JointState<T>& lanes, int lane, const JointState<real_t<T>>& state) {
    if (lanes.q.size() != state.q.size() || lanes.v.size() != state.v.size() ||
        lanes.act.size() != state.act.size() || lanes.kinematic.size() != state.kinematic.size() ||
        lanes.loop_q.size() != state.loop_q.size())
        throw std::invalid_argument("lig::set_lane: the two states are of different models");
    for (std::size_t k = 0; k < state.q.size(); ++k) set_lane(lanes.q[k], lane, state.q[k]);
    for (std::size_t k = 0; k < state.v.size(); ++k) set_lane(lanes.v[k], lane, state.v[k]);
    for (std::size_t k = 0; k < state.act.size(); ++k) set_lane(lanes.act[k], lane, state.act[k]);
    for (std::size_t k = 0; k < state.loop_q.size(); ++k) set_lane(lanes.loop_q[k], lane, state.loop_q[k]);
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        for_each_number(lanes.kinematic[k], state.kinematic[k],
                        [&](T& to, const real_t<T>& from) { set_lane(to, lane, from); });
}

template <class T>
JointState<real_t<T>> get_lane(const JointState<T>& lanes, int lane) {
    JointState<real_t<T>> state;
    for (const T& x : lanes.q) state.q.push_back(get_lane(x, lane));
    for (const T& x : lanes.v) state.v.push_back(get_lane(x, lane));
    for (const T& x : lanes.act) state.act.push_back(get_lane(x, lane));
    for (const T& x : lanes.loop_q) state.loop_q.push_back(get_lane(x, lane));
    state.kinematic.resize(lanes.kinematic.size());
    for (std::size_t k = 0; k < state.kinematic.size(); ++k)
        for_each_number(state.kinematic[k], lanes.kinematic[k],
                        [&](real_t<T>& to, const T& from) { to = get_lane(from, lane); });
    state.time = lanes.time;
    return state;
}

JointState<double> keyframe_state(const Model& model, int keyframe) {
    const Model::Keyframe& key = model.keyframes.at(keyframe);
    JointState<double> state(model);
    state.q = key.q;
    state.v = key.v;
    state.act = key.act;
    for (std::size_t k = 0; k < state.kinematic.size(); ++k) {
        state.kinematic[k].pos = key.kinematic[k].pos;
        state.kinematic[k].quat = key.kinematic[k].quat;
    }
    state.time = key.time;
    return state;
}

#define LIG_INSTANTIATE(T)                                                     \
    template struct JointState<T>;                                             \
    template struct BodyState<T>;                                              \
    template void set_lane(JointState<T>&, int, const JointState<real_t<T>>&); \
    template JointState<real_t<T>> get_lane(const JointState<T>&, int);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
