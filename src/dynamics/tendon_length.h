#pragma once

// The length of a spatial tendon and its derivative, as forces on the links that it touches. The straight
// piece from p to q has the derivative d · (q̇ − ṗ), d the unit vector from p to q: a force −d at p and +d at
// q. Around an obstacle the piece is a shortest path, so its derivative is that of the two straight ends with
// their touching points held on the obstacle. Each piece is divided by the divisor of its branch.

#include "dynamics/drive_rows.h"
#include "dynamics/tendon_path.h"
#include "dynamics/tendon_wrap.h"

namespace lig {

// The unit vector from p to q, zero where they coincide, and the distance.
template <class T>
struct Straight {
    Straight(const Vec3<T>& p, const Vec3<T>& q) {
        const Vec3<T> between = q - p;
        length = sqrt(dot(between, between));
        const auto none = length == T(0);
        direction = select(none, T(0), T(1) / select(none, T(1), length)) * between;
    }
    T length;
    Vec3<T> direction;
};

// A path around an obstacle in every lane.
template <class T>
struct LanePath {
    mask_t<T> wraps;
    Vec3<T> first, last;
    T arc;
};

template <class T>
Vec3<real_t<T>> lane_of(const Vec3<T>& a, int lane) {
    return {get_lane(a.x, lane), get_lane(a.y, lane), get_lane(a.z, lane)};
}

template <class T>
LanePath<T> path_around(const Workspace<T>& ws, const Model::TendonPoint& stop, const Vec3<T>& from,
                        const Vec3<T>& to) {
    using R = real_t<T>;
    const Model& model = ws.model();
    const Model::Geom& geom = model.geoms[stop.geom];
    const Model::Body& body = model.bodies[geom.body];
    const Transform<T> X_WG = carrier_pose(ws, body.link) * lift<T>(body.X_LB * geom.X_BG);
    const Vec3<T> side = stop.side_site >= 0 ? site_position(ws, stop.side_site) : Vec3<T>::zero();
    T wraps;
    LanePath<T> out;
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        const WrapObstacle<R> obstacle{{{lane_of(X_WG.R.x, lane), lane_of(X_WG.R.y, lane),
                                         lane_of(X_WG.R.z, lane)},
                                        lane_of(X_WG.p, lane)},
                                       R(geom.spec.size.x),
                                       geom.spec.shape == ShapeType::cylinder};
        const Vec3<R> side_in_lane = lane_of(side, lane);
        const WrapPath<R> path = wrap_path(obstacle, lane_of(from, lane), lane_of(to, lane),
                                           stop.side_site >= 0 ? &side_in_lane : nullptr);
        set_lane(wraps, lane, R(path.wraps));
        for (int k = 0; k < 3; ++k) {
            set_lane(out.first[k], lane, path.first[k]);
            set_lane(out.last[k], lane, path.last[k]);
        }
        set_lane(out.arc, lane, path.arc);
    }
    out.wraps = wraps != T(0);
    return out;
}

template <class T>
Vec3<T> choose(const mask_t<T>& m, const Vec3<T>& a, const Vec3<T>& b) {
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// add(link, stop, PointForce): what the length does to a link; forces balance on the links from `stop` on.
template <class T, class Add>
T spatial_length(const Workspace<T>& ws, const Model::Tendon& tendon, const Add& add) {
    const Model& model = ws.model();
    const Vec3<T> no_moment = Vec3<T>::zero();
    T length(0);
    for_each_piece(model, tendon, [&](int from, const Model::TendonPoint* obstacle, int to, double divisor) {
        const T share = lift<T>(1 / divisor);
        const Vec3<T> p = site_position(ws, from), q = site_position(ws, to);
        const int link_p = site_link(model, from), link_q = site_link(model, to);
        const Straight<T> direct(p, q);
        if (!obstacle) {
            const int stop = common_carrier(model.tree, link_p, link_q);
            length += share * direct.length;
            add(link_p, stop, {p, -(share * direct.direction), no_moment});
            add(link_q, stop, {q, share * direct.direction, no_moment});
            return;
        }
        const LanePath<T> path = path_around(ws, *obstacle, p, q);
        const Straight<T> before(p, path.first), after(path.last, q);
        length += share * select(path.wraps, before.length + path.arc + after.length, direct.length);
        // Which freedoms drop out depends on whether it wraps, so every force goes all the way down.
        const int link_g = model.bodies[model.geoms[obstacle->geom].body].link;
        const Vec3<T> at_p = share * choose<T>(path.wraps, before.direction, direct.direction);
        const Vec3<T> at_q = share * choose<T>(path.wraps, after.direction, direct.direction);
        const Vec3<T> none = Vec3<T>::zero();
        add(link_p, no_link, {p, -at_p, no_moment});
        add(link_g, no_link, {path.first, choose<T>(path.wraps, at_p, none), no_moment});
        add(link_g, no_link, {path.last, choose<T>(path.wraps, -at_q, none), no_moment});
        add(link_q, no_link, {q, at_q, no_moment});
    });
    return length;
}

}  // namespace lig
