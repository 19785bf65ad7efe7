// Where the energy of penalties is, and goes; and their momentum.

#include "dynamics/dynamics_parts.h"
#include "formulations/implicit/penalties.h"

namespace lig::implicit {

void Penalties::add_work(const Touch& touch, const maximal::BodySystem& system, std::span<const double> u,
                         Work& sum) const {
    if (touch.push == 0) return;
    const Workspace<double>& ws = system.workspace();
    const Vec3d a = carrier_pose(ws, touch.link_a) * touch.at_a,
                b = carrier_pose(ws, touch.link_b) * touch.at_b;
    const auto [V_a, V_b] = motions_of(touch, system, a, b, u);
    const double gap = dot(touch.normal, b - a) - touch.margin;
    const Motion<double> between = V_b - V_a;
    const Force<double> friction{
        touch.force[2] * touch.normal + touch.force[3] * touch.t1 + touch.force[4] * touch.t2,
        touch.force[0] * touch.t1 + touch.force[1] * touch.t2};
    sum.powers.contact_friction -= dot(between, friction);
    // Of the push, what is beyond the spring's.
    sum.powers.impacts -= (touch.push + touch.stiffness * gap) * dot(touch.normal, between.lin);
    const Force<double> all{friction.ang, friction.lin + touch.push * touch.normal};
    if (touch.link_a < 0) sum.powers.kinematic += dot(V_a, all);
    if (touch.link_b < 0) sum.powers.kinematic -= dot(V_b, all);
}

Penalties::Work Penalties::work(const maximal::BodySystem& system, const JointState<double>& state,
                                std::span<const double> u) {
    Work sum;
    const Workspace<double>& ws = system.workspace();
    for (const Touch& touch : touches_) {
        const double gap = dot(touch.normal, carrier_pose(ws, touch.link_b) * touch.at_b -
                                                 carrier_pose(ws, touch.link_a) * touch.at_a) -
                           touch.margin;
        if (!(gap < 0)) continue;
        sum.energy += 0.5 * touch.stiffness * gap * gap;
        Touch here = touch;
        act(here, system, u);
        add_work(here, system, u, sum);
    }
    if (!reads_joints_) return sum;
    find_violated_limits(state, *model_, violated_);
    for (const ViolatedLimit& bound : violated_) {
        double inertia = 0, rate = 0;
        for (int k = 0; k < bound.count; ++k) {
            const double g = bound.gradient[k];
            inertia += g * g * joint_inertia_[bound.first + k];
            rate += g * state.v[bound.first + k];
        }
        const double stiffness = by_mass_ * inertia;
        if (!(bound.gap < 0)) continue;
        sum.energy += 0.5 * stiffness * bound.gap * bound.gap;
        sum.powers.limits -= (push_of(stiffness, bound.gap, rate).force + stiffness * bound.gap) * rate;
    }
    for (const Dry& dry : dry_) {
        const double v = state.v[dry.dof];
        sum.powers.joint_friction += std::clamp(dry.damping * v, -dry.bound, dry.bound) * v;
    }
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
