#pragma once

// The acceleration of a tendon's length. The recursions leave behind the links' accelerations, less gravity;
// a straight piece between p and q, with unit vector d and length s, has the acceleration d · (q̈ − p̈) +
// (|q̇ − ṗ|² − (d · (q̇ − ṗ))²) / s, in which the gravity of both ends cancels.

#include "dynamics/loop_length.h"
#include "dynamics/tendon_path.h"

namespace lig {

template <class T>
struct PointMotion {
    Vec3<T> p, velocity, acceleration;
};

template <class T>
PointMotion<T> site_motion(const Workspace<T>& ws, int site) {
    const int link = site_link(ws.model(), site);
    const Vec3<T> p = site_position(ws, site);
    const Vec3<T> arm = p - carrier_pose(ws, link).p;
    const Motion<T>& a = link >= 0 ? ws.links[link].a0 : ws.bases[-1 - link].a0;
    const Vec3<T>& w = link >= 0 ? ws.links[link].w : ws.bases[-1 - link].V_WL.ang;
    PointMotion<T> out{p, shift(carrier_velocity(ws, link), arm).lin,
                       a.lin + cross(a.ang, arm) + cross(w, cross(w, arm))};
    if (stretch_of(ws, link)) {
        const Model::Site& own = ws.model().sites[site];
        const Vec3<T> slip = attached_slip(ws, own.body, own.X_BS);
        out.velocity += slip;
        out.acceleration += T(real_t<T>(2)) * cross(w, slip);
    }
    return out;
}

// Of the distance of two sites.
template <class T>
T distance_acceleration(const Workspace<T>& ws, int from, int to) {
    const PointMotion<T> a = site_motion(ws, from), b = site_motion(ws, to);
    const Vec3<T> between = b.p - a.p, velocity = b.velocity - a.velocity;
    const T length = sqrt(dot(between, between));
    const auto none = length == T(0);
    const T reciprocal = select(none, T(0), T(1) / select(none, T(1), length));
    const Vec3<T> d = reciprocal * between;
    const T along = dot(d, velocity);
    return dot(d, b.acceleration - a.acceleration) + reciprocal * (dot(velocity, velocity) - along * along);
}

// The acceleration of the length of a tendon without obstacles, under the link accelerations that the last
// recursion left behind, as far as it is not that of joints of the tree by their coordinates.
template <class T>
T length_acceleration(const Workspace<T>& ws, const Model::Tendon& tendon) {
    T sum = loop_accelerations(ws, tendon);
    for_each_piece(ws.model(), tendon, [&](int from, const Model::TendonPoint*, int to, double divisor) {
        sum += lift<T>(1 / divisor) * distance_acceleration(ws, from, to);
    });
    return sum;
}

}  // namespace lig
