#pragma once

// The derivative of a length with respect to the velocities. A length that depends on the poses of some
// bodies changes with the power of a few forces on them: l̇ = Σ f · V. Each force is carried down the chain
// of its body; what two chains have in common moves both bodies alike and is left out where the forces
// balance.

#include "core/lift.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/stretches.h"

#include <ligament/drives.h>

#include <limits>

namespace lig {

// A force at a point of a body and a moment, in world axes.
template <class T>
struct PointForce {
    Vec3<T> at, force, moment;
};

inline constexpr int no_link = std::numeric_limits<int>::min();

// The last link, or else the base, that carries both; `no_link` when they hang on different bases. Parents
// have lower indices than their children, bases negative ones.
inline int common_carrier(const Tree<double>& tree, int a, int b) {
    while (a != b) {
        int& later = a > b ? a : b;
        if (later < 0) return no_link;
        later = tree.links[later].parent;
    }
    return a;
}

template <class T>
Vec3<T> site_position(const Workspace<T>& ws, int site) {
    const Model::Site& s = ws.model().sites[site];
    const Model::Body& body = ws.model().bodies[s.body];
    return carrier_pose(ws, body.link) * stretched(ws, body.link, lift<T>(body.X_LB * s.X_BS.p));
}
template <class T>
Mat3<T> site_axes(const Workspace<T>& ws, int site) {
    const Model::Site& s = ws.model().sites[site];
    const Model::Body& body = ws.model().bodies[s.body];
    return carrier_pose(ws, body.link).R * lift<T>(body.X_LB.R * s.X_BS.R);
}
inline int site_link(const Model& model, int site) { return model.bodies[model.sites[site].body].link; }

// Collects one row in drives.row and takes it over to its place.
template <class T>
class RowBuilder {
public:
    RowBuilder(const Workspace<T>& ws, DriveWorkspace<T>& drives, const Model::Row& row)
        : ws_(ws), drives_(drives), row_(row) {
        for (int k = 0; k < row.count; ++k) drives.row[velocity_index(k)] = T(0);
    }

    // A force on a link, at a point of it, carried down to `stop`.
    void add(int link, int stop, const PointForce<T>& f) {
        const Tree<double>& tree = ws_.model().tree;
        if (stretch_of(ws_, link))
            for_each_stretch_pull(ws_, link, f.force, rest_place(ws_, link, f.at), -1,
                                  [&](int k, const T& pull) { drives_.row[k] += pull; });
        for (; link != stop; link = tree.links[link].parent) {
            const Force<T> about_L = {f.moment + cross(f.at - carrier_pose(ws_, link).p, f.force), f.force};
            if (link < 0) {  // a base moves as the state says
                base_velocity_ += dot(carrier_velocity(ws_, link), about_L);
                return;
            }
            for (int k = tree.links[link].v_adr; k < tree.links[link].v_adr + tree.links[link].nv; ++k)
                drives_.row[k] += dot(ws_.S[k], about_L);
        }
    }

    // Writes the row and returns the velocity of the length.
    T finish(const std::vector<T>& v) {
        T velocity = base_velocity_;
        for (int k = 0; k < row_.count; ++k) {
            const T entry = drives_.row[velocity_index(k)];
            drives_.row_entries[row_.begin + k] = entry;
            velocity += entry * v[velocity_index(k)];
        }
        return velocity;
    }

private:
    int velocity_index(int k) const { return ws_.model().row_velocities[row_.begin + k]; }

    const Workspace<T>& ws_;
    DriveWorkspace<T>& drives_;
    Model::Row row_;
    T base_velocity_ = T(0);
};

// Whether it acts on a joint that closes a loop: what that does to the joints of the tree, these do not bear.
inline bool acts_on_loop(const Model& model, const Model::Actuator& actuator) {
    return actuator.transmission == Transmission::tendon && model.tendons[actuator.tendon].loop >= 0;
}

// tau += force · row.
template <class T>
void add_along_row(const Model& model, const DriveWorkspace<T>& drives, const Model::Row& row, const T& force,
                   std::span<T> tau) {
    for (int k = row.begin; k < row.begin + row.count; ++k)
        tau[model.row_velocities[k]] += drives.row_entries[k] * force;
}

// The parts of update_drives.
template <class T>
void update_tendons(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives);
template <class T>
void update_transmissions(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives);

}  // namespace lig
