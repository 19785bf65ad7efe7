// Where the energy of penalties is, and goes; and their momentum.

#include "formulations/implicit/penalties.h"

#include <algorithm>

namespace lig::implicit {

void Penalties::add_work(const Touch& touch, const Iterate& at, Work& sum) const {
    const Place here = place(touch, at);
    const double depth = std::max(0.0, -here.gap);
    sum.energy += 0.5 * touch.stiffness * depth * depth;
    if (touch.push == 0) return;
    const Motion<double> between = here.V_b - here.V_a;
    const Force<double> friction{
        touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2,
        touch.force[0] * touch.t1 + touch.force[1] * touch.t2};
    sum.powers.contact_friction -= dot(between, friction);
    // Of the push, what is beyond the spring's.
    sum.powers.impacts -= (touch.push - touch.stiffness * depth) * dot(touch.normal, between.lin);
    const Force<double> all{friction.ang, friction.lin + touch.push * touch.normal};
    if (touch.link_a < 0) sum.powers.kinematic += dot(here.V_a, all);
    if (touch.link_b < 0) sum.powers.kinematic -= dot(here.V_b, all);
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

void Penalties::add_contacts(const maximal::BodySystem& system, std::span<const double> u,
                             const MomentumAccount& account, OutsideImpulses& sum) const {
    const Workspace<double>& ws = system.workspace();
    for (const Touch& touch : touches_) {
        Touch here = touch;
        act(here, system, u);
        if (here.push == 0) continue;
        const Force<double> on_b{
            here.force[2] * here.normal + here.force[3] * here.t1 + here.force[4] * here.t2,
            here.push * here.normal + here.force[0] * here.t1 + here.force[1] * here.t2};
        account.add_contact(here.link_b, here.link_a,
                            shift_back(on_b, carrier_pose(ws, here.link_b) * here.at_b), sum);
        account.add_contact(here.link_a, here.link_b,
                            -shift_back(on_b, carrier_pose(ws, here.link_a) * here.at_a), sum);
    }
}

}  // namespace lig::implicit
