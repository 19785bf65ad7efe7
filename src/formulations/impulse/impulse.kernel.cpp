#include "bodies/free_rotation.h"
#include "core/rotation.h"
#include "formulations/impulse/lane_bodies.h"
#include "joints/joint.h"

namespace lig::impulse {
namespace {

LIG_INLINE Four size_of(const Vec3<Four>& v) { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }

// m⁻¹ − [r]× I⁻¹ [r]×: what a unit impulse at an arm does to the velocity there.
LIG_INLINE Sym3<Four> response(Four mass, const Sym3<Four>& I, const Vec3<Four>& r) {
    const Four zero(0.0);
    const Vec3<Four> x = I * Vec3<Four>{zero, r.z, -r.y}, y = I * Vec3<Four>{-r.z, zero, r.x},
                     z = I * Vec3<Four>{r.y, -r.x, zero};
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

// Both bodies get their impulses at one point, so that angular momentum is kept; but a joint that has come
// apart by more than this must not pull at a long lever. m
constexpr double widest = 0.005;

LIG_INLINE Sym3<Four> find_point(PointPack& pack, const LanePlace& a, const LanePlace& b,
                                 const LaneInertia& inertia_a, const LaneInertia& inertia_b) {
    pack.bodies.mass_a = inertia_a.inv_mass.x;
    pack.bodies.mass_b = inertia_b.inv_mass.x;
    pack.bodies.inertia_a = inertia_a.inv_inertia;
    pack.bodies.inertia_b = inertia_b.inv_inertia;
    const Vec3<Four> own_a = a.R * pack.local_a, own_b = b.R * pack.local_b;
    pack.error = (b.x - a.x) + (own_b - own_a);
    const Four apart = dot(pack.error, pack.error), limit(widest * widest);
    const Four half =
        select(apart > limit, Four(0.5 * widest) / sqrt(max(apart, limit)), Four(0.5));
    pack.arm_a = own_a + half * pack.error;
    pack.arm_b = own_b - half * pack.error;
    Sym3<Four> K = response(pack.bodies.mass_a, pack.bodies.inertia_a, pack.arm_a) +
                   response(pack.bodies.mass_b, pack.bodies.inertia_b, pack.arm_b);
    K.xx += pack.empty;
    K.yy += pack.empty;
    K.zz += pack.empty;
    return K;
}

double prepare_points(PointPack* packs, int count, const Place* places, const Inertia* inertias, bool warm,
                      Velocity* u) {
    Four largest(0.0);
    for (PointPack* pack = packs; pack != packs + count; ++pack) {
        const int *ia = pack->bodies.a, *ib = pack->bodies.b;
        pack->factor = factor(find_point(*pack, load_place(places, ia), load_place(places, ib),
                                         load_inertia(inertias, ia), load_inertia(inertias, ib)));
        largest = max(largest, size_of(pack->error));
        if (!warm) continue;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        push(pack->bodies, pack->impulse, cross(pack->arm_a, pack->impulse),
             cross(pack->arm_b, pack->impulse), a, b);
        store_velocity(b, u, ib);
        store_velocity(a, u, ia);
    }
    return largest_lane(largest);
}

Swept sweep_points(PointPack* packs, int count, const Give& give, const Correction& correction,
                   Velocity* u) {
    Four largest(0.0), strongest(0.0);
    const Four rate(give.bias_rate), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        removal(correction.rate);
    for (PointPack* pack = packs; pack != packs + count; ++pack) {
        const int *ia = pack->bodies.a, *ib = pack->bodies.b;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        const Vec3<Four> miss = b.at(pack->arm_b) - a.at(pack->arm_a) + rate * pack->error;
        largest = max(largest, size_of(miss));
        const Vec3<Four> change = -(mass_scale * solve(pack->factor, miss)) - impulse_scale * pack->impulse;
        pack->impulse += change;
        strongest = max(strongest, size_of(change));
        push(pack->bodies, change, cross(pack->arm_a, change), cross(pack->arm_b, change), a, b);
        store_velocity(b, u, ib);
        store_velocity(a, u, ia);
        if (!correction.u) continue;
        a = load_velocity(correction.u, ia);
        b = load_velocity(correction.u, ib);
        const Vec3<Four> move =
            -solve(pack->factor, b.at(pack->arm_b) - a.at(pack->arm_a) + removal * pack->error);
        push(pack->bodies, move, cross(pack->arm_a, move), cross(pack->arm_b, move), a, b);
        store_velocity(b, correction.u, ib);
        store_velocity(a, correction.u, ia);
    }
    return {largest_lane(largest), largest_lane(strongest)};
}

// ---- Hinges.

LIG_INLINE void push_hinge(const HingePack& pack, const Vec3<Four>& impulse, Four first, Four second,
                           LaneVelocity& a, LaneVelocity& b) {
    const Vec3<Four> moment = first * pack.axis[0] + second * pack.axis[1];
    push(pack.point.bodies, impulse, moment + cross(pack.point.arm_a, impulse),
         moment + cross(pack.point.arm_b, impulse), a, b);
}

double prepare_hinges(HingePack* packs, int count, const Place* places, const Inertia* inertias, bool warm,
                      Velocity* u) {
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
LIG_INLINE HingeMiss misses(const HingePack& pack, Four rate, const LaneVelocity& a, const LaneVelocity& b) {
    const Vec3<Four> turning = b.w - a.w;
    return {b.at(pack.point.arm_b) - a.at(pack.point.arm_a) + rate * pack.point.error,
            dot(pack.axis[0], turning) + rate * pack.error[0],
            dot(pack.axis[1], turning) + rate * pack.error[1]};
}

Swept sweep_hinges(HingePack* packs, int count, const Give& give, const Correction& correction,
                   Velocity* u) {
    Four largest(0.0), strongest(0.0);
    const Four rate(give.bias_rate), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        removal(correction.rate);
    for (HingePack* pack = packs; pack != packs + count; ++pack) {
        PointPack& point = pack->point;
        const int *ia = point.bodies.a, *ib = point.bodies.b;
        LaneVelocity a = load_velocity(u, ia), b = load_velocity(u, ib);
        const HingeMiss miss = misses(*pack, rate, a, b);
        largest = max(largest, size_of(miss.point));
        const HingeImpulse rigid = solve_hinge(*pack, miss.point, miss.first, miss.second);
        const Vec3<Four> change = mass_scale * rigid.point - impulse_scale * point.impulse;
        const Four change0 = mass_scale * rigid.first - impulse_scale * pack->impulse[0],
                   change1 = mass_scale * rigid.second - impulse_scale * pack->impulse[1];
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
        const HingeMiss left = misses(*pack, removal, a, b);
        const HingeImpulse move = solve_hinge(*pack, left.point, left.first, left.second);
        push_hinge(*pack, move.point, move.first, move.second, a, b);
        store_velocity(b, correction.u, ib);
        store_velocity(a, correction.u, ia);
    }
    return {largest_lane(largest), largest_lane(strongest)};
}

// ---- Contacts.

LIG_INLINE Vec3<Four> scaled(const Vec3<Four>& by, const Vec3<Four>& v) {
    return {by.x * v.x, by.y * v.y, by.z * v.z};
}

LIG_INLINE void push_contact(const ContactPack& pack, const Vec3<Four>& impulse, LaneVelocity& a,
                             LaneVelocity& b) {
    b.v += scaled(pack.mass_b, impulse);
    b.w += pack.inertia_b * cross(pack.arm_b, impulse);
    a.v -= scaled(pack.mass_a, impulse);
    a.w -= pack.inertia_a * cross(pack.arm_a, impulse);
}

LIG_INLINE void find_responses(ContactPack& pack) {
    const Vec3<Four> mass = pack.mass_a + pack.mass_b;
    // What a unit impulse along `along` does to the velocity of the point.
    const auto respond = [&](const Vec3<Four>& along) LIG_INLINE_LAMBDA {
        return scaled(mass, along) + cross(pack.inertia_a * cross(pack.arm_a, along), pack.arm_a) +
               cross(pack.inertia_b * cross(pack.arm_b, along), pack.arm_b);
    };
    const Vec3<Four> by_n = respond(pack.n), by_1 = respond(pack.t1), by_2 = respond(pack.t2);
    pack.nn = dot(by_n, pack.n) + pack.empty;
    pack.inv_nn = Four(1.0) / pack.nn;
    pack.n1 = dot(by_n, pack.t1);
    pack.n2 = dot(by_n, pack.t2);
    const Four k11 = dot(by_1, pack.t1) + pack.empty, k12 = dot(by_1, pack.t2),
               k22 = dot(by_2, pack.t2) + pack.empty;
    // A body that cannot move along a tangent leaves that direction without friction.
    const Four determinant = k11 * k22 - k12 * k12, least = Four(1e-12) * max(k11, k22) * max(k11, k22);
    const Four inverse = select(determinant > least, Four(1.0) / max(determinant, least), Four(0.0));
    const Four single = select(determinant > least, Four(0.0), Four(1.0)) / max(k11 + k22, Four(1e-300));
    pack.i11 = inverse * k22 + single * select(k11 > Four(0.0), Four(1.0), Four(0.0));
    pack.i12 = -(inverse * k12);
    pack.i22 = inverse * k11 + single * select(k22 > Four(0.0), Four(1.0), Four(0.0));
    const Four difference = k11 - k22;
    const Four largest = Four(0.5) * (k11 + k22 + sqrt(difference * difference + Four(4.0) * k12 * k12));
    pack.along = Four(1.0) / max(largest, Four(1e-300));
}

double prepare_contacts(ContactPack* packs, int count, const Place* places, const Inertia* inertias,
                        bool responses, bool warm, Velocity* u) {
    Four deepest(0.0);
    for (ContactPack* pack = packs; pack != packs + count; ++pack) {
        const LanePlace at_a = load_place(places, pack->a), at_b = load_place(places, pack->b);
        // The witnesses on both, seen from a.
        const Vec3<Four> across = at_b.x - at_a.x;
        const Vec3<Four> on_a = at_a.R * pack->local_a + pack->round_a * pack->n;
        const Vec3<Four> on_b = across + (at_b.R * pack->local_b - pack->round_b * pack->n);
        // One point for both, so that angular momentum is kept.
        pack->arm_a = on_a + pack->with_b * (on_b - on_a);
        pack->arm_b = pack->arm_a - across;
        pack->gap = dot(pack->n, on_b - on_a) - pack->offset;
        deepest = max(deepest, select(pack->empty > Four(0.0), Four(0.0), -pack->gap));
        const LaneInertia inertia_a = load_inertia(inertias, pack->a),
                          inertia_b = load_inertia(inertias, pack->b);
        pack->mass_a = inertia_a.inv_mass;
        pack->mass_b = inertia_b.inv_mass;
        pack->inertia_a = inertia_a.inv_inertia;
        pack->inertia_b = inertia_b.inv_inertia;
        pack->correction = Four(0.0);
        if (responses) find_responses(*pack);
        if (!warm) continue;
        LaneVelocity a = load_velocity(u, pack->a), b = load_velocity(u, pack->b);
        // What is not closed yet is hit with the speed that it has now.
        pack->approach = select(pack->gap > Four(0.0),
                                dot(pack->n, b.at(pack->arm_b) - a.at(pack->arm_a)), pack->approach);
        push_contact(*pack,
                     pack->impulse * pack->n + pack->tangent[0] * pack->t1 + pack->tangent[1] * pack->t2, a,
                     b);
        store_velocity(b, u, pack->b);
        store_velocity(a, u, pack->a);
    }
    return largest_lane(deepest);
}

// Friction impulses from those so far, for the velocities v1 and v2 that are left with them.
template <bool PerAxis>
LIG_INLINE void find_friction(const ContactPack& pack, Four normal, Four v1, Four v2, Four& t1, Four& t2) {
    const Four zero(0.0), one(1.0), tiny(1e-300);
    const Four m1 = pack.friction[0] * normal, m2 = pack.friction[1] * normal;
    const Four stop1 = pack.tangent[0] - (pack.i11 * v1 + pack.i12 * v2);
    const Four stop2 = pack.tangent[1] - (pack.i12 * v1 + pack.i22 * v2);
    if constexpr (PerAxis) {
        t1 = max(min(stop1, m1), -m1);
        t2 = max(min(stop2, m2), -m2);
        return;
    }
    // Within the cone the impulse that stops the sliding. Outside of it friction is against the sliding, not
    // against that impulse: a step along the velocity, no longer than the largest response allows, and back
    // onto the cone; it stays where t is against v. An elliptic cone is a circle in t/m.
    const Four r1 = one / max(m1, tiny), r2 = one / max(m2, tiny);
    const Four s1 = r1 * stop1, s2 = r2 * stop2;
    const Four inverse = one / max(max(m1, m2), tiny);
    const Four w1 = inverse * m1, w2 = inverse * m2;
    const Four slip1 = pack.tangent[0] - pack.along * (w1 * w1) * v1;
    const Four slip2 = pack.tangent[1] - pack.along * (w2 * w2) * v2;
    const Four y1 = r1 * slip1, y2 = r2 * slip2;
    const Four scale = one / max(sqrt(y1 * y1 + y2 * y2), one);
    const auto sticks = s1 * s1 + s2 * s2 <= one;
    const auto presses = (m1 > zero) & (m2 > zero);
    t1 = select(presses, select(sticks, stop1, scale * slip1), zero);
    t2 = select(presses, select(sticks, stop2, scale * slip2), zero);
}

template <bool PerAxis>
LIG_INLINE Swept sweep_all(ContactPack* packs, int count, const ContactSettings& settings, const Give& give,
                           const Correction& correction, Velocity* u) {
    Four largest(0.0), strongest(0.0);
    const Four zero(0.0), per_step(1 / settings.h), rate(give.bias_rate), slop(settings.slop),
        fastest(-settings.fastest), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        least_bounce(-settings.least_bounce), removal(correction.rate);
    for (ContactPack* pack = packs; pack != packs + count; ++pack) {
        LaneVelocity a = load_velocity(u, pack->a), b = load_velocity(u, pack->b);
        const Vec3<Four> between = b.at(pack->arm_b) - a.at(pack->arm_a);
        const auto open = pack->gap > zero;
        Four bias = select(open, pack->gap * per_step,
                           max(rate * min(pack->gap + slop, zero), fastest));
        if (settings.bounce)
            bias += select(pack->approach < least_bounce, pack->restitution * pack->approach, zero);
        const Four rigid = -(pack->inv_nn * (dot(pack->n, between) + bias));
        const Four wanted =
            select(open, rigid, mass_scale * rigid - impulse_scale * pack->impulse);
        const Four next = settings.accumulated ? max(pack->impulse + wanted, zero)
                                               : pack->impulse + max(wanted, zero);
        const Four change = next - pack->impulse;
        pack->impulse = next;
        pack->largest = max(pack->largest, next);
        largest = max(largest, abs(change) * pack->nn);
        const Four v1 = dot(pack->t1, between) + pack->n1 * change;
        const Four v2 = dot(pack->t2, between) + pack->n2 * change;
        Four t1, t2;
        find_friction<PerAxis>(*pack, next, v1, v2, t1, t2);
        const Vec3<Four> impulse = change * pack->n + (t1 - pack->tangent[0]) * pack->t1 +
                                   (t2 - pack->tangent[1]) * pack->t2;
        strongest = max(strongest, size_of(impulse));
        pack->tangent[0] = t1;
        pack->tangent[1] = t2;
        push_contact(*pack, impulse, a, b);
        store_velocity(b, u, pack->b);
        store_velocity(a, u, pack->a);
        if (!correction.u) continue;
        a = load_velocity(correction.u, pack->a);
        b = load_velocity(correction.u, pack->b);
        const Four left = dot(pack->n, b.at(pack->arm_b) - a.at(pack->arm_a)) +
                          max(removal * (pack->gap + slop), fastest);
        const Four corrected = max(pack->correction - pack->inv_nn * left, zero);
        const Vec3<Four> move = (corrected - pack->correction) * pack->n;
        pack->correction = corrected;
        push_contact(*pack, move, a, b);
        store_velocity(b, correction.u, pack->b);
        store_velocity(a, correction.u, pack->a);
    }
    return {largest_lane(largest), largest_lane(strongest)};
}

Swept sweep_contacts(ContactPack* packs, int count, const ContactSettings& settings, const Give& give,
                     const Correction& correction, Velocity* u) {
    return settings.per_axis ? sweep_all<true>(packs, count, settings, give, correction, u)
                             : sweep_all<false>(packs, count, settings, give, correction, u);
}

void restitute(ContactPack* packs, int count, double least_bounce, Velocity* u) {
    const Four zero(0.0), least(-least_bounce);
    for (ContactPack* pack = packs; pack != packs + count; ++pack) {
        const auto bounces =
            (pack->restitution > zero) & (pack->approach < least) & (pack->largest > zero);
        if (!any(bounces)) continue;
        LaneVelocity a = load_velocity(u, pack->a), b = load_velocity(u, pack->b);
        const Four miss = dot(pack->n, b.at(pack->arm_b) - a.at(pack->arm_a)) +
                          pack->restitution * pack->approach;
        const Four next =
            select(bounces, max(pack->impulse - pack->inv_nn * miss, zero), pack->impulse);
        const Vec3<Four> impulse = (next - pack->impulse) * pack->n;
        pack->impulse = next;
        pack->approach = select(bounces, zero, pack->approach);  // once
        push_contact(*pack, impulse, a, b);
        store_velocity(b, u, pack->b);
        store_velocity(a, u, pack->a);
    }
}

// ---- Limits.

// The rotation of M in F and the orientation of M, with w ≥ 0.
struct LimitRotation {
    Quat<Four> child;
    Four w, p;
    Vec3<Four> v;
};
LIG_INLINE LimitRotation rotation_of(const LimitPack& pack, const Place* places) {
    Four q[8];
    load_numbers<2>(places, pack.a, 3, q);
    load_numbers<2>(places, pack.b, 3, q + 4);
    LimitRotation out;
    out.child = Quat<Four>{q[4], q[5], q[6], q[7]} * pack.own;
    const Quat<Four> r = conjugate(Quat<Four>{q[0], q[1], q[2], q[3]} * pack.before) * out.child;
    const Four sign = select(r.w < Four(0.0), Four(-1.0), Four(1.0));
    out.w = sign * r.w;
    out.v = sign * r.vec();
    out.p = dot(pack.axis, out.v);
    return out;
}

int screen_limits(LimitPack* packs, int count, double h, double reach_speed, const Place* places,
                  const Velocity* u, int* near) {
    int found = 0;
    const Four zero(0.0), one(1.0), step(h);
    for (int k = 0; k < count; ++k) {
        LimitPack& pack = packs[k];
        const LimitRotation r = rotation_of(pack, places);
        const Vec3<Four> turning = load_velocity(u, pack.b).w - load_velocity(u, pack.a).w;
        // The tangent of half of what a joint may turn; a little more, for it is not small for fast ones.
        const Four d = min(step * (Four(0.5 * reach_speed) + sqrt(dot(turning, turning))), Four(0.4)) *
                       Four(1.06);
        const Four squared = dot(r.v, r.v), along = r.p * r.p, w = r.w * r.w;
        const auto whole = pack.of_angle > zero;
        const Four sine = select(whole, squared, max(squared - along, zero));
        const Four cosine = select(whole, w, w + along);
        const Four below = max(pack.tan_circle - d, zero), scale = one + pack.tan_circle * d;
        const auto reached = (sine * (scale * scale) >= cosine * (below * below)) |
                             (r.p * (one + pack.tan_upper * d) >= r.w * (pack.tan_upper - d)) |
                             (r.p * (one - pack.tan_lower * d) <= r.w * (pack.tan_lower + d));
        if (any(reached)) {
            near[found++] = k;
            pack.pushes = true;
        } else if (pack.pushes) {
            pack.impulse[0] = pack.impulse[1] = zero;
            pack.pushes = false;
        }
    }
    return found;
}

// 2 atan(x), which is how far a joint is from a limit whose half angle differs from its own by atan(x): by
// its series, to 10⁻⁵ up to half a radian; what is farther away counts as that.
LIG_INLINE Four twice_arc(Four tangent) {
    const Four x = max(min(tangent, Four(0.25)), Four(-0.25)), z = x * x;
    return Four(2.0) * x * (Four(1.0) - z * (Four(1.0 / 3) - z * (Four(0.2) - z * Four(1.0 / 7))));
}

double prepare_limits(LimitPack* packs, const int* which, int count, const Place* places,
                      const Inertia* inertias, bool warm, Velocity* u) {
    const Four zero(0.0), one(1.0), two(2.0), tiny(1e-150);
    Four largest(0.0);
    for (int n = 0; n < count; ++n) {
        LimitPack& pack = packs[which[n]];
        const LimitRotation r = rotation_of(pack, places);
        const Vec3<Four>& c = pack.axis;
        const Vec3<Four> across = r.v - r.p * c;
        const Four s = sqrt(dot(across, across)), cosine = sqrt(r.w * r.w + r.p * r.p);
        const Vec3<Four> unit = (one / max(s, tiny)) * across;
        const Four inverse = one / max(cosine, tiny);
        const Vec3<Four> swing = inverse * (r.w * unit - r.p * cross(c, unit));
        const auto whole = pack.of_angle > zero;
        const Four size = sqrt(dot(r.v, r.v));
        const Vec3<Four> turn = (one / max(size, tiny)) * r.v;
        const Four sine = select(whole, size, s), other = select(whole, r.w, cosine);
        const Vec3<Four> outward = {select(whole, turn.x, swing.x), select(whole, turn.y, swing.y),
                                    select(whole, turn.z, swing.z)};
        // Next to half a turn of swing the twist changes without bound.
        const Vec3<Four> twist_axis = c + min(s * inverse, Four(1e8)) * cross(c, swing);
        Four above, below;
        if (pack.by_angles) {
            pack.gap[0] = pack.circle - two * atan2(sine, other);
            const Four twist = joints::unwrap(two * atan2(r.p, r.w) + pack.reference, pack.near);
            pack.near = select(pack.turns > zero, twist, pack.near);
            above = twist - pack.lower;
            below = pack.upper - twist;
        } else {
            const auto between = [&](Four limit, Four y, Four x) LIG_INLINE_LAMBDA {
                return twice_arc((limit * x - y) / max(x + limit * y, tiny));
            };
            pack.gap[0] = between(pack.tan_circle, sine, other);
            above = -between(pack.tan_lower, r.p, r.w);
            below = between(pack.tan_upper, r.p, r.w);
        }
        const Four side = select(above <= below, one, -one);
        pack.gap[1] = min(above, below);
        pack.impulse[1] = select(side == pack.side, pack.impulse[1], zero);
        pack.side = side;
        const Mat3<Four> R = rotation_matrix(r.child);
        pack.row[0] = -(R * outward);
        pack.row[1] = side * (R * twist_axis);
        const Sym3<Four> inertia_a = load_inertia(inertias, pack.a).inv_inertia,
                         inertia_b = load_inertia(inertias, pack.b).inv_inertia;
        for (int k = 0; k < 2; ++k) {
            pack.turn_a[k] = inertia_a * pack.row[k];
            pack.turn_b[k] = inertia_b * pack.row[k];
            const Four response = dot(pack.row[k], pack.turn_a[k] + pack.turn_b[k]);
            pack.inverse[k] = select(response > tiny, one / max(response, tiny), zero);
            pack.correction[k] = zero;
            largest = max(largest, -pack.gap[k]);
        }
        if (!warm) continue;
        LaneVelocity a = load_velocity(u, pack.a), b = load_velocity(u, pack.b);
        for (int k = 0; k < 2; ++k) {
            b.w += pack.impulse[k] * pack.turn_b[k];
            a.w -= pack.impulse[k] * pack.turn_a[k];
        }
        store_velocity(b, u, pack.b);
        store_velocity(a, u, pack.a);
    }
    return largest_lane(largest);
}

Swept sweep_limits(LimitPack* packs, const int* which, int count, const ContactSettings& settings,
                   const Give& give, const Correction& correction, Velocity* u) {
    Four largest(0.0), strongest(0.0);
    const Four zero(0.0), per_step(1 / settings.h), rate(give.bias_rate), slop(settings.slop),
        mass_scale(give.mass_scale), impulse_scale(give.impulse_scale), removal(correction.rate);
    for (int n = 0; n < count; ++n) {
        LimitPack& pack = packs[which[n]];
        LaneVelocity a = load_velocity(u, pack.a), b = load_velocity(u, pack.b);
        for (int k = 0; k < 2; ++k) {
            const auto open = pack.gap[k] > zero;
            const Four bias =
                select(open, pack.gap[k] * per_step, rate * min(pack.gap[k] + slop, zero));
            const Four miss = dot(pack.row[k], b.w - a.w) + bias;
            const Four rigid = -(pack.inverse[k] * miss);
            const Four wanted =
                select(open, rigid, mass_scale * rigid - impulse_scale * pack.impulse[k]);
            const Four next = settings.accumulated ? max(pack.impulse[k] + wanted, zero)
                                                   : pack.impulse[k] + max(wanted, zero);
            const Four change = next - pack.impulse[k];
            largest = max(largest, select(change != zero, abs(miss), zero));
            pack.impulse[k] = next;
            strongest = max(strongest, abs(change));
            b.w += change * pack.turn_b[k];
            a.w -= change * pack.turn_a[k];
        }
        store_velocity(b, u, pack.b);
        store_velocity(a, u, pack.a);
        if (!correction.u) continue;
        a = load_velocity(correction.u, pack.a);
        b = load_velocity(correction.u, pack.b);
        for (int k = 0; k < 2; ++k) {
            const Four miss = dot(pack.row[k], b.w - a.w) + removal * (pack.gap[k] + slop);
            const Four next = max(pack.correction[k] - pack.inverse[k] * miss, zero);
            const Four change = next - pack.correction[k];
            pack.correction[k] = next;
            b.w += change * pack.turn_b[k];
            a.w -= change * pack.turn_a[k];
        }
        store_velocity(b, correction.u, pack.b);
        store_velocity(a, correction.u, pack.a);
    }
    return {largest_lane(largest), largest_lane(strongest)};
}

// ---- Motion.

void drift(const int* groups, int count, double time, const Vec3d* all_moments, Place* places,
           Inertia* inertias, Velocity* u, Velocity* corrections) {
    const Four h(time), zero(0.0);
    for (int g = 0; g < count; ++g) {
        const int first = groups[g];
        const int which[lanes] = {first, first + 1, first + 2, first + 3};
        LanePlace place = load_place(places, which);
        LaneVelocity own = load_velocity(u, which), correction = load_velocity(corrections, which);
        Vec3<Four> moments;
        for (int k = 0; k < lanes; ++k) {
            moments.x.set(k, all_moments[first + k].x);
            moments.y.set(k, all_moments[first + k].y);
            moments.z.set(k, all_moments[first + k].z);
        }
        place.x += h * (own.v + correction.v);
        const Vec3<Four> turning = transpose_mul(place.R, own.w);
        Vec3<Four> momentum = scaled(moments, turning);
        if (any((correction.w.x != zero) | (correction.w.y != zero) | (correction.w.z != zero))) {
            // The angular momentum stays where it is in the world.
            const Vec3<Four> in_world = place.R * momentum;
            const Vec3<Four> half = Four(0.5) * (h * correction.w);
            place.q = normalized(Quat<Four>{Four(1.0), half.x, half.y, half.z} * place.q);
            place.R = rotation_matrix(place.q);
            momentum = transpose_mul(place.R, in_world);
        }
        bodies::FreeRotation::turn<bodies::SmallTurns>(moments, h, place.q, place.R, momentum, own.w);
        store_numbers<8>(&place.x.x, places, which, 0);
        store_velocity(own, u, which);
        store_velocity({Vec3<Four>::zero(), Vec3<Four>::zero()}, corrections, which);
        const Vec3<Four> inverse{Four(1.0) / moments.x, Four(1.0) / moments.y, Four(1.0) / moments.z};
        LaneInertia inertia = load_inertia(inertias, which);
        inertia.inv_inertia = rotate(place.R, Sym3<Four>::diagonal(inverse.x, inverse.y, inverse.z));
        store_numbers<5>(&inertia.inv_mass.x, inertias, which, 0);
    }
}

}  // namespace

namespace LIG_ISA {

void add_impulse_kernels(ImpulseKernels& table) {
    table = {.prepare_points = prepare_points,
             .prepare_hinges = prepare_hinges,
             .prepare_contacts = prepare_contacts,
             .screen_limits = screen_limits,
             .prepare_limits = prepare_limits,
             .sweep_points = sweep_points,
             .sweep_hinges = sweep_hinges,
             .sweep_contacts = sweep_contacts,
             .sweep_limits = sweep_limits,
             .restitute = restitute,
             .drift = drift};
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
