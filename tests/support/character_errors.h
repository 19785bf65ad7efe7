#pragma once

// How far the characters of the benchmark scenes (balls and hinges, capsules) come apart, pass their limits
// and sink into the ground, measured from where their bodies are after each step.

#include "core/rotation.h"
#include "dynamics/ball_angles.h"
#include "joints/joint.h"

#include <ligament/simulation.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace lig::test {

// Of a ball or hinge.
struct JointError {
    double apart;      // m: its two anchors
    double violation;  // rad: of its limits; of a hinge also how far its axes are apart
};

inline JointError joint_error(const Model& model, const Model::Joint& joint,
                              std::span<const Transformd> poses) {
    const int parent = model.bodies[joint.body].parent;
    const auto& link = model.tree.links[model.bodies[joint.body].link];
    const Transformd before =
        poses[parent] * model.bodies[parent].X_LB.inverse() * model.tree.joints[link.joint_begin].X_PF;
    const Transformd after = poses[joint.body] * model.bodies[joint.body].X_LB.inverse();
    const Vec3d apart = after.p - before.p;
    const Mat3d R = transpose_mul(before.R, after.R);
    const Quatd q = quaternion(R);
    double violation = 0;
    const auto pass = [&](double lower, double upper, double angle) {
        const double turned = joints::unwrap(angle, 0.5 * (lower + upper));
        violation = std::max({violation, lower - turned, turned - upper});
    };
    if (joint.type == JointType::hinge) {
        pass(joint.range[0].lower, joint.range[0].upper, 2 * std::atan2(q.z, q.w));
        violation = std::max(violation, std::acos(std::clamp(R.z.z, -1.0, 1.0)));
    } else {
        const auto angles = swing_twist(q, joint.twist_axis, Vec3d::zero());
        if (joint.swing) violation = std::max(violation, angles.swing - *joint.swing);
        if (joint.twist) pass(joint.twist->lower, joint.twist->upper, angles.twist);
    }
    return {std::sqrt(dot(apart, apart)), violation};
}

// Calls f(JointError) for all balls and hinges.
template <class F>
void for_each_joint_error(const Model& model, std::span<const Transformd> poses, F&& f) {
    for (const Model::Joint& joint : model.joints)
        if (joint.type == JointType::ball || joint.type == JointType::hinge)
            f(joint_error(model, joint, poses));
}

// Calls f(depth) for all capsules: how far they are below z = 0, negative above it. m
template <class F>
void for_each_ground_depth(const Model& model, std::span<const Transformd> poses, F&& f) {
    for (const Model::Geom& geom : model.geoms) {
        if (geom.spec.shape != ShapeType::capsule) continue;
        const Transformd at = poses[geom.body] * geom.X_BG;
        f(std::abs(at.R.z.z) * geom.spec.size.y + geom.spec.size.x - at.p.z);
    }
}

struct CharacterErrors {
    double separation = 0, square_sum = 0;  // m: of a joint's two anchors; the worst, and of all
    long joints = 0;                        // measured
    double violation = 0;                   // rad: the worst of limits and axes
    double depth = 0;                       // m, of capsules below z = 0

    double rms() const { return std::sqrt(square_sum / static_cast<double>(std::max(joints, 1L))); }

    void measure(const Simulation& sim) {
        poses_.resize(sim.model().bodies.size());
        sim.body_poses(poses_);
        for_each_joint_error(sim.model(), poses_, [&](const JointError& error) {
            separation = std::max(separation, error.apart);
            square_sum += error.apart * error.apart;
            violation = std::max(violation, error.violation);
            ++joints;
        });
        for_each_ground_depth(sim.model(), poses_, [&](double below) { depth = std::max(depth, below); });
    }

private:
    std::vector<Transformd> poses_;
};

}  // namespace lig::test
