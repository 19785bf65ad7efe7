// Where the energy of penalties is, and goes; and their momentum.

#include "formulations/implicit/penalties.h"

#include <algorithm>

namespace lig::implicit {

// On B, about the point of contact.
Force<double> Penalties::friction_of(const Touch& touch) {
    return {touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2,
            touch.force[0] * touch.t1 + touch.force[1] * touch.t2};
}

void Penalties::add_work(const Touch& touch, const Iterate& at, Work& sum) const {
    const Place here = place(touch, at);
    const double depth = std::max(0.0, -here.gap);
    sum.energy += 0.5 * touch.stiffness * depth * depth;
    if (touch.push == 0) return;
    const Motion<double> between = here.V_b - here.V_a;
    const Force<double> friction = friction_of(touch);
    sum.powers.contact_friction -= dot(between, friction);
    // Of the push, what is beyond the spring's.
    sum.powers.impacts -= (touch.push - touch.stiffness * depth) * dot(touch.normal, between.lin);
    const Force<double> all{friction.ang, friction.lin + touch.push * touch.normal};
    if (touch.link_a < 0) sum.powers.kinematic += dot(here.V_a, all);
    if (touch.link_b < 0) sum.powers.kinematic -= dot(here.V_b, all);
}

double Penalties::depth(const Iterate& at) const {
    double depth = 0;
    for (const Touch& touch : touches_) depth = std::max(depth, -(place(touch, at).gap + touch.margin));
    return depth;
}

double Penalties::energy(const Iterate& at) {
    double sum = 0;
    for (const Touch& touch : touches_) {
        const double depth = std::max(0.0, -place(touch, at).gap);
        sum += 0.5 * touch.stiffness * depth * depth;
    }
    find_limits(at, 0, {});
    for (const Limit& limit : limits_) sum += 0.5 * limit.stiffness * limit.gap * limit.gap;
    return sum;
}

Penalties::Work Penalties::work(const Iterate& at) {
    Work sum;
    for (const Touch& touch : touches_) add_work(touch, at, sum);
    if (!reads_joints_) return sum;
    find_limits(at, 0, {});
    for (Limit& limit : limits_) {
        const double spring = -limit.stiffness * limit.gap;
        limit.force = PenaltyLaw::push_of(limit.stiffness, dissipation_, limit.gap, limit.rate).force;
        sum.energy += 0.5 * spring * -limit.gap;
        sum.powers.limits -= (limit.force - spring) * limit.rate;
    }
    for (const Dry& dry : dry_)
        sum.powers.joint_friction -=
            dry.force * (dry.tendon >= 0 ? at.drives.tendon_velocity[dry.tendon] : at.state.v[dry.dof]);
    return sum;
}

void Penalties::add_contacts(const Iterate& at, const MomentumAccount& account, OutsideImpulses& sum) const {
    for (const Touch& touch : touches_) {
        if (touch.push == 0) continue;
        const Place here = place(touch, at);
        Force<double> on_b = friction_of(touch);
        on_b.lin += touch.push * touch.normal;
        account.add_contact(touch.link_b, touch.link_a, shift_back(on_b, here.b), sum);
        account.add_contact(touch.link_a, touch.link_b, -shift_back(on_b, here.a), sum);
    }
}

}  // namespace lig::implicit
