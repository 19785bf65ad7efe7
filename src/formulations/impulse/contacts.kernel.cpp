// Contacts with friction.

#include "formulations/impulse/lane_bodies.h"
#include "formulations/impulse/tuning.h"

namespace lig::impulse {
namespace {

constexpr double single_tangent = contact_tuning.single_tangent, far_away = contact_tuning.far_away;

LIG_INLINE void push_contact(const ContactPack& pack, const Vec3<Four>& impulse, LaneVelocity& a,
                             LaneVelocity& b) {
    b.v += scaled(pack.mass_b, impulse);
    b.w += pack.inertia_b * cross(pack.arm_b, impulse);
    a.v -= scaled(pack.mass_a, impulse);
    a.w -= pack.inertia_a * cross(pack.arm_a, impulse);
}

LIG_INLINE void find_responses(ContactPack& pack, const Inertia* inertias) {
    const LaneInertia own_a = load_inertia(inertias, pack.a), own_b = load_inertia(inertias, pack.b);
    pack.mass_a = own_a.inv_mass;
    pack.mass_b = own_b.inv_mass;
    pack.inertia_a = own_a.inv_inertia;
    pack.inertia_b = own_b.inv_inertia;
    pack.responds = true;
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
    const Four determinant = k11 * k22 - k12 * k12,
               least = Four(single_tangent) * max(k11, k22) * max(k11, k22);
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
                        bool warm, Velocity* u) {
    const Four zero(0.0);
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
        pack->gap = select(pack->empty > zero, Four(1.0), dot(pack->n, on_b - on_a) - pack->offset);
        deepest = max(deepest, -pack->gap);
        pack->correction = zero;
        pack->responds = false;
        const bool pushes = warm && any((pack->impulse != zero) | (pack->tangent[0] != zero) |
                                        (pack->tangent[1] != zero));
        const bool bounces = warm && any(pack->restitution > zero);
        if (!pushes && !bounces) continue;
        LaneVelocity a = load_velocity(u, pack->a), b = load_velocity(u, pack->b);
        // What is not closed yet is hit with the speed that it has now.
        if (bounces)
            pack->approach = select(pack->gap > zero, dot(pack->n, b.at(pack->arm_b) - a.at(pack->arm_a)),
                                    pack->approach);
        if (!pushes) continue;
        find_responses(*pack, inertias);
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

// Catto's slides: the non-penetration constraint with its slop and its bounce as biases, friction, both with
// accumulated impulses. A gap that is open has the bias gap/h instead of being skipped. Where nothing presses
// and nothing arrives, responses are not asked for. Some: of chosen lanes alone.
template <bool PerAxis, bool Some>
Swept sweep_all(ContactPack* packs, int count, const ContactSettings& settings, const Give& give,
                const Correction& correction, const BodyView& bodies) {
    Four largest(0.0), strongest(0.0), most(0.0);
    const Four zero(0.0), per_step(1 / settings.h), rate(give.bias_rate), slop(settings.slop),
        fastest(-settings.fastest), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        min_bounce(-settings.min_bounce), removal(correction.rate);
    for (ContactPack* pack = packs; pack != packs + count; ++pack) {
        LaneVelocity a = load_velocity(bodies.u, pack->a), b = load_velocity(bodies.u, pack->b);
        const Vec3<Four> between = b.at(pack->arm_b) - a.at(pack->arm_a);
        const auto open = pack->gap > zero;
        Four bias = select(open, pack->gap * per_step,
                           max(rate * min(pack->gap + slop, zero), fastest));
        if (settings.bounce)
            bias += select(pack->approach < min_bounce, pack->restitution * pack->approach, zero);
        const Four miss = dot(pack->n, between) + bias;
        pack->missed = zero;
        if (any((miss < zero) | (pack->impulse > zero))) {
            if (!pack->responds) find_responses(*pack, bodies.inertias);
            const auto swept = Some ? pack->chosen > zero : zero == zero;
            const Four rigid = -(pack->inv_nn * miss);
            const Four wanted =
                select(open, rigid, mass_scale * rigid - impulse_scale * pack->impulse);
            const Four pressed = settings.accumulated ? max(pack->impulse + wanted, zero)
                                                      : pack->impulse + max(wanted, zero);
            const Four next = Some ? select(swept, pressed, pack->impulse) : pressed;
            const Four change = next - pack->impulse;
            pack->impulse = next;
            pack->largest = max(pack->largest, next);
            pack->missed = abs(change) * pack->nn;
            largest = max(largest, pack->missed);
            const Four v1 = dot(pack->t1, between) + pack->n1 * change;
            const Four v2 = dot(pack->t2, between) + pack->n2 * change;
            Four t1, t2;
            find_friction<PerAxis>(*pack, next, v1, v2, t1, t2);
            if constexpr (Some) {
                t1 = select(swept, t1, pack->tangent[0]);
                t2 = select(swept, t2, pack->tangent[1]);
            }
            const Vec3<Four> impulse = change * pack->n + (t1 - pack->tangent[0]) * pack->t1 +
                                       (t2 - pack->tangent[1]) * pack->t2;
            strongest = max(strongest, size_of(impulse));
            pack->tangent[0] = t1;
            pack->tangent[1] = t2;
            push_contact(*pack, impulse, a, b);
            store_velocity(b, bodies.u, pack->b);
            store_velocity(a, bodies.u, pack->a);
        }
        if (!correction.u || !any(pack->gap <= Four(far_away))) continue;
        a = load_velocity(correction.u, pack->a);
        b = load_velocity(correction.u, pack->b);
        const Four left = dot(pack->n, b.at(pack->arm_b) - a.at(pack->arm_a)) +
                          max(removal * (pack->gap + slop), fastest);
        if (!any((left < zero) | (pack->correction > zero))) continue;
        if (!pack->responds) find_responses(*pack, bodies.inertias);
        Four corrected = max(pack->correction - pack->inv_nn * left, zero);
        if constexpr (Some) corrected = select(pack->chosen > zero, corrected, pack->correction);
        const Four step = corrected - pack->correction;
        pack->missed = max(pack->missed, abs(step) * (pack->nn - pack->empty));
        most = max(most, pack->missed);
        const Vec3<Four> move = step * pack->n;
        pack->correction = corrected;
        push_contact(*pack, move, a, b);
        store_velocity(b, correction.u, pack->b);
        store_velocity(a, correction.u, pack->a);
    }
    return {largest_lane(largest), largest_lane(strongest), largest_lane(max(most, largest))};
}

Swept sweep_contacts(ContactPack* packs, int count, Scope scope, const ContactSettings& settings,
                     const Give& give, const Correction& correction, const BodyView& bodies) {
    const auto sweep = settings.per_axis ? scope == chosen ? sweep_all<true, true> : sweep_all<true, false>
                       : scope == chosen ? sweep_all<false, true>
                                         : sweep_all<false, false>;
    return sweep(packs, count, settings, give, correction, bodies);
}

ContactWork contact_work(const ContactPack* packs, int count, const Velocity* u) {
    Four normal(0.0), friction(0.0);
    for (const ContactPack* pack = packs; pack != packs + count; ++pack) {
        if (!any(pack->impulse > Four(0.0))) continue;
        const Vec3<Four> between =
            load_velocity(u, pack->b).at(pack->arm_b) - load_velocity(u, pack->a).at(pack->arm_a);
        normal += pack->impulse * dot(pack->n, between);
        friction += pack->tangent[0] * dot(pack->t1, between) + pack->tangent[1] * dot(pack->t2, between);
    }
    return {sum_of_lanes(normal), sum_of_lanes(friction)};
}

void restitute(ContactPack* packs, int count, double min_bounce, const BodyView& bodies) {
    Velocity* const u = bodies.u;
    const Four zero(0.0), least(-min_bounce);
    for (ContactPack* pack = packs; pack != packs + count; ++pack) {
        const auto bounces =
            (pack->restitution > zero) & (pack->approach < least) & (pack->largest > zero);
        if (!any(bounces)) continue;
        if (!pack->responds) find_responses(*pack, bodies.inertias);  // pressed by a direct solution
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

}  // namespace

namespace LIG_ISA {

void add_contact_kernels(ImpulseKernels& table) {
    table.prepare_contacts = prepare_contacts;
    table.sweep_contacts = sweep_contacts;
    table.contact_work = contact_work;
    table.restitute = restitute;
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
