#pragma once

// MomentumTransport: velocities at the end of a step in which links fly freely on their joints.
//
// With P the momenta of the links (world axes, about their centres of mass), w their weights and S the
// motions that joint velocities give them, Q all other impulses on the joints: d'Alembert's principle over a
// step, taken in the mean of its two ends,
//     ½ (S(q) + S(q⁺))ᵀ (P⁺ − P − h w) = Q.
// With v_f, the velocities that forces and weight would lead to at q if coordinates were not curved, and P_f
// their momenta, Q = S(q)ᵀ (P_f − P − h w), and so
//     S(q⁺)ᵀ (P⁺ − P_f) = ½ (S(q⁺) − S(q))ᵀ (P⁺ − 2 P_f + P + h w).
// The right side is of second order: P⁺ there may be that of the left side alone. Like every mean of both
// ends it reads the same backwards but for higher orders, and neither damps nor drives.

#include "dynamics/joint_factor.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class MomentumTransport {
public:
    explicit MomentumTransport(const Model& model);

    // At the beginning of a step of length h, with the momenta P_f and the velocities v_f. After
    // forward_kinematics.
    void note(const Workspace<double>& ws, std::span<const Force<double>> momenta, std::span<const double> v,
              double h);
    // v: those at the end. After forward_kinematics of the coordinates there; factor: that of the inertia
    // there.
    void find(const Workspace<double>& ws, JointFactor& factor, std::span<double> v);

private:
    // x (nv) += share · Sᵀ of momenta about centres of mass, by the geometry that is given.
    void project(const Model& model, std::span<const Vec3d> arms, std::span<const Vec3d> offsets,
                 std::span<const Motion<double>> S, double share, std::span<double> x);

    std::vector<Force<double>> momenta_;  // (links) P_f, and
    std::vector<Force<double>> missing_;  // … P − 2 P_f + h w, with P⁺ in the end
    std::vector<Force<double>> force_;    // (links) about the origins of links
    std::vector<Vec3d> arms_, offsets_;   // (links) to centres of mass; from the parents, at the beginning
    std::vector<Vec3d> arms_after_, offsets_after_;
    std::vector<Motion<double>> S_;       // (nv)
    std::vector<double> v_, x_, found_;   // (nv)
};

}  // namespace lig
