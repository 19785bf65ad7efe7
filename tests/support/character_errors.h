#pragma once

// How far the characters of the benchmark scenes (balls and hinges, capsules) come apart, pass their limits
// and sink into the ground, measured from where their bodies are after each step.

#include "constraints/ball_angles.h"
#include "core/rotation.h"
#include "joints/joint.h"

#include <ligament/simulation.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lig::test {

struct CharacterErrors {
    double separation = 0, square_sum = 0;  // m: of a joint's two anchors; the worst, and of all
    long joints = 0;                        // measured
    double violation = 0;                   // rad: of limits; of hinges also how far their axes are apart
    double depth = 0;                       // m, of capsules below z = 0

    double rms() const { return std::sqrt(square_sum / static_cast<double>(std::max(joints, 1L))); }

    void measure(const Simulation& sim) {
        const Model& model = sim.model();
        poses_.resize(model.bodies.size());
        sim.body_poses(poses_);
        for (const Model::Joint& joint : model.joints)
            if (joint.type == JointType::ball || joint.type == JointType::hinge) measure(model, joint);
        for (const Model::Geom& geom : model.geoms) {
            if (geom.spec.shape != ShapeType::capsule) continue;
            const Transformd at = poses_[geom.body] * geom.X_BG;
            const double lowest = at.p.z - std::abs(at.R.z.z) * geom.spec.size.y - geom.spec.size.x;
            depth = std::max(depth, -lowest);
        }
    }

private:
    void measure(const Model& model, const Model::Joint& joint) {
        const int parent = model.bodies[joint.body].parent;
        const auto& link = model.tree.links[model.bodies[joint.body].link];
        const Transformd before = poses_[parent] * model.bodies[parent].X_LB.inverse() *
                                  model.tree.joints[link.joint_begin].X_PF;
        const Transformd after = poses_[joint.body] * model.bodies[joint.body].X_LB.inverse();
        const Vec3d apart = after.p - before.p;
        separation = std::max(separation, std::sqrt(dot(apart, apart)));
        square_sum += dot(apart, apart);
        ++joints;
        const Mat3d R = transpose_mul(before.R, after.R);
        const Quatd q = quaternion(R);
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
    }

    std::vector<Transformd> poses_;
};

}  // namespace lig::test
