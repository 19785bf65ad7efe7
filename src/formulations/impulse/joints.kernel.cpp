// Blocks of joints: points and hinges.

#include "formulations/impulse/lane_bodies.h"
#include "formulations/impulse/tuning.h"

namespace lig::impulse {
namespace {

// m⁻¹ − [r]× I⁻¹ [r]×: what a unit impulse at an arm does to the velocity there.
LIG_INLINE Sym3<Four> response(Four mass, const Sym3<Four>& I, const Vec3<Four>& r) {
    const Vec3<Four> x{I.xy * r.z - I.xz * r.y, I.yy * r.z - I.yz * r.y, I.yz * r.z - I.zz * r.y},
        y{I.xz * r.x - I.xx * r.z, I.yz * r.x - I.xy * r.z, I.zz * r.x - I.xz * r.z},
        z{I.xx * r.y - I.xy * r.x, I.xy * r.y - I.yy * r.x, I.xz * r.y - I.yz * r.x};
    return {mass + r.z * x.y - r.y * x.z, mass + r.x * y.z - r.z * y.x, mass + r.y * z.x - r.x * z.y,
            r.z * y.y - r.y * y.z, r.z * z.y - r.y * z.z, r.x * z.z - r.z * z.x};
}

LIG_INLINE void push(const PackBodies& bodies, const Vec3<Four>& impulse, const Vec3<Four>& moment_a,
                     const Vec3<Four>& moment_b, LaneVelocity& a, LaneVelocity& b) {
    b.v += bodies.mass_b * impulse;
    b.w += bodies.inertia_b * moment_b;
    a.v -= bodies.mass_a * impulse;
    a.w -= bodies.inertia_a * moment_a;
}

// ---- Points.

constexpr double max_lever = joint_tuning.max_lever;

LIG_INLINE Sym3<Four> find_point(PointPack& pack, const LanePlace& a, const LanePlace& b,
                                 const LaneInertia& inertia_a, const LaneInertia& inertia_b) {
    pack.bodies.mass_a = inertia_a.inv_mass.x;
    pack.bodies.mass_b = inertia_b.inv_mass.x;
    pack.bodies.inertia_a = inertia_a.inv_inertia;
    pack.bodies.inertia_b = inertia_b.inv_inertia;
    const Vec3<Four> own_a = a.R * pack.local_a, own_b = b.R * pack.local_b;
    pack.error = (b.x - a.x) + (own_b - own_a);
    const Four apart = dot(pack.error, pack.error), limit(max_lever * max_lever);
    const Four half =
        select(apart > limit, Four(0.5 * max_lever) / sqrt(max(apart, limit)), Four(0.5));
    pack.arm_a = own_a + half * pack.error;
    pack.arm_b = own_b - half * pack.error;
    Sym3<Four> K = response(pack.bodies.mass_a, pack.bodies.inertia_a, pack.arm_a) +
                   response(pack.bodies.mass_b, pack.bodies.inertia_b, pack.arm_b);
    K.xx += pack.empty;
    K.yy += pack.empty;
    K.zz += pack.empty;
    return K;
}

LIG_INLINE void bend_point(PointPack& pack, Four half, const LaneSpin& a, const LaneSpin& b) {
    const Four time = half * min(a.followed, b.followed);
    pack.bend = time * (b.bend(pack.arm_b) - a.bend(pack.arm_a));
}

double prepare_points(PointPack* packs, int count, const Place* places, const Inertia* inertias, bool warm,
                      const Bend& bend, Velocity* u) {
    Four largest(0.0);
    for (PointPack* pack = packs; pack != packs + count; ++pack) {
        const int *ia = pack->bodies.a, *ib = pack->bodies.b;
        pack->factor = factor(find_point(*pack, load_place(places, ia), load_place(places, ib),
                                         load_inertia(inertias, ia), load_inertia(inertias, ib)));
        largest = max(largest, size_of(pack->error));
        pack->bend = Vec3<Four>::zero();
        if (bend.half != 0)
            bend_point(*pack, Four(bend.half), load_spin(bend.spins, ia), load_spin(bend.spins, ib));
        if (!warm) continue;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        push(pack->bodies, pack->impulse, cross(pack->arm_a, pack->impulse),
             cross(pack->arm_b, pack->impulse), a, b);
        store_velocity(b, u, ib);
        store_velocity(a, u, ia);
    }
    return largest_lane(largest);
}

// Some: of chosen lanes alone.
template <bool Some>
LIG_INLINE Swept sweep_points_of(PointPack* packs, int count, const Give& give, const Correction& correction,
                                 Velocity* u) {
    Four largest(0.0), strongest(0.0), most(0.0);
    const Four rate(give.bias_rate), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        removal(correction.rate);
    for (PointPack* pack = packs; pack != packs + count; ++pack) {
        const int *ia = pack->bodies.a, *ib = pack->bodies.b;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        Vec3<Four> miss = b.at(pack->arm_b) - a.at(pack->arm_a) + rate * pack->error + pack->bend;
        if constexpr (Some) miss = pack->chosen * miss;
        pack->missed = size_of(miss);
        largest = max(largest, pack->missed);
        Vec3<Four> change = -(mass_scale * solve(pack->factor, miss));
        if constexpr (!Some) change -= impulse_scale * pack->impulse;
        pack->impulse += change;
        strongest = max(strongest, size_of(change));
        push(pack->bodies, change, cross(pack->arm_a, change), cross(pack->arm_b, change), a, b);
        store_velocity(b, u, ib);
        store_velocity(a, u, ia);
        if (!correction.u) continue;
        a = load_velocity(correction.u, ia);
        b = load_velocity(correction.u, ib);
        Vec3<Four> left = b.at(pack->arm_b) - a.at(pack->arm_a) + removal * pack->error;
        if constexpr (Some) left = pack->chosen * left;
        pack->missed = max(pack->missed, size_of(left));
        most = max(most, pack->missed);
        const Vec3<Four> move = -solve(pack->factor, left);
        push(pack->bodies, move, cross(pack->arm_a, move), cross(pack->arm_b, move), a, b);
        store_velocity(b, correction.u, ib);
        store_velocity(a, correction.u, ia);
    }
    return {largest_lane(largest), largest_lane(strongest), largest_lane(max(most, largest))};
}

Swept sweep_points(PointPack* packs, int count, Scope scope, const Give& give, const Correction& correction,
                   Velocity* u) {
    return scope == chosen ? sweep_points_of<true>(packs, count, give, correction, u)
                           : sweep_points_of<false>(packs, count, give, correction, u);
}

// ---- Hinges.

LIG_INLINE void push_hinge(const HingePack& pack, const Vec3<Four>& impulse, Four first, Four second,
                           LaneVelocity& a, LaneVelocity& b) {
    const Vec3<Four> moment = first * pack.axis[0] + second * pack.axis[1];
    push(pack.point.bodies, impulse, moment + cross(pack.point.arm_a, impulse),
         moment + cross(pack.point.arm_b, impulse), a, b);
}

// C = x·z of each of the two rows, x turning with a and z with b.
LIG_INLINE void bend_hinge(HingePack& pack, Four half, const Vec3<Four> (&x)[2], const Vec3<Four>& z,
                           const LaneSpin& a, const LaneSpin& b) {
    bend_point(pack.point, half, a, b);
    const Four time = half * min(a.followed, b.followed);
    const Vec3<Four> turned = cross(b.w, z);
    for (int k = 0; k < 2; ++k) {
        const Vec3<Four> own = cross(a.w, x[k]);
        pack.bend[k] = time * (Four(2.0) * dot(own, turned) + dot(x[k], b.bend(z)) + dot(z, a.bend(x[k])));
    }
}

double prepare_hinges(HingePack* packs, int count, const Place* places, const Inertia* inertias, bool warm,
                      const Bend& bend, Velocity* u) {
    Four largest(0.0);
    for (HingePack* pack = packs; pack != packs + count; ++pack) {
        PointPack& point = pack->point;
        const int *ia = point.bodies.a, *ib = point.bodies.b;
        const LanePlace a = load_place(places, ia), b = load_place(places, ib);
        const Sym3<Four> K =
            find_point(point, a, b, load_inertia(inertias, ia), load_inertia(inertias, ib));
        const Vec3<Four> x = a.R * pack->x_a, y = a.R * pack->y_a, z = b.R * pack->z_b;
        pack->axis[0] = cross(z, x);
        pack->axis[1] = cross(z, y);
        pack->error[0] = dot(x, z);
        pack->error[1] = dot(y, z);
        Vec3<Four> turn_a[2], turn_b[2];
        for (int k = 0; k < 2; ++k) {
            turn_a[k] = point.bodies.inertia_a * pack->axis[k];
            turn_b[k] = point.bodies.inertia_b * pack->axis[k];
            pack->between[k] = cross(turn_b[k], point.arm_b) + cross(turn_a[k], point.arm_a);
        }
        const Four k11 = dot(pack->axis[0], turn_a[0] + turn_b[0]) + point.empty,
                   k12 = dot(pack->axis[0], turn_a[1] + turn_b[1]),
                   k22 = dot(pack->axis[1], turn_a[1] + turn_b[1]) + point.empty;
        const Four inverse = Four(1.0) / (k11 * k22 - k12 * k12);
        pack->i11 = inverse * k22;
        pack->i12 = -(inverse * k12);
        pack->i22 = inverse * k11;
        // The point's rows with the other two eliminated.
        const Vec3<Four>&c0 = pack->between[0], &c1 = pack->between[1];
        const Vec3<Four> d0 = pack->i11 * c0 + pack->i12 * c1, d1 = pack->i12 * c0 + pack->i22 * c1;
        point.factor =
            factor(Sym3<Four>{K.xx - (c0.x * d0.x + c1.x * d1.x), K.yy - (c0.y * d0.y + c1.y * d1.y),
                              K.zz - (c0.z * d0.z + c1.z * d1.z), K.xy - (c0.x * d0.y + c1.x * d1.y),
                              K.xz - (c0.x * d0.z + c1.x * d1.z), K.yz - (c0.y * d0.z + c1.y * d1.z)});
        largest = max(largest, max(size_of(point.error), max(abs(pack->error[0]), abs(pack->error[1]))));
        point.bend = Vec3<Four>::zero();
        pack->bend[0] = pack->bend[1] = Four(0.0);
        if (bend.half != 0)
            bend_hinge(*pack, Four(bend.half), {x, y}, z, load_spin(bend.spins, ia),
                       load_spin(bend.spins, ib));
        if (!warm) continue;
        LaneVelocity ua = load_velocity(u, ia), ub = load_velocity(u, ib);
        push_hinge(*pack, point.impulse, pack->impulse[0], pack->impulse[1], ua, ub);
        store_velocity(ub, u, ib);
        store_velocity(ua, u, ia);
    }
    return largest_lane(largest);
}

struct HingeImpulse {
    Vec3<Four> point;
    Four first, second;
};

// What removes the misses of all five rows.
LIG_INLINE HingeImpulse solve_hinge(const HingePack& pack, const Vec3<Four>& miss, Four miss0, Four miss1) {
    const Four r0 = pack.i11 * miss0 + pack.i12 * miss1, r1 = pack.i12 * miss0 + pack.i22 * miss1;
    const Vec3<Four> point =
        -solve(pack.point.factor, miss - r0 * pack.between[0] - r1 * pack.between[1]);
    const Four left0 = miss0 + dot(pack.between[0], point), left1 = miss1 + dot(pack.between[1], point);
    return {point, -(pack.i11 * left0 + pack.i12 * left1), -(pack.i12 * left0 + pack.i22 * left1)};
}

// What the velocities of two bodies and a rate of removal miss.
struct HingeMiss {
    Vec3<Four> point;
    Four first, second;
};
LIG_INLINE HingeMiss share_of(const Four& share, const HingeMiss& miss) {
    return {share * miss.point, share * miss.first, share * miss.second};
}
LIG_INLINE HingeMiss misses(const HingePack& pack, Four rate, const LaneVelocity& a, const LaneVelocity& b) {
    const Vec3<Four> turning = b.w - a.w;
    return {b.at(pack.point.arm_b) - a.at(pack.point.arm_a) + rate * pack.point.error,
            dot(pack.axis[0], turning) + rate * pack.error[0],
            dot(pack.axis[1], turning) + rate * pack.error[1]};
}

template <bool Some>
LIG_INLINE Swept sweep_hinges_of(HingePack* packs, int count, const Give& give, const Correction& correction,
                                 Velocity* u) {
    Four largest(0.0), strongest(0.0), most(0.0);
    const Four rate(give.bias_rate), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        removal(correction.rate);
    for (HingePack* pack = packs; pack != packs + count; ++pack) {
        PointPack& point = pack->point;
        const int *ia = point.bodies.a, *ib = point.bodies.b;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        HingeMiss miss = misses(*pack, rate, a, b);
        miss.point += point.bend;
        miss.first += pack->bend[0];
        miss.second += pack->bend[1];
        if constexpr (Some) miss = share_of(point.chosen, miss);
        point.missed = size_of(miss.point);
        largest = max(largest, point.missed);
        const HingeImpulse rigid = solve_hinge(*pack, miss.point, miss.first, miss.second);
        Vec3<Four> change = mass_scale * rigid.point;
        Four change0 = mass_scale * rigid.first, change1 = mass_scale * rigid.second;
        if constexpr (!Some) {
            change -= impulse_scale * point.impulse;
            change0 -= impulse_scale * pack->impulse[0];
            change1 -= impulse_scale * pack->impulse[1];
        }
        point.impulse += change;
        strongest = max(strongest, max(size_of(change), max(abs(change0), abs(change1))));
        pack->impulse[0] += change0;
        pack->impulse[1] += change1;
        push_hinge(*pack, change, change0, change1, a, b);
        store_velocity(b, u, ib);
        store_velocity(a, u, ia);
        if (!correction.u) continue;
        a = load_velocity(correction.u, ia);
        b = load_velocity(correction.u, ib);
        HingeMiss left = misses(*pack, removal, a, b);
        if constexpr (Some) left = share_of(point.chosen, left);
        point.missed = max(point.missed, size_of(left.point));
        most = max(most, point.missed);
        const HingeImpulse move = solve_hinge(*pack, left.point, left.first, left.second);
        push_hinge(*pack, move.point, move.first, move.second, a, b);
        store_velocity(b, correction.u, ib);
        store_velocity(a, correction.u, ia);
    }
    return {largest_lane(largest), largest_lane(strongest), largest_lane(max(most, largest))};
}

Swept sweep_hinges(HingePack* packs, int count, Scope scope, const Give& give, const Correction& correction,
                   Velocity* u) {
    return scope == chosen ? sweep_hinges_of<true>(packs, count, give, correction, u)
                           : sweep_hinges_of<false>(packs, count, give, correction, u);
}

}  // namespace

namespace LIG_ISA {

void add_joint_kernels(ImpulseKernels& table) {
    table.prepare_points = prepare_points;
    table.prepare_hinges = prepare_hinges;
    table.sweep_points = sweep_points;
    table.sweep_hinges = sweep_hinges;
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
