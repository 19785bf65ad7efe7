// What joints, limits and contacts do in a sub-step, for the energy ledger.

#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/joint_blocks.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/impulse/pack_filling.h"

namespace lig::impulse {

namespace {

// What bases do by an impulse on b at the arm, with a moment on it; a gets the opposite at its own arm.
double by_bases(const SubstepVelocities& u, int a, int b, const Vec3d& arm_a, const Vec3d& arm_b,
                const Vec3d& impulse, const Vec3d& moment) {
    double sum = 0;
    if (u.is_base(a)) sum += dot(impulse, u.mean.velocity_at(a, arm_a)) + dot(moment, u.mean.u[a].w);
    if (u.is_base(b)) sum -= dot(impulse, u.mean.velocity_at(b, arm_b)) + dot(moment, u.mean.u[b].w);
    return sum;
}

}  // namespace

double JointBlocks::work_of_bases(const SubstepVelocities& u) const {
    if (!u.bases_move) return 0;
    double sum = 0;
    const auto add = [&](const PointPack& pack, int lane, const Vec3d& moment) {
        if (pack.empty[lane] == 0)
            sum += by_bases(u, pack.bodies.a[lane], pack.bodies.b[lane], lane3(pack.arm_a, lane),
                            lane3(pack.arm_b, lane), lane3(pack.impulse, lane), moment);
    };
    for (const PackRun& run : point_runs_)
        for (int k = run.begin; k < run.begin + run.count; ++k)
            for (int lane = 0; lane < lanes; ++lane) add(points_[k], lane, Vec3d::zero());
    for (const PackRun& run : hinge_runs_)
        for (int k = run.begin; k < run.begin + run.count; ++k)
            for (int lane = 0; lane < lanes; ++lane)
                add(hinges_[k].point, lane,
                    hinges_[k].impulse[0][lane] * lane3(hinges_[k].axis[0], lane) +
                        hinges_[k].impulse[1][lane] * lane3(hinges_[k].axis[1], lane));
    for_each_list([&]<int N>(const std::vector<RowJoint<N>>& list) {
        for (const RowJoint<N>& joint : list) {
            if (joint.asleep || !u.is_base(joint.a)) continue;
            const Velocity& base = u.mean.u[joint.a];
            for (int k = 0; k < N; ++k)
                sum += joint.impulse[k] * (dot(joint.lin[k], base.v) - dot(joint.ang_a[k], base.w));
        }
    });
    return sum;
}

void JointLimits::add_work(const SubstepVelocities& u, EnergyFlows& flows) const {
    for (int n = 0; n < near_count_; ++n) {
        const LimitPack& pack = packs_[near_[n]];
        for (int k = 0; k < 2; ++k)
            for (int lane = 0; lane < lanes && any(pack.impulse[k] > Four(0.0)); ++lane) {
                const double impulse = pack.impulse[k][lane];
                if (impulse == 0) continue;
                const Vec3d moment = impulse * lane3(pack.row[k], lane);
                const int a = pack.a[lane], b = pack.b[lane];
                flows.limits -= dot(moment, u.mean.u[b].w - u.mean.u[a].w);
                if (u.bases_move)
                    flows.kinematic += by_bases(u, a, b, Vec3d::zero(), Vec3d::zero(), Vec3d::zero(), moment);
            }
    }
}

void ContactPoints::add_work(const SubstepVelocities& u, EnergyFlows& flows) const {
    for (const PackList& list : lists_) {
        const ContactWork done = impulse_kernels().contact_work(
            list.packs.data(), list.beside(), static_cast<int>(list.packs.size()), u.mean.u);
        flows.impacts -= done.normal;
        flows.contact_friction -= done.friction;
    }
    for (const ContactTurning& turning : turnings_)
        for (int k = 0; k < turning.count; ++k)
            flows.contact_friction -=
                turning.impulse[k] *
                dot(turning.axis[k], u.mean.u[turning.b].w - u.mean.u[turning.a].w);
    flows.kinematic += work_of_bases(u);
}

double ContactPoints::work_of_bases(const SubstepVelocities& u) const {
    if (!u.bases_move) return 0;
    double sum = 0;
    for (const PackList& list : lists_)
        for (const ContactPack& pack : list.packs)
            for (int lane = 0; lane < lanes; ++lane) {
                if (!(pack.impulse[lane] > 0)) continue;
                const Vec3d impulse = pack.impulse[lane] * lane3(pack.n, lane) +
                                      pack.tangent[0][lane] * lane3(pack.t1, lane) +
                                      pack.tangent[1][lane] * lane3(pack.t2, lane);
                sum += by_bases(u, pack.a[lane], pack.b[lane], lane3(pack.arm_a, lane),
                                lane3(pack.arm_b, lane), impulse, Vec3d::zero());
            }
    for (const ContactTurning& turning : turnings_)
        for (int k = 0; k < turning.count; ++k)
            sum += by_bases(u, turning.a, turning.b, Vec3d::zero(), Vec3d::zero(), Vec3d::zero(),
                            turning.impulse[k] * turning.axis[k]);
    return sum;
}

}  // namespace lig::impulse
