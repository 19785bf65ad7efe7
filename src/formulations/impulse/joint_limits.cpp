#include "formulations/impulse/joint_limits.h"

#include "constraints/limit_rows.h"
#include "formulations/impulse/pack_filling.h"
#include "formulations/impulse/tuning.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig::impulse {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double never = 1e100;  // a bound that binds nothing

// What the limits of a joint are, if they can be here.
struct Bounds {
    bool hinge = false, of_angle = false;
    double circle = never, lower = -never, upper = never;
};

bool find_bounds(const Model::Joint& joint, Bounds& out) {
    if (joint.type == JointType::hinge) {
        out.hinge = true;
        if (std::isfinite(joint.range[0].lower)) out.lower = joint.range[0].lower;
        if (std::isfinite(joint.range[0].upper)) out.upper = joint.range[0].upper;
        return out.lower > -never || out.upper < never;
    }
    if (joint.type != JointType::ball) return false;
    const bool cone = joint.cone && *joint.cone < pi, swing = joint.swing && *joint.swing < pi;
    if (cone && swing) return false;
    out.of_angle = cone;
    if (cone) out.circle = *joint.cone;
    if (swing) out.circle = *joint.swing;
    if (joint.twist && joint.twist->upper - joint.twist->lower < 2 * pi) {
        if (std::isfinite(joint.twist->lower)) out.lower = joint.twist->lower;
        if (std::isfinite(joint.twist->upper)) out.upper = joint.twist->upper;
    }
    const bool twists = out.lower > -never || out.upper < never;
    return (cone || swing || twists) && out.circle >= limit_tuning.narrowest;
}

double half_tangent(double bound, double otherwise) {
    if (!(std::fabs(bound) < never)) return otherwise;
    const double t = std::tan(0.5 * bound);
    return std::fabs(bound) < pi && std::fabs(t) < limit_tuning.steepest ? t : -otherwise;
}

void set_quat(Quat<Four>& to, int lane, const Quatd& q) {
    to.w.set(lane, q.w);
    to.x.set(lane, q.x);
    to.y.set(lane, q.y);
    to.z.set(lane, q.z);
}

}  // namespace

JointLimits::JointLimits(const MovingBodies& bodies, const WarmStarts& warm)
    : here_(bodies.model().joints.size(), 0) {
    const Model& model = bodies.model();
    if (!model.options.enabled.constraint || !model.options.enabled.limit) return;
    PackFilling filling(bodies, packs_, [](auto& pack) -> auto& { return pack; });
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& from = model.joints[j];
        const int link = model.bodies[from.body].link;
        if (link < 0 || model.tree.links[link].joint_count != 1 || !bodies.has_joint_rows(link)) continue;
        const int parent = model.tree.links[link].parent;
        Bounds bounds;
        if (!bodies.is_rigid(parent) || !find_bounds(from, bounds)) continue;
        const TreeJoint<double>& joint = model.tree.joints[model.tree.links[link].joint_begin];
        auto [pack, lane] = filling.take(bodies.index(parent), bodies.index(link));
        if (lane == 0) {
            std::fill_n(pack.joint, lanes, -1);
            pack.before = pack.own = {Four(1.0), Four(0.0), Four(0.0), Four(0.0)};
            pack.circle = pack.tan_circle = pack.upper = pack.tan_upper = Four(never);
            pack.lower = pack.tan_lower = Four(-never);
        }
        pack.joint[lane] = static_cast<int>(joints_.size());
        set_quat(pack.before, lane, bodies.turn_of(parent, joint.X_PF.R));
        set_quat(pack.own, lane, bodies.turn_of(link, Mat3d::identity()));
        set_lane3(pack.axis, lane, bounds.hinge ? Vec3d{0, 0, 1} : from.twist_axis);
        pack.of_angle.set(lane, bounds.of_angle ? 1 : 0);
        pack.circle.set(lane, bounds.circle);
        pack.tan_circle.set(lane, bounds.circle < pi
                                      ? std::min(std::tan(0.5 * bounds.circle), limit_tuning.steepest)
                                      : never);
        const double reference = bounds.hinge ? joint.reference : 0;
        pack.lower.set(lane, bounds.lower);
        pack.upper.set(lane, bounds.upper);
        pack.tan_lower.set(lane, half_tangent(bounds.lower - reference, -never));
        pack.tan_upper.set(lane, half_tangent(bounds.upper - reference, never));
        pack.reference.set(lane, reference);
        const auto tells = [&](double bound) {
            return !(std::fabs(bound) < never) || std::fabs(half_tangent(bound - reference, never)) < never;
        };
        pack.by_angles = pack.by_angles || !tells(bounds.lower) || !tells(bounds.upper) ||
                         (bounds.circle < pi && std::tan(0.5 * bounds.circle) > limit_tuning.steepest);
        pack.turns.set(lane, bounds.hinge ? 1 : 0);
        const bool both = bounds.lower > -never && bounds.upper < never;
        pack.near.set(lane, both ? bounds.lower / 2 + bounds.upper / 2 : 0);
        joints_.push_back({warm.limit(static_cast<int>(j)), bounds.hinge ? from.q_adr : -1,
                           bounds.of_angle ? LimitSlots::cone : LimitSlots::swing});
        here_[j] = 1;
    }
    near_.resize(packs_.size());
    chosen_.resize(packs_.size());
    kept_.resize(joints_.size());
    runs_.reserve(packs_.size() / 2 + 1);
    follow_sleep(bodies);
}

void JointLimits::follow_sleep(const MovingBodies& bodies) {
    find_awake_runs(static_cast<int>(packs_.size()), runs_,
                    [&](int k) { return pack_sleeps(packs_[k], bodies); });
    for (LimitPack& pack : packs_)
        for (int lane = 0; lane < lanes; ++lane) {
            if (pack.joint[lane] < 0) continue;
            Kept& kept = kept_[pack.joint[lane]];
            const bool asleep = lane_sleeps(pack, lane, bodies);
            if (asleep == kept.here) continue;
            if (asleep) kept.side = pack.side[lane];
            pack.side.set(lane, kept.side);
            for (int k = 0; k < 2; ++k) {
                if (asleep) kept.impulse[k] = pack.impulse[k][lane];
                pack.impulse[k].set(lane, asleep ? 0 : kept.impulse[k]);
                pack.pushes = true;
            }
            kept.here = asleep;
        }
}

template <class F>
void JointLimits::for_each_joint(F&& f) const {
    for (std::size_t k = 0; k < packs_.size(); ++k)
        for (int lane = 0; lane < lanes; ++lane)
            if (packs_[k].joint[lane] >= 0) f(k, lane, joints_[packs_[k].joint[lane]]);
}

void JointLimits::follow(std::span<const double> q) {
    for_each_joint([&](std::size_t k, int lane, const Joint& joint) {
        if (joint.q_adr >= 0) packs_[k].near.set(lane, q[joint.q_adr]);
    });
}

void JointLimits::restore(std::span<const double> kept) {
    for_each_joint([&](std::size_t k, int lane, const Joint& joint) {
        LimitPack& pack = packs_[k];
        const int twist = joint.warm + (joint.q_adr >= 0 ? 0 : LimitSlots::twist);
        const double impulses[] = {joint.q_adr >= 0 ? 0 : kept[joint.warm + joint.first_slot],
                                   kept[twist] + kept[twist + 1]};
        const double side = kept[twist + 1] != 0 ? -1 : 1;
        if (Kept& own = kept_[pack.joint[lane]]; own.here) {
            own = {true, {impulses[0], impulses[1]}, side};
            return;
        }
        pack.side.set(lane, side);
        for (int n = 0; n < 2; ++n) pack.impulse[n].set(lane, impulses[n]);
        pack.pushes = true;
    });
}

void JointLimits::store(std::span<double> kept) const {
    for_each_joint([&](std::size_t k, int lane, const Joint& joint) {
        const LimitPack& pack = packs_[k];
        const int twist = joint.warm + (joint.q_adr >= 0 ? 0 : LimitSlots::twist);
        const Kept& own = kept_[pack.joint[lane]];
        const double side = own.here ? own.side : pack.side[lane];
        const double impulses[] = {own.here ? own.impulse[0] : pack.impulse[0][lane],
                                   own.here ? own.impulse[1] : pack.impulse[1][lane]};
        if (joint.q_adr < 0) kept[joint.warm + joint.first_slot] = impulses[0];
        kept[twist] = side > 0 ? impulses[1] : 0;
        kept[twist + 1] = side > 0 ? 0 : impulses[1];
    });
}

void JointLimits::scale(double by) {
    for (LimitPack& pack : packs_)
        for (Four& impulse : pack.impulse) impulse *= Four(by);
    for (Kept& kept : kept_)
        if (kept.here)
            for (double& impulse : kept.impulse) impulse *= by;
}

double JointLimits::prepare(MovingBodies& bodies, double h, bool warm) {
    const ImpulseKernels& kernels = impulse_kernels();
    near_count_ = 0;
    for (const PackRun& run : runs_) {
        int* near = near_.data() + near_count_;
        const int found = kernels.screen_limits(&packs_[run.begin], run.count, h, limit_tuning.reach_speed,
                                                bodies.places.data(), bodies.velocities.data(), near);
        for (int k = 0; k < found; ++k) near[k] += run.begin;
        near_count_ += found;
    }
    return kernels.prepare_limits(packs_.data(), near_.data(), near_count_, bodies.places.data(), warm,
                                  bodies.moving());
}

Swept JointLimits::sweep(Scope scope, const ContactSettings& settings, const Give& give,
                         const Correction& correction, const BodyView& bodies) {
    const bool some = scope == chosen;
    const PackIndices which{(some ? chosen_ : near_).data(), some ? chosen_count_ : near_count_};
    return impulse_kernels().sweep_limits(packs_.data(), which, scope, settings, give, correction, bodies);
}

}  // namespace lig::impulse
