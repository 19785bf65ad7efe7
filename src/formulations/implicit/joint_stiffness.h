#pragma once

// What springs, dampers, drives and rotors of joints add to an implicit step: forces at its end, and their
// derivatives as blocks between the two bodies of a joint, or as rows where they reach farther.
//
// Slopes are those of the linearly implicit steps of joint coordinates (constraints/smooth_impulses.h), which
// are symmetric and not below zero. Where a drive is at its bound it has none.

#include "constraints/pose_drive.h"
#include "constraints/smooth_impulses.h"
#include "dynamics/joint_terms.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/implicit/turning_springs.h"
#include "formulations/maximal/body_system.h"

#include <ligament/smooth_motion.h>

#include <span>
#include <vector>

namespace lig::implicit {

class JointStiffness {
public:
    explicit JointStiffness(const Model& model);

    TurningSprings springs;

    bool has_rotors() const { return has_rotors_; }
    // tau −= armature (v − before)/η.
    void add_rotors(std::span<const double> v, std::span<const double> before, double eta,
                    std::span<double> tau) const;
    // tau += the torques of the drives at the state; `ws` has its poses.
    void add_pose_drive(const PoseTargets& targets, const JointState<double>& state,
                        const Workspace<double>& ws, double eta, std::span<double> tau);

    // Of everything: armature + η c + η² k. After find_inertias and find_freedoms of the system, and after
    // update_drives; pose drives and springs are those of the last add_pose_drive and springs.follow for
    // this state. returning: of springs of balls.
    // with_springs: otherwise those of `springs` are blocks already, and nothing else acts.
    void add_blocks(SmoothDynamics& inputs, const JointState<double>& state, double eta, bool returning,
                    bool with_springs, maximal::BodySystem& system, StiffRows& rows);

private:
    void add_rows(const Rows& from, const JointState<double>& state, maximal::BodySystem& system,
                  StiffRows& rows);
    int link_of(int dof) const { return link_of_dof_[dof]; }

    const Model* model_;
    std::vector<double> rotors_;  // (nv) inertia along freedoms
    bool has_rotors_ = false, drives_pose_ = false;
    SmoothImpulses smooth_;
    PoseDrive pose_;
    WarmStarts warm_;              // empty: nothing is kept here
    JointTerms terms_, pose_terms_;
    Rows soft_, pose_rows_;
    std::vector<double> x_;        // (nv)
    std::vector<int> link_of_dof_; // (nv)
};

}  // namespace lig::implicit
