// Contacts with friction.

#include "formulations/impulse/lane_bodies.h"
#include "formulations/impulse/tuning.h"

#include <cstddef>

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

struct LaneRates {
    Four rate[max_stretches];
};
static_assert(sizeof(LaneRates) == 6 * sizeof(Four));

// The velocities of a pack's bodies, with those of stretches where there are any.
template <bool Stretched>
struct Pair {
    LaneVelocity a, b;
    LaneRates rates_a, rates_b;

    LIG_INLINE static Pair load(const ContactPack& pack, const StretchPack* stretches, const Velocity* u) {
        Pair out;
        out.a = load_velocity(u, pack.a);
        out.b = load_velocity(u, pack.b);
        if constexpr (Stretched) {
            load_numbers<3>(u, stretches->a.rates, 0, out.rates_a.rate);
            load_numbers<3>(u, stretches->b.rates, 0, out.rates_b.rate);
        }
        return out;
    }
    LIG_INLINE void store(const ContactPack& pack, const StretchPack* stretches, Velocity* u) const {
        store_velocity(b, u, pack.b);
        store_velocity(a, u, pack.a);
        if constexpr (Stretched) {
            store_numbers<3>(rates_b.rate, u, stretches->b.rates, 0);
            store_numbers<3>(rates_a.rate, u, stretches->a.rates, 0);
        }
    }
    // Of the point on b, seen from that on a.
    LIG_INLINE Vec3<Four> between(const ContactPack& pack, const StretchPack* stretches) const {
        Vec3<Four> out = b.at(pack.arm_b) - a.at(pack.arm_a);
        if constexpr (Stretched)
            for (int k = 0; k < max_stretches; ++k)
                out += rates_b.rate[k] * stretches->b.by[k] - rates_a.rate[k] * stretches->a.by[k];
        return out;
    }
    // An impulse, and what it is along n, t1 and t2.
    LIG_INLINE void push(const ContactPack& pack, const StretchPack* stretches, const Vec3<Four>& impulse,
                         const Four (&along)[3]) {
        push_contact(pack, impulse, a, b);
        if constexpr (Stretched)
            for (int d = 0; d < 3; ++d) {
                b.w += along[d] * stretches->b.turns[d];
                a.w -= along[d] * stretches->a.turns[d];
                for (int k = 0; k < max_stretches; ++k) {
                    rates_b.rate[k] += along[d] * stretches->b.answers[d][k];
                    rates_a.rate[k] -= along[d] * stretches->a.answers[d][k];
                }
            }
    }
};

LIG_INLINE Sym3<Four> load_symmetric(const Shape* shapes, const int* which, int first) {
    Sym3<Four> out;
    load_numbers<3>(shapes, which, first, &out.xx);
    return out;
}

constexpr int by_moment_at = 12 + 6 * max_stretches, by_force_at = by_moment_at + 3 * max_stretches,
              coordinates_at = by_force_at + max_stretches * max_stretches;

// Where a point is that is at `local` at rest, from the centre of mass.
template <bool Stretched>
LIG_INLINE Vec3<Four> place_of(const Mat3<Four>& R, const Vec3<Four>& local, const StretchPack* stretches,
                               StretchSide StretchPack::* side, const Shape* shapes) {
    if constexpr (Stretched) {
        const StretchSide& own = stretches->*side;
        Vec3<Four> place = load_symmetric(shapes, own.shape, 0) * local;
        if (own.has_own) {
            static_assert(offsetof(Shape, coordinates) == coordinates_at * sizeof(double));
            const Sym3<Four> s = load_symmetric(shapes, own.shape, coordinates_at);
            for (int k = 0; k < max_stretches; ++k) place += (&s.xx)[k] * own.own[k];
        }
        return R * place;
    } else {
        return R * local;
    }
}

// Which velocity of the point a unit of each rate is.
LIG_INLINE void find_rates(StretchSide& side, const Vec3<Four>& arm, const Mat3<Four>& R,
                           const Shape* shapes) {
    constexpr int inverse_at = 6, by_rate_at = 12;
    static_assert(offsetof(Shape, by_rate) == by_rate_at * sizeof(double));
    const Vec3<Four> rest = load_symmetric(shapes, side.shape, inverse_at) * transpose_mul(R, arm);
    for (int k = 0; k < max_stretches; ++k) {
        const Vec3<Four> by = load_symmetric(shapes, side.shape, by_rate_at + 6 * k) * rest;
        side.by[k] = R * (side.has_own ? by + side.own[k] : by);
    }
}

LIG_INLINE void find_answers(StretchSide& side, const ContactPack& pack, const Vec3<Four>& arm,
                             const Shape* shapes) {
    static_assert(offsetof(Shape, by_moment) == by_moment_at * sizeof(double));
    static_assert(offsetof(Shape, by_force) == by_force_at * sizeof(double));
    Vec3<Four> by_moment[max_stretches];
    load_numbers<3 * max_stretches / 2>(shapes, side.shape, by_moment_at, &by_moment[0].x);
    Four by_force[max_stretches][max_stretches];
    load_numbers<max_stretches * max_stretches / 2>(shapes, side.shape, by_force_at, by_force[0]);
    const Vec3<Four> axes[] = {pack.n, pack.t1, pack.t2};
    for (int d = 0; d < 3; ++d) {
        const Vec3<Four> moment = cross(arm, axes[d]);
        Four force[max_stretches];
        side.turns[d] = Vec3<Four>::zero();
        for (int k = 0; k < max_stretches; ++k) {
            force[k] = dot(side.by[k], axes[d]);
            side.turns[d] += force[k] * by_moment[k];
        }
        for (int k = 0; k < max_stretches; ++k) {
            side.answers[d][k] = dot(by_moment[k], moment);
            for (int l = 0; l < max_stretches; ++l) side.answers[d][k] += by_force[k][l] * force[l];
        }
    }
}

template <bool Stretched>
LIG_INLINE void find_responses(ContactPack& pack, StretchPack* stretches, const BodyView& bodies) {
    const LaneInertia own_a = load_inertia(bodies.inertias, pack.a),
                      own_b = load_inertia(bodies.inertias, pack.b);
    pack.mass_a = own_a.inv_mass;
    pack.mass_b = own_b.inv_mass;
    pack.inertia_a = own_a.inv_inertia;
    pack.inertia_b = own_b.inv_inertia;
    pack.responds = true;
    if constexpr (Stretched) {
        find_answers(stretches->a, pack, pack.arm_a, bodies.shapes);
        find_answers(stretches->b, pack, pack.arm_b, bodies.shapes);
    }
    const Vec3<Four> mass = pack.mass_a + pack.mass_b;
    // What a unit impulse along n, t1 or t2 does to the velocity of the point.
    const auto respond = [&](const Vec3<Four>& along, int direction) LIG_INLINE_LAMBDA {
        Vec3<Four> out = scaled(mass, along) +
                         cross(pack.inertia_a * cross(pack.arm_a, along), pack.arm_a) +
                         cross(pack.inertia_b * cross(pack.arm_b, along), pack.arm_b);
        if constexpr (Stretched) {
            out += cross(stretches->a.turns[direction], pack.arm_a) +
                   cross(stretches->b.turns[direction], pack.arm_b);
            for (int k = 0; k < max_stretches; ++k)
                out += stretches->a.answers[direction][k] * stretches->a.by[k] +
                       stretches->b.answers[direction][k] * stretches->b.by[k];
        }
        return out;
    };
    const Vec3<Four> by_n = respond(pack.n, 0), by_1 = respond(pack.t1, 1), by_2 = respond(pack.t2, 2);
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

template <bool Stretched>
LIG_INLINE double prepare_all(const ContactRun& run, const Place* places, bool watches,
                              const BodyView& bodies) {
    const Four zero(0.0);
    Four deepest(0.0);
    StretchPack* beside = run.stretches;
    ContactPack* const end = run.packs + run.count;
    for (ContactPack* pack = run.packs; pack != end; ++pack, beside += Stretched) {
        const LanePlace at_a = load_place(places, pack->a), at_b = load_place(places, pack->b);
        // The witnesses on both, seen from a.
        const Vec3<Four> across = at_b.x - at_a.x;
        const Vec3<Four> on_a =
            place_of<Stretched>(at_a.R, pack->local_a, beside, &StretchPack::a, bodies.shapes) +
            pack->round_a * pack->n;
        const Vec3<Four> on_b =
            across + (place_of<Stretched>(at_b.R, pack->local_b, beside, &StretchPack::b, bodies.shapes) -
                      pack->round_b * pack->n);
        // One point for both, so that angular momentum is kept.
        pack->arm_a = on_a + pack->with_b * (on_b - on_a);
        pack->arm_b = pack->arm_a - across;
        pack->gap = select(pack->empty > zero, Four(1.0), dot(pack->n, on_b - on_a) - pack->offset);
        deepest = max(deepest, -pack->gap);
        pack->correction = zero;
        pack->responds = false;
        if constexpr (Stretched) {
            find_rates(beside->a, pack->arm_a, at_a.R, bodies.shapes);
            find_rates(beside->b, pack->arm_b, at_b.R, bodies.shapes);
        }
        // What is not closed yet is hit with the speed that it has before any impulses, which may be large
        // and against each other.
        if (!watches || !any(pack->restitution > zero)) continue;
        const auto both = Pair<Stretched>::load(*pack, beside, bodies.u);
        pack->approach = select(pack->gap > zero, dot(pack->n, both.between(*pack, beside)), pack->approach);
    }
    return largest_lane(deepest);
}

double prepare_contacts(const ContactRun& run, const Place* places, bool watches, const BodyView& bodies) {
    return run.stretches ? prepare_all<true>(run, places, watches, bodies)
                         : prepare_all<false>(run, places, watches, bodies);
}

template <bool Stretched>
LIG_INLINE void warm_start_all(const ContactRun& run, const BodyView& bodies) {
    const Four zero(0.0);
    StretchPack* beside = run.stretches;
    ContactPack* const end = run.packs + run.count;
    for (ContactPack* pack = run.packs; pack != end; ++pack, beside += Stretched) {
        if (!any((pack->impulse != zero) | (pack->tangent[0] != zero) | (pack->tangent[1] != zero))) continue;
        find_responses<Stretched>(*pack, beside, bodies);
        auto both = Pair<Stretched>::load(*pack, beside, bodies.u);
        both.push(*pack, beside,
                  pack->impulse * pack->n + pack->tangent[0] * pack->t1 + pack->tangent[1] * pack->t2,
                  {pack->impulse, pack->tangent[0], pack->tangent[1]});
        both.store(*pack, beside, bodies.u);
    }
}

void warm_start_contacts(const ContactRun& run, const BodyView& bodies) {
    if (run.stretches)
        warm_start_all<true>(run, bodies);
    else
        warm_start_all<false>(run, bodies);
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
template <bool Stretched, bool PerAxis, bool Some>
Swept sweep_all(const ContactRun& run, const ContactSettings& settings, const Give& give,
                const Correction& correction, const BodyView& bodies) {
    Four largest(0.0), strongest(0.0), most(0.0);
    const Four zero(0.0), per_step(1 / settings.h), rate(give.bias_rate), slop(settings.slop),
        fastest(-settings.fastest), mass_scale(give.mass_scale), impulse_scale(give.impulse_scale),
        min_bounce(-settings.min_bounce), removal(correction.rate);
    StretchPack* beside = run.stretches;
    ContactPack* const end = run.packs + run.count;
    for (ContactPack* pack = run.packs; pack != end; ++pack, beside += Stretched) {
        auto both = Pair<Stretched>::load(*pack, beside, bodies.u);
        const Vec3<Four> between = both.between(*pack, beside);
        const auto open = pack->gap > zero;
        Four bias = select(open, pack->gap * per_step,
                           max(rate * min(pack->gap + slop, zero), fastest));
        if (settings.bounce)
            bias += select(pack->approach < min_bounce, pack->restitution * pack->approach, zero);
        const Four miss = dot(pack->n, between) + bias;
        pack->missed = zero;
        if (any((miss < zero) | (pack->impulse > zero))) {
            if (!pack->responds) find_responses<Stretched>(*pack, beside, bodies);
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
            const Four more1 = t1 - pack->tangent[0], more2 = t2 - pack->tangent[1];
            const Vec3<Four> impulse = change * pack->n + more1 * pack->t1 + more2 * pack->t2;
            strongest = max(strongest, size_of(impulse));
            pack->tangent[0] = t1;
            pack->tangent[1] = t2;
            both.push(*pack, beside, impulse, {change, more1, more2});
            both.store(*pack, beside, bodies.u);
        }
        if (!correction.u || !any(pack->gap <= Four(far_away))) continue;
        both = Pair<Stretched>::load(*pack, beside, correction.u);
        const Four left = dot(pack->n, both.between(*pack, beside)) +
                          max(removal * (pack->gap + slop), fastest);
        if (!any((left < zero) | (pack->correction > zero))) continue;
        if (!pack->responds) find_responses<Stretched>(*pack, beside, bodies);
        Four corrected = max(pack->correction - pack->inv_nn * left, zero);
        if constexpr (Some) corrected = select(pack->chosen > zero, corrected, pack->correction);
        const Four step = corrected - pack->correction;
        pack->missed = max(pack->missed, abs(step) * (pack->nn - pack->empty));
        most = max(most, pack->missed);
        const Vec3<Four> move = step * pack->n;
        pack->correction = corrected;
        both.push(*pack, beside, move, {step, zero, zero});
        both.store(*pack, beside, correction.u);
    }
    return {largest_lane(largest), largest_lane(strongest), largest_lane(max(most, largest))};
}

template <bool Stretched>
constexpr auto choose_sweep(bool per_axis, Scope scope) {
    const bool some = scope == chosen;
    if (per_axis) return some ? sweep_all<Stretched, true, true> : sweep_all<Stretched, true, false>;
    return some ? sweep_all<Stretched, false, true> : sweep_all<Stretched, false, false>;
}

Swept sweep_contacts(const ContactRun& run, Scope scope, const ContactSettings& settings, const Give& give,
                     const Correction& correction, const BodyView& bodies) {
    const auto sweep = run.stretches ? choose_sweep<true>(settings.per_axis, scope)
                                     : choose_sweep<false>(settings.per_axis, scope);
    return sweep(run, settings, give, correction, bodies);
}

template <bool Stretched>
LIG_INLINE ContactWork find_work(const ContactPack* packs, const StretchPack* stretches, int count,
                                 const Velocity* u) {
    Four normal(0.0), friction(0.0);
    const StretchPack* beside = stretches;
    for (const ContactPack* pack = packs; pack != packs + count; ++pack, beside += Stretched) {
        if (!any(pack->impulse > Four(0.0))) continue;
        const Vec3<Four> between = Pair<Stretched>::load(*pack, beside, u).between(*pack, beside);
        normal += pack->impulse * dot(pack->n, between);
        friction += pack->tangent[0] * dot(pack->t1, between) + pack->tangent[1] * dot(pack->t2, between);
    }
    return {sum_of_lanes(normal), sum_of_lanes(friction)};
}

ContactWork contact_work(const ContactPack* packs, const StretchPack* stretches, int count,
                         const Velocity* u) {
    return stretches ? find_work<true>(packs, stretches, count, u)
                     : find_work<false>(packs, stretches, count, u);
}

template <bool Stretched>
LIG_INLINE void restitute_all(const ContactRun& run, double min_bounce, const BodyView& bodies) {
    const Four zero(0.0), least(-min_bounce);
    StretchPack* beside = run.stretches;
    ContactPack* const end = run.packs + run.count;
    for (ContactPack* pack = run.packs; pack != end; ++pack, beside += Stretched) {
        const auto bounces =
            (pack->restitution > zero) & (pack->approach < least) & (pack->largest > zero);
        if (!any(bounces)) continue;
        // What a direct solution has pressed.
        if (!pack->responds) find_responses<Stretched>(*pack, beside, bodies);
        auto both = Pair<Stretched>::load(*pack, beside, bodies.u);
        const Four miss =
            dot(pack->n, both.between(*pack, beside)) + pack->restitution * pack->approach;
        const Four next =
            select(bounces, max(pack->impulse - pack->inv_nn * miss, zero), pack->impulse);
        const Four change = next - pack->impulse;
        pack->impulse = next;
        pack->approach = select(bounces, zero, pack->approach);  // once
        both.push(*pack, beside, change * pack->n, {change, zero, zero});
        both.store(*pack, beside, bodies.u);
    }
}

void restitute(const ContactRun& run, double min_bounce, const BodyView& bodies) {
    if (run.stretches)
        restitute_all<true>(run, min_bounce, bodies);
    else
        restitute_all<false>(run, min_bounce, bodies);
}

}  // namespace

namespace LIG_ISA {

void add_contact_kernels(ImpulseKernels& table) {
    table.prepare_contacts = prepare_contacts;
    table.warm_start_contacts = warm_start_contacts;
    table.sweep_contacts = sweep_contacts;
    table.contact_work = contact_work;
    table.restitute = restitute;
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
