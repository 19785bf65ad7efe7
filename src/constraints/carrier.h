#pragma once

// What rows between two bodies need of one of them: the link or base that carries it, in one state.

#include "dynamics/dynamics_parts.h"
#include "dynamics/stretches.h"

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <cmath>

namespace lig {

struct Carrier {
    Carrier(const Workspace<double>& ws, int link)
        : link(link), X(carrier_pose(ws, link)), V(carrier_velocity(ws, link)) {}

    // Something is fixed to it at r in its frame at rest. Returns where that is now; what is at p moves with
    // it.
    Vec3d attach(const Workspace<double>& ws, const Vec3d& r) {
        if (!stretch_of(ws, link)) return r;
        slips = true;
        slip = X.R * slip_of(ws, link, r);
        return stretched(ws, link, r);
    }

    Vec3d velocity_at(const Vec3d& p) const {
        const Vec3d rigid = V.lin + cross(V.ang, p - X.p);
        return slips ? rigid + slip : rigid;
    }

    int link;
    const Transformd& X;
    const Motion<double>& V;
    bool slips = false;            // what is fixed to it moves in its frame, which stretches,
    Vec3d slip = Vec3d::zero();    // at this velocity
};

// Its acceleration about its origin while v̇ = 0, less gravity. After forward_dynamics, or inverse_dynamics
// with v̇ = 0.
inline Motion<double> free_acceleration(const Workspace<double>& ws, int link) {
    return link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
}

// The acceleration of a point of the carrier while v̇ = 0, gravity included again: rows need not be of
// differences.
inline Motion<double> acceleration_at(const Workspace<double>& ws, const Carrier& carrier, const Vec3d& p) {
    const Motion<double> a = free_acceleration(ws, carrier.link);
    const Vec3d r = p - carrier.X.p;
    const Vec3d& w = carrier.V.ang;
    Vec3d linear = a.lin - ws.bases[0].a0.lin + cross(a.ang, r) + cross(w, cross(w, r));
    if (carrier.slips) linear += 2 * cross(w, carrier.slip);
    return {a.ang, linear};
}

// The radius of gyration of a link about its origin: how large it is, where nothing else tells.
inline double gyration(const Model& model, int link) {
    if (link < 0) return 0;
    const SplitInertia<double>& inertia = model.tree.links[link].inertia;
    if (!(inertia.mass > 0)) return 0;
    return std::sqrt((3 * inertia.least + dot(inertia.u, inertia.u) + dot(inertia.v, inertia.v)) /
                     (2 * inertia.mass));
}

// A force at p about an origin.
inline Force<double> about(const Vec3d& origin, const Vec3d& p, const Force<double>& at_p) {
    return shift_back(at_p, p - origin);
}

}  // namespace lig
