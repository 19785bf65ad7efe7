// Limits of joints.

#include "formulations/impulse/lane_bodies.h"
#include "formulations/impulse/tuning.h"
#include "joints/joint.h"

namespace lig::impulse {
namespace {

constexpr double lever = limit_tuning.lever, max_twist_rate = limit_tuning.max_twist_rate;

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

LIG_INLINE void find_responses(LimitPack& pack, const Inertia* inertias) {
    const Four zero(0.0), one(1.0), nothing(limit_tuning.nothing);
    const Sym3<Four> inertia_a = load_inertia(inertias, pack.a).inv_inertia,
                     inertia_b = load_inertia(inertias, pack.b).inv_inertia;
    for (int k = 0; k < 2; ++k) {
        pack.turn_a[k] = inertia_a * pack.row[k];
        pack.turn_b[k] = inertia_b * pack.row[k];
        const Four response = dot(pack.row[k], pack.turn_a[k] + pack.turn_b[k]);
        pack.inverse[k] = select(response > nothing, one / max(response, nothing), zero);
    }
    pack.responds = true;
}

double prepare_limits(LimitPack* packs, const int* which, int count, const Place* places, bool warm,
                      const BodyView& bodies) {
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
        const Vec3<Four> twist_axis = c + min(s * inverse, Four(max_twist_rate)) * cross(c, swing);
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
        for (int k = 0; k < 2; ++k) {
            pack.correction[k] = zero;
            largest = max(largest, -pack.gap[k]);
        }
        pack.responds = false;
        if (!warm || !any((pack.impulse[0] > zero) | (pack.impulse[1] > zero))) continue;
        find_responses(pack, bodies.inertias);
        LaneTurning a = load_turning(bodies.u, pack.a), b = load_turning(bodies.u, pack.b);
        for (int k = 0; k < 2; ++k) {
            b.w += pack.impulse[k] * pack.turn_b[k];
            a.w -= pack.impulse[k] * pack.turn_a[k];
        }
        store_turning(b, bodies.u, pack.b);
        store_turning(a, bodies.u, pack.a);
    }
    return largest_lane(largest);
}

// Where nothing presses and nothing arrives, responses are not asked for. Some: of chosen lanes alone.
template <bool Some>
LIG_INLINE Swept sweep_limits_of(LimitPack* packs, PackIndices which, const ContactSettings& settings,
                                 const Give& give, const Correction& correction, const BodyView& bodies) {
    Four largest(0.0), strongest(0.0), most(0.0);
    const Four zero(0.0), per_step(1 / settings.h), rate(give.bias_rate), slop(settings.slop),
        mass_scale(give.mass_scale), impulse_scale(give.impulse_scale), removal(correction.rate);
    for (int n = 0; n < which.count; ++n) {
        LimitPack& pack = packs[which.begin[n]];
        const auto in_use = [&](const Four(&sums)[2], Four miss0, Four miss1) LIG_INLINE_LAMBDA {
            return any((miss0 < zero) | (miss1 < zero) | (sums[0] > zero) | (sums[1] > zero));
        };
        LaneTurning a = load_turning(bodies.u, pack.a), b = load_turning(bodies.u, pack.b);
        Four missed(0.0);
        const auto miss_of = [&](int k) LIG_INLINE_LAMBDA {
            const Four bias = select(pack.gap[k] > zero, pack.gap[k] * per_step,
                                     rate * min(pack.gap[k] + slop, zero));
            return dot(pack.row[k], b.w - a.w) + bias;
        };
        if (in_use(pack.impulse, miss_of(0), miss_of(1))) {
            if (!pack.responds) find_responses(pack, bodies.inertias);
            for (int k = 0; k < 2; ++k) {
                const Four miss = miss_of(k), rigid = -(pack.inverse[k] * miss);
                const Four wanted = select(pack.gap[k] > zero, rigid,
                                           mass_scale * rigid - impulse_scale * pack.impulse[k]);
                Four next = settings.accumulated ? max(pack.impulse[k] + wanted, zero)
                                                 : pack.impulse[k] + max(wanted, zero);
                if constexpr (Some) next = select(pack.chosen > zero, next, pack.impulse[k]);
                const Four change = next - pack.impulse[k];
                missed = max(missed, select(change != zero, abs(miss), zero));
                pack.impulse[k] = next;
                strongest = max(strongest, abs(change));
                b.w += change * pack.turn_b[k];
                a.w -= change * pack.turn_a[k];
            }
            store_turning(b, bodies.u, pack.b);
            store_turning(a, bodies.u, pack.a);
            largest = max(largest, missed);
        }
        pack.missed = Four(lever) * missed;
        most = max(most, pack.missed);
        if (!correction.u) continue;
        a = load_turning(correction.u, pack.a);
        b = load_turning(correction.u, pack.b);
        const auto left_of = [&](int k) LIG_INLINE_LAMBDA {
            return dot(pack.row[k], b.w - a.w) + removal * (pack.gap[k] + slop);
        };
        if (!in_use(pack.correction, left_of(0), left_of(1))) continue;
        if (!pack.responds) find_responses(pack, bodies.inertias);
        for (int k = 0; k < 2; ++k) {
            const Four left = left_of(k);
            Four next = max(pack.correction[k] - pack.inverse[k] * left, zero);
            if constexpr (Some) next = select(pack.chosen > zero, next, pack.correction[k]);
            const Four change = next - pack.correction[k];
            pack.correction[k] = next;
            missed = max(missed, select(change != zero, abs(left), zero));
            b.w += change * pack.turn_b[k];
            a.w -= change * pack.turn_a[k];
        }
        pack.missed = Four(lever) * missed;
        most = max(most, pack.missed);
        store_turning(b, correction.u, pack.b);
        store_turning(a, correction.u, pack.a);
    }
    return {largest_lane(largest), largest_lane(strongest), largest_lane(most)};
}

Swept sweep_limits(LimitPack* packs, PackIndices which, Scope scope, const ContactSettings& settings,
                   const Give& give, const Correction& correction, const BodyView& bodies) {
    return scope == chosen ? sweep_limits_of<true>(packs, which, settings, give, correction, bodies)
                           : sweep_limits_of<false>(packs, which, settings, give, correction, bodies);
}

}  // namespace

namespace LIG_ISA {

void add_limit_kernels(ImpulseKernels& table) {
    table.screen_limits = screen_limits;
    table.prepare_limits = prepare_limits;
    table.sweep_limits = sweep_limits;
}

}  // namespace LIG_ISA
}  // namespace lig::impulse
