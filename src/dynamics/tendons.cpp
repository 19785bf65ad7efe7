// Lengths of tendons, their derivatives, their springs and dampers.
//
// Fixed: l = Σ c q. Spatial: the sum of the lengths of its pieces, each divided by the divisor of its
// branch. The straight piece from p to q has the derivative d · (q̇ − ṗ), d the unit vector from p to q: a
// force −d at p and +d at q. Around an obstacle the piece is a shortest path, so its derivative is that of
// the two straight ends with their touching points held on the obstacle.

#include "dynamics/drive_rows.h"
#include "dynamics/tendon_force.h"
#include "dynamics/tendon_path.h"
#include "dynamics/tendon_wrap.h"

namespace lig {

namespace {

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

template <class T>
T spatial_length(const Workspace<T>& ws, const Model::Tendon& tendon, RowBuilder<T>& row) {
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
            row.add(link_p, stop, {p, -(share * direct.direction), no_moment});
            row.add(link_q, stop, {q, share * direct.direction, no_moment});
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
        row.add(link_p, no_link, {p, -at_p, no_moment});
        row.add(link_g, no_link, {path.first, choose<T>(path.wraps, at_p, none), no_moment});
        row.add(link_g, no_link, {path.last, choose<T>(path.wraps, -at_q, none), no_moment});
        row.add(link_q, no_link, {q, at_q, no_moment});
    });
    return length;
}

}  // namespace

template <class T>
void update_tendons(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives) {
    const Model& model = ws.model();
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        RowBuilder<T> row(ws, drives, tendon.row);
        if (tendon.point_count > 0) {
            drives.tendon_length[i] = spatial_length(ws, tendon, row);
        } else {
            T length(0);
            for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
                const Model::TendonTerm& term = model.tendon_terms[k];
                length += lift<T>(term.coefficient) * state.q[term.q_adr];
                drives.row[term.v_adr] += lift<T>(term.coefficient);
            }
            drives.tendon_length[i] = length;
        }
        drives.tendon_velocity[i] = row.finish(state.v);
    }
}

template <class T>
void add_tendon_spring_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (is_zero(tendon.stiffness, tendon.stiffness_poly)) continue;
        add_along_row(model, drives, tendon.row, spring_force(tendon, drives.tendon_length[i]), tau);
    }
}

template <class T>
void add_tendon_damping_forces(const Model& model, const DriveWorkspace<T>& drives, std::span<T> tau) {
    require_size(tau.size(), model.nv, "tau");
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        if (is_zero(tendon.damping, tendon.damping_poly)) continue;
        add_along_row(model, drives, tendon.row, damper_force(tendon, drives.tendon_velocity[i]), tau);
    }
}

template <class T>
Energy<T> tendon_energy(const Model& model, const DriveWorkspace<T>& drives) {
    Energy<T> sum{T(0), T(0), T(0)};
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Tendon& tendon = model.tendons[i];
        const T& v = drives.tendon_velocity[i];
        sum.kinetic += lift<T>(tendon.armature / 2) * v * v;
        if (!model.options.enabled.spring || is_zero(tendon.stiffness, tendon.stiffness_poly)) continue;
        sum.elastic += spring_energy_at(tendon.stiffness, tendon.stiffness_poly,
                                        stretch(tendon, drives.tendon_length[i]));
    }
    sum.potential = sum.elastic;
    return sum;
}

#define LIG_INSTANTIATE(T)                                                                         \
    template void update_tendons(const JointState<T>&, const Workspace<T>&, DriveWorkspace<T>&);   \
    template void add_tendon_spring_forces(const Model&, const DriveWorkspace<T>&, std::span<T>);  \
    template void add_tendon_damping_forces(const Model&, const DriveWorkspace<T>&, std::span<T>); \
    template Energy<T> tendon_energy(const Model&, const DriveWorkspace<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
