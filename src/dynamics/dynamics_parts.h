#pragma once

// Small things that the functions of joint-space dynamics share.

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <span>
#include <stdexcept>
#include <string>

namespace lig {

inline void require_size(std::size_t have, std::size_t want, const char* what) {
    if (have != want)
        throw std::invalid_argument(std::string("lig: ") + what + " has " + std::to_string(have) +
                                    " entries, the model needs " + std::to_string(want));
}

// The pose and velocity that a body's frame moves with: its link's or its base's. After forward_kinematics.
template <class T>
const Transform<T>& carrier_pose(const Workspace<T>& ws, int link) {
    return link >= 0 ? ws.poses[link].X_WL : ws.bases[-1 - link].X_WL;
}
template <class T>
const Motion<T>& carrier_velocity(const Workspace<T>& ws, int link) {
    return link >= 0 ? ws.poses[link].V_WL : ws.bases[-1 - link].V_WL;
}

// Its acceleration about its origin, less gravity, as the last recursion left it behind.
template <class T>
const Motion<T>& carrier_acceleration(const Workspace<T>& ws, int link) {
    return link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
}

// The velocities of links by those of joints, where poses and S are those of forward_kinematics already.
inline void update_link_velocities(std::span<const double> v, Workspace<double>& ws) {
    const std::vector<TreeLink<double>>& links = ws.tree().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        Motion<double> V = shift(carrier_velocity(ws, links[i].parent), ws.links[i].r);
        for (int k = links[i].v_adr; k < links[i].v_adr + links[i].nv; ++k) V += v[k] * ws.S[k];
        ws.poses[i].V_WL = V;
    }
}

// The world stands still and accelerates against gravity; kinematic bodies do what the state says.
template <class T>
void set_bases(const JointState<T>& state, Workspace<T>& ws);

}  // namespace lig
