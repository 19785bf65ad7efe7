// What acts from outside in a sub-step, for the momentum ledger.

#include "dynamics/stretches.h"
#include "formulations/impulse/impulse.h"
#include "formulations/impulse/pack_filling.h"

namespace lig {

namespace impulse {

Force<double> MovingBodies::momentum(int link) const {
    const Place& place = places[index(link)];
    const Velocity& own = velocities[index(link)];
    if (const int deforming = kinds_[link].deforms; deforming >= 0) {
        const ShapeMomentum<double> turning(*model_, deforming, place.R, own.w,
                                            shape_of(deforming));
        return shift_back(Force<double>{turning.spin, mass(link) * own.v}, place.x);
    }
    const Vec3d w = transpose_mul(place.R, own.w), &I = moments_[index(link)];
    return shift_back(Force<double>{place.R * Vec3d{I.x * w.x, I.y * w.y, I.z * w.z}, mass(link) * own.v},
                      place.x);
}

OutsideImpulses ContactPoints::impulses(const MovingBodies& bodies, const MomentumAccount& account) const {
    OutsideImpulses sum;
    const auto add = [&](int a, int b, const Vec3d& arm_a, const Vec3d& arm_b, const Force<double>& on_b) {
        const int link_a = a - bodies.bases(), link_b = b - bodies.bases();
        account.add_contact(link_b, link_a, shift_back(on_b, bodies.places[b].x + arm_b), sum);
        account.add_contact(link_a, link_b, -shift_back(on_b, bodies.places[a].x + arm_a), sum);
    };
    for (const PackList& list : lists_)
        for (const ContactPack& pack : list.packs)
            for (int lane = 0; lane < lanes; ++lane) {
                if (pack.source[lane] < 0) continue;
                const Vec3d impulse = pack.impulse[lane] * lane3(pack.n, lane) +
                                      pack.tangent[0][lane] * lane3(pack.t1, lane) +
                                      pack.tangent[1][lane] * lane3(pack.t2, lane);
                add(pack.a[lane], pack.b[lane], lane3(pack.arm_a, lane), lane3(pack.arm_b, lane),
                    {Vec3d::zero(), impulse});
            }
    for (const ContactTurning& turning : turnings_)
        for (int k = 0; k < turning.count; ++k)
            add(turning.a, turning.b, Vec3d::zero(), Vec3d::zero(),
                {turning.impulse[k] * turning.axis[k], Vec3d::zero()});
    return sum;
}

}  // namespace impulse

Momenta Impulse::momenta_of(const JointState<double>& state, MomentumAccount& account) {
    find_bodies(state);
    Momenta sum;
    for (int i = 0; i < bodies_.links(); ++i) account.add_link(i, bodies_.momentum(i), sum);
    return sum;
}

// Before bodies move on. What impulses have become later (take_contacts) comes on top.
void Impulse::account_momentum(double h) {
    const SmoothDynamics& dynamics = context_.motion.dynamics;
    Workspace<double>& ws = context_.momentum->workspace();
    context_.momentum->asleep.assign(static_cast<std::size_t>(bodies_.links()), 0);
    for (int i = 0; i < bodies_.links(); ++i) {
        ws.poses[i].X_WL = bodies_.link_pose(i);
        context_.momentum->asleep[i] = bodies_.is_asleep(bodies_.index(i));
    }
    OutsideImpulses forces = context_.momentum->forces_without_medium(ws, dynamics);
    const std::span<const Force<double>> drags = general_.drags();
    for (std::size_t i = 0; i < drags.size(); ++i)
        context_.momentum->add_drag(static_cast<int>(i), shift_back(drags[i], ws.poses[i].X_WL.p), forces);
    context_.momentum->sum += h * forces;
    take_contacts(1);
}

// Adds the impulses of contacts, where bodies are now, or takes them off.
void Impulse::take_contacts(double sign) {
    if (context_.momentum) context_.momentum->sum += sign * contacts_.impulses(bodies_, *context_.momentum);
}

}  // namespace lig
