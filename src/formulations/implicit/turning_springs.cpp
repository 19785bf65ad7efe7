#include "formulations/implicit/turning_springs.h"

#include "core/rotation.h"
#include "dynamics/joint_springs.h"
#include "dynamics/rotation_spring.h"

#include <ligament/fluid.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig::implicit {

namespace {

bool is_zero(const Force<double>& f) { return dot(f.ang, f.ang) == 0 && dot(f.lin, f.lin) == 0; }

}  // namespace

TurningSprings::TurningSprings(const Model& model) {
    alone_ = model.nu == 0 && model.tendons.empty() && !has_medium(model) && model.floating_mass.empty();
    const bool springs = model.options.enabled.spring, dampers = model.options.enabled.damper;
    constexpr std::array<double, 2> none{};
    for (const Model::Joint& joint : model.joints) {
        const bool pulls = springs && has_spring(joint), damps = dampers && has_damper(joint);
        if (!pulls && !damps) continue;
        const int link = model.bodies[joint.body].link;
        const TreeLink<double>& own = model.tree.links[link];
        const bool ball = joint.type == JointType::ball;
        const bool plain = (ball || joint.type == JointType::hinge) && own.joint_count == 1 &&
                           (!pulls || joint.stiffness_poly == none) && (!damps || joint.damping_poly == none);
        if (!plain) {
            alone_ = false;
            continue;
        }
        Spring spring{};
        spring.link = link;
        spring.parent = own.parent;
        spring.q_adr = joint.q_adr;
        spring.v_adr = joint.v_adr;
        spring.ball = ball;
        spring.q_PF = quaternion(model.tree.joints[own.joint_begin].X_PF.R);
        spring.R_MS = Mat3d::identity();
        spring.damping = damps ? joint.damping : 0;
        const double* rest = model.q_spring.data() + joint.q_adr;
        if (ball) {
            spring.to_rest = conjugate(Quatd{rest[0], rest[1], rest[2], rest[3]});
            spring.by_axes = pulls && joint.axis_spring.has_value();
            if (spring.by_axes) {
                spring.stiffness = joint.axis_spring->stiffness;
                spring.R_MS = joint.axis_spring->R_MS;
            } else if (pulls) {
                spring.stiffness = {joint.stiffness, joint.stiffness, joint.stiffness};
            }
        } else {
            spring.reference = model.tree.joints[own.joint_begin].reference;
            spring.rest = rest[0];
            spring.stiffness.x = pulls ? joint.stiffness : 0;
        }
        springs_.push_back(spring);
    }
    for (std::vector<Vec3d>* v : {&shortest_, &now_, &accepted_}) v->assign(springs_.size(), Vec3d::zero());
    beyond_.assign(springs_.size(), 0);
    R_WS_.assign(springs_.size(), Mat3d::identity());
}

bool TurningSprings::alone(const SmoothDynamics& inputs) const {
    return alone_ &&
           std::all_of(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(),
                       [](double x) { return x == 0; }) &&
           std::all_of(inputs.xfrc_applied.begin(), inputs.xfrc_applied.end(), is_zero);
}

// The angle of a hinge within a turn, or the vector of a ball.
Vec3d TurningSprings::shortest(const Spring& spring, const Quatd& q_FM) const {
    if (!spring.ball) return {spring.reference + 2 * std::atan2(q_FM.z, q_FM.w), 0, 0};
    const Vec3d e = rotation_log(spring.to_rest * q_FM);
    return spring.by_axes ? transpose_mul(spring.R_MS, e) : e;
}

void TurningSprings::start(const JointState<double>& state) {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const double* q = state.q.data() + springs_[k].q_adr;
        accepted_[k] =
            springs_[k].ball ? shortest(springs_[k], {q[0], q[1], q[2], q[3]}) : Vec3d{q[0], 0, 0};
    }
}

void TurningSprings::follow(const maximal::BodySystem& system) {
    constexpr double turn = 2 * std::numbers::pi;
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        const Quatd q_FM =
            conjugate(system.poses.orientation(spring.parent) * spring.q_PF) *
            system.poses.orientation(spring.link);
        shortest_[k] = shortest(spring, q_FM);
        if (spring.ball) {
            now_[k] = unwrapped(shortest_[k], accepted_[k]);
            const Vec3d by = now_[k] - shortest_[k];
            beyond_[k] = dot(by, by) > 0;
            const Mat3d& R = system.poses.workspace().poses[spring.link].X_WL.R;
            R_WS_[k] = spring.by_axes ? R * spring.R_MS : R;
        } else {
            const double angle = shortest_[k].x;
            now_[k].x = angle + turn * std::round((accepted_[k].x - angle) / turn);
        }
    }
}

void TurningSprings::add_forces(const maximal::BodySystem& system, std::span<double> f) const {
    const Workspace<double>& ws = system.poses.workspace();
    const BlockLdlt& matrix = system.matrix.blocks();
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        const Vec3d& before = spring.parent >= 0 ? ws.poses[spring.parent].V_WL.ang
                                                 : ws.bases[-1 - spring.parent].V_WL.ang;
        const Vec3d rate = ws.poses[spring.link].V_WL.ang - before;
        Vec3d torque;
        if (spring.ball) {
            torque = R_WS_[k] * rotation_spring_torque(spring.stiffness, now_[k]) - spring.damping * rate;
        } else {
            const Vec3d& axis = ws.poses[spring.link].X_WL.R.z;
            torque =
                -(spring.stiffness.x * (now_[k].x - spring.rest) + spring.damping * dot(axis, rate)) * axis;
        }
        double entries[BlockLdlt::max_rows];
        const auto add = [&](int link, const Vec3d& on) {
            if (matrix.dim(link) == 6) {
                for (int c = 0; c < 3; ++c) f[matrix.offset(link) + c] += on[c];
                return;
            }
            system.graph.project(link, {on, Vec3d::zero()}, entries);
            for (int c = 0; c < matrix.dim(link); ++c) f[matrix.offset(link) + c] += entries[c];
        };
        add(spring.link, torque);
        if (spring.parent >= 0) add(spring.parent, -torque);
    }
}

Sym3d TurningSprings::stiffness_of(std::size_t k, bool returning) const {
    return returning ? rotation_spring_return(springs_[k].stiffness, now_[k])
                     : rotation_spring_stiffness(springs_[k].stiffness, now_[k]);
}

void TurningSprings::add_blocks(double eta, bool returning, maximal::BodySystem& system) const {
    const Workspace<double>& ws = system.poses.workspace();
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        const double damping = eta * spring.damping;
        if (spring.ball) {
            const Sym3d spring_block = eta * eta * rotate(R_WS_[k], stiffness_of(k, returning));
            system.matrix.add_turning_pair(spring.link,
                                           spring_block + Sym3d::diagonal(damping, damping, damping));
        } else {
            const Vec3d& a = ws.poses[spring.link].X_WL.R.z;
            const double weight = eta * eta * spring.stiffness.x + damping;
            const Sym3d along{a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
            system.matrix.add_turning_pair(spring.link, weight * along);
        }
    }
}

void TurningSprings::add_torques(std::span<double> tau) const {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        if (!spring.ball || !beyond_[k]) continue;
        const Vec3d torque = spring.R_MS * (rotation_spring_torque(spring.stiffness, now_[k]) -
                                            rotation_spring_torque(spring.stiffness, shortest_[k]));
        for (int a = 0; a < 3; ++a) tau[spring.v_adr + a] += torque[a];
    }
}

void TurningSprings::add_terms(double h, bool returning, JointTerms& terms) const {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
        const Spring& spring = springs_[k];
        if (!spring.ball) continue;
        const Vec3d& own = spring.stiffness;
        const Sym3d there = spring.by_axes ? rotation_spring_return(own, shortest_[k])
                                           : Sym3d::diagonal(own.x, own.y, own.z);
        const Mat3d K = rotate(spring.R_MS, stiffness_of(k, returning) - there).full();
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b <= a; ++b)
                terms.added[terms.added_at(spring.v_adr + a, spring.v_adr + b)] += h * h * K(a, b);
    }
}

}  // namespace lig::implicit
