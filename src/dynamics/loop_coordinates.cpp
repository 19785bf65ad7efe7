// Coordinates of joints that close loops, as they follow from the poses.

#include "dynamics/loop_length.h"

#include <stdexcept>

namespace lig {

namespace {

template <class T>
void read_loop(const JointState<T>& state, const Workspace<T>& ws, const Model::Loop& loop, T* q, T* v) {
    const LoopPose<T> pose(ws, loop);
    const joints::JointInfo& info = joints::joint_info(loop.type);
    Motion<T> S[joints::max_nv];
    read_coordinates(&state.loop_q, ws.model(), loop, pose.X_FM, q, S);
    const auto velocity_at_M = [&](int link, const Vec3<T>& slip) -> Motion<T> {
        Motion<T> V = shift(carrier_velocity(ws, link), pose.p_M - carrier_pose(ws, link).p);
        V.lin += slip;
        return V;
    };
    const Motion<T> a = velocity_at_M(pose.link_a, pose.slip_F), b = velocity_at_M(pose.link_b, pose.slip_M);
    const Motion<T> V_FM{transpose_mul(pose.R_WF, b.ang - a.ang), transpose_mul(pose.R_WF, b.lin - a.lin)};
    for (int k = 0; k < info.nv; ++k) v[k] = dot(V_FM, along_freedom(S[k]));
}

}  // namespace

template <class T>
void loop_coordinates(const JointState<T>& state, const Workspace<T>& ws, int loop, std::span<T> q,
                      std::span<T> v) {
    const Model& model = ws.model();
    if (loop < 0 || loop >= static_cast<int>(model.loops.size()))
        throw std::invalid_argument("lig::loop_coordinates: there is no loop of this index");
    const joints::JointInfo& info = joints::joint_info(model.loops[loop].type);
    require_size(q.size(), static_cast<std::size_t>(info.nq), "q");
    require_size(v.size(), static_cast<std::size_t>(info.nv), "v");
    T coordinates[joints::max_nq], velocities[joints::max_nv];
    read_loop(state, ws, model.loops[loop], coordinates, velocities);
    for (int k = 0; k < info.nq; ++k) q[k] = coordinates[k];
    for (int k = 0; k < info.nv; ++k) v[k] = velocities[k];
}

template <class T>
void count_loop_turns(const Workspace<T>& ws, JointState<T>& state) {
    const Model& model = ws.model();
    if (state.loop_q.empty())
        for (const double q : model.loop_q0) state.loop_q.push_back(lift<T>(q));
    for (const Model::Loop& loop : model.loops) {
        if (loop.q_adr < 0) continue;
        T q[joints::max_nq];
        Motion<T> S[joints::max_nv];
        read_coordinates(&state.loop_q, model, loop, LoopPose<T>(ws, loop).X_FM, q, S);
        for (int k = 0; k < joints::joint_info(loop.type).nq; ++k) state.loop_q[loop.q_adr + k] = q[k];
    }
}

#define LIG_INSTANTIATE(T)                                                                       \
    template void loop_coordinates(const JointState<T>&, const Workspace<T>&, int, std::span<T>, \
                                   std::span<T>);                                                \
    template void count_loop_turns(const Workspace<T>&, JointState<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
