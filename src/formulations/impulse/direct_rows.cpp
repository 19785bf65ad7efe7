// Limits and contacts as rows, for impulses that are found all at once (direct_solve.h): where sweeps would
// meet them, with the impulses that they have so far.

#include "constraints/base_motion.h"
#include "constraints/stretch_entries.h"
#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/impulse/pack_filling.h"
#include "formulations/impulse/tuning.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

// Of a place in MovingBodies; bases are negative, as parents are.
int link_at(const MovingBodies& bodies, int index) {
    return index >= bodies.bases() ? index - bodies.bases() : -1 - index;
}

// The row of a wrench on b about the point at arm_b from its centre of mass; a gets the opposite.
class RowMaker {
public:
    RowMaker(const MovingBodies& bodies, const Workspace<double>& ws, int a, int b)
        : ws_(ws),
          link_a_(link_at(bodies, a)),
          link_b_(link_at(bodies, b)),
          base_a_(velocity_by_base(ws, link_a_)),
          base_b_(velocity_by_base(ws, link_b_)),
          to_a_(link_a_ >= 0 ? bodies.places[a].x - ws.poses[link_a_].X_WL.p : Vec3d::zero()),
          to_b_(link_b_ >= 0 ? bodies.places[b].x - ws.poses[link_b_].X_WL.p : Vec3d::zero()) {}

    RowBlock& begin(RowKind kind, int source, Rows& rows) const {
        return rows.begin_block(kind, source, link_a_, link_b_);
    }
    // Valid until the next row.
    Row& add(const Vec3d& arm_a, const Vec3d& arm_b, const Vec3d& lin, const Vec3d& ang, Rows& rows) const {
        Row& row = rows.add_row();
        row.on_b = {ang + cross(to_b_ + arm_b, lin), lin};
        row.on_a = {-ang - cross(to_a_ + arm_a, lin), -lin};
        add_stretches(link_a_, to_a_ + arm_a, -lin, rows);
        add_stretches(link_b_, to_b_ + arm_b, lin, rows);
        return row;
    }
    double base_rate(const Row& row) const { return dot(row.on_a, base_a_) + dot(row.on_b, base_b_); }

private:
    // arm: of the point of a link, from the origin of its frame.
    void add_stretches(int link, const Vec3d& arm, const Vec3d& force, Rows& rows) const {
        if (stretch_of(ws_, link))
            add_stretch_entries(ws_, link, force, rest_place(ws_, link, ws_.poses[link].X_WL.p + arm), rows);
    }

    const Workspace<double>& ws_;
    int link_a_, link_b_;
    Motion<double> base_a_, base_b_;
    Vec3d to_a_, to_b_;
};

// What stretching adds to the velocity of the point on b, seen from that on a.
Vec3d stretch_velocity(const StretchPack& beside, int lane, const Velocity* u) {
    Vec3d sum = Vec3d::zero();
    for (int k = 0; k < max_stretches; ++k)
        sum += u[beside.b.rates[lane]].rate(k) * lane3(beside.b.by[k], lane) -
               u[beside.a.rates[lane]].rate(k) * lane3(beside.a.by[k], lane);
    return sum;
}

double missed_one_sided(double impulse, double miss) {
    return impulse > 0 ? std::fabs(miss) : std::max(0.0, -miss);
}

}  // namespace

double JointLimits::missed(const BodyView& bodies, double h) const {
    double largest = 0;
    for (int n = 0; n < near_count_; ++n) {
        const LimitPack& pack = packs_[near_[n]];
        for (int lane = 0; lane < lanes; ++lane)
            for (int k = 0; k < 2 && pack.joint[lane] >= 0; ++k) {
                const Vec3d turning = bodies.u[pack.b[lane]].w - bodies.u[pack.a[lane]].w;
                const double miss =
                    dot(lane3(pack.row[k], lane), turning) + std::max(pack.gap[k][lane], 0.0) / h;
                largest = std::max(largest, missed_one_sided(pack.impulse[k][lane], miss));
            }
    }
    return largest;
}

void JointLimits::add_rows(const MovingBodies& bodies, const Workspace<double>& ws, const RowContext& context,
                           const ChosenBodies& chosen, Rows& rows) {
    row_lanes_.clear();
    for (int n = 0; n < near_count_; ++n) {
        LimitPack& pack = packs_[near_[n]];
        for (int lane = 0; lane < lanes; ++lane) {
            if (pack.joint[lane] < 0 || lane_sleeps(pack, lane, bodies)) continue;
            if (!chosen.has_either(pack.a[lane], pack.b[lane])) continue;
            const RowMaker maker(bodies, ws, pack.a[lane], pack.b[lane]);
            for (int k = 0; k < 2; ++k) {
                const double gap = pack.gap[k][lane];
                const Vec3d axis = lane3(pack.row[k], lane);
                const Vec3d turning =
                    bodies.velocities[pack.b[lane]].w - bodies.velocities[pack.a[lane]].w;
                const Sym3d response = bodies.inertias[pack.a[lane]].inv_inertia +
                                       bodies.inertias[pack.b[lane]].inv_inertia;
                if (!within_reach(context, gap, dot(axis, turning)) ||
                    !(dot(axis, response * axis) > limit_tuning.nothing)) {
                    pack.impulse[k].set(lane, 0);
                    continue;
                }
                maker.begin(RowKind::limit, pack.joint[lane], rows);
                Row& row = maker.add(Vec3d::zero(), Vec3d::zero(), Vec3d::zero(), axis, rows);
                set_gap(row, context, gap, maker.base_rate(row));
                row.lambda = pack.impulse[k][lane];
                row_lanes_.push_back({near_[n], k, lane});
            }
        }
    }
}

void JointLimits::take_impulses(std::span<const double> lambda) {
    for (std::size_t r = 0; r < row_lanes_.size(); ++r)
        packs_[row_lanes_[r].pack].impulse[row_lanes_[r].row].set(row_lanes_[r].lane, lambda[r]);
}

int ContactPoints::count() const {
    int sum = 0;
    for (const PackList& list : lists_)
        for (const ContactPack& pack : list.packs)
            for (const int source : pack.source) sum += source >= 0;
    return sum;
}

double ContactPoints::missed(const BodyView& bodies, double h) const {
    double largest = 0;
    for (const PackList& list : lists_)
        for (const ContactPack& pack : list.packs)
            for (int lane = 0; lane < lanes; ++lane) {
                if (pack.source[lane] < 0) continue;
                Vec3d between = bodies.velocity_at(pack.b[lane], lane3(pack.arm_b, lane)) -
                                bodies.velocity_at(pack.a[lane], lane3(pack.arm_a, lane));
                if (const StretchPack* beside = list.beside())
                    between += stretch_velocity(beside[&pack - list.packs.data()], lane, bodies.u);
                const double normal = pack.impulse[lane];
                largest = std::max(largest,
                                   missed_one_sided(normal, dot(lane3(pack.n, lane), between) +
                                                                std::max(pack.gap[lane], 0.0) / h));
                const double m1 = pack.friction[0][lane] * normal, m2 = pack.friction[1][lane] * normal;
                if (!(m1 > 0 && m2 > 0)) continue;
                if (std::hypot(pack.tangent[0][lane] / m1, pack.tangent[1][lane] / m2) >
                    contact_tuning.sliding)
                    continue;
                largest = std::max(largest, std::hypot(dot(lane3(pack.t1, lane), between),
                                                       dot(lane3(pack.t2, lane), between)));
            }
    return largest;
}

void ContactPoints::add_rows(const MovingBodies& bodies, const Workspace<double>& ws,
                             const RowContext& context, const ChosenBodies& chosen, Rows& rows) {
    row_points_.clear();
    for (int l = 0; l < static_cast<int>(lists_.size()); ++l)
        for (std::size_t k = 0; k < lists_[l].packs.size(); ++k) {
            ContactPack& pack = lists_[l].packs[k];
            for (int lane = 0; lane < lanes; ++lane) {
                if (pack.source[lane] < 0 || !chosen.has_either(pack.a[lane], pack.b[lane])) continue;
                const Velocity &u_a = bodies.velocities[pack.a[lane]], &u_b = bodies.velocities[pack.b[lane]];
                const Vec3d arm_a = lane3(pack.arm_a, lane), arm_b = lane3(pack.arm_b, lane);
                const Vec3d n = lane3(pack.n, lane);
                Vec3d between = u_b.v + cross(u_b.w, arm_b) - u_a.v - cross(u_a.w, arm_a);
                if (const StretchPack* beside = lists_[l].beside())
                    between += stretch_velocity(beside[k], lane, bodies.velocities.data());
                const double rate = dot(n, between);
                const double gap = pack.gap[lane];
                if (!within_reach(context, gap, rate)) {
                    pack.impulse.set(lane, 0);
                    for (Four& tangent : pack.tangent) tangent.set(lane, 0);
                    continue;
                }
                const RowMaker maker(bodies, ws, pack.a[lane], pack.b[lane]);
                RowBlock& block = maker.begin(RowKind::contact, pack.source[lane], rows);
                // What is round stays along the normal, and turns nothing with it.
                block.point_a = bodies.places[pack.a[lane]].x + arm_a - pack.round_a[lane] * n;
                block.point_b = bodies.places[pack.b[lane]].x + arm_b + pack.round_b[lane] * n;
                Row& normal = maker.add(arm_a, arm_b, n, Vec3d::zero(), rows);
                set_gap(normal, context, gap, maker.base_rate(normal));
                normal.lambda = pack.impulse[lane];
                const int first = static_cast<int>(rows.rows.size()) - 1;
                const auto add_friction = [&](const Vec3d& lin, const Vec3d& ang, double share,
                                              double lambda) {
                    Row& row = maker.add(arm_a, arm_b, lin, ang, rows);
                    row.friction = share;
                    row.lambda = lambda;
                    row.bias = row.kept_bias = row.base_rate = maker.base_rate(row);
                };
                RowPoint point{l, static_cast<int>(k), lane, -1, first, 1};
                if (pack.friction[0][lane] > 0) {
                    add_friction(lane3(pack.t1, lane), Vec3d::zero(), pack.friction[0][lane],
                                 pack.tangent[0][lane]);
                    add_friction(lane3(pack.t2, lane), Vec3d::zero(), pack.friction[1][lane],
                                 pack.tangent[1][lane]);
                    point.count = 3;
                    for (std::size_t t = 0; t < turnings_.size(); ++t) {
                        const ContactTurning& turning = turnings_[t];
                        if (turning.list != l || turning.pack != static_cast<int>(k) || turning.lane != lane)
                            continue;
                        point.turning = static_cast<int>(t);
                        for (int j = 0; j < turning.count && turning.length[j] > 0; ++j, ++point.count)
                            add_friction(Vec3d::zero(), turning.axis[j], turning.length[j],
                                         turning.impulse[j]);
                    }
                }
                row_points_.push_back(point);
            }
        }
    const int begin = row_points_.empty() ? 0 : row_points_.front().first;
    for (RowPoint& point : row_points_) point.first -= begin;
}

void ContactPoints::take_impulses(std::span<const double> lambda) {
    for (const RowPoint& point : row_points_) {
        ContactPack& pack = lists_[point.list].packs[point.pack];
        const double normal = lambda[point.first];
        pack.impulse.set(point.lane, normal);
        pack.largest.set(point.lane, std::max(pack.largest[point.lane], normal));
        for (int k = 0; k < 2; ++k)
            pack.tangent[k].set(point.lane, point.count > 1 ? lambda[point.first + 1 + k] : 0);
        if (point.turning < 0) continue;
        ContactTurning& turning = turnings_[point.turning];
        for (int k = 0; k < turning.count; ++k)
            turning.impulse[k] = 3 + k < point.count ? lambda[point.first + 3 + k] : 0;
    }
}

}  // namespace lig::impulse
