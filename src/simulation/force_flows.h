#pragma once

// ForceFlows: the smooth forces of a state by where their work is booked (ligament/energy_ledger.h), so that
// whoever integrates can take their power at the velocities that count for it: those of a stage, the mean of
// before and after a kick, or those at the end of a step.
//
//   drives    what actuators do, less the weight that they hold up: that is no energy of the model
//   applied   what was set from outside
//   dampers   of joints, tendons and bushings, and the medium
//
// Forces act on joints (along velocities) and on links (wrenches about their origins). Tendons, transmissions
// and bushings may end at kinematic bodies. What moves there is no velocity of a joint or link; its share is
// in numbers of its own, which are powers already.

#include <ligament/energy_ledger.h>
#include <ligament/smooth_motion.h>

#include <span>
#include <vector>

namespace lig {

class ForceFlows {
public:
    explicit ForceFlows(const Model& model);

    // Whether there is anything to find.
    bool any(const SmoothDynamics& inputs) const;
    // Of the state whose kinematics, drives and forces on bodies (push_bodies, add_smooth_forces) are in
    // `inputs`.
    void find(const SmoothDynamics& inputs, const JointState<double>& state);

    // Which of them there are at all; what is not there has not been written.
    bool drives = false, applied_to_joints = false, damps_joints = false;
    bool applied_to_links = false, drags_links = false;
    bool bases_move = false;  // some kinematic body does

    std::vector<double> drive_forces, damper_forces;  // (nv)
    std::vector<Force<double>> pushes, drags;         // (links) applied; of the medium and bushings' dampers

    // By the motion of bases, W: what it adds to the powers of drives and dampers, and what bases do by
    // tendons, transmissions, bushings and held-up weight. (Not what they do by joints and loops.)
    double drives_by_bases = 0, dampers_by_bases = 0, kinematic = 0;

    // At the velocities of the state that was found,
    EnergyFlows powers(const SmoothDynamics& inputs, const JointState<double>& state) const;
    // or at other ones of its joints. (nv)
    EnergyFlows powers_at(const SmoothDynamics& inputs, std::span<const double> v);

private:
    EnergyFlows of_joints(const SmoothDynamics& inputs, std::span<const double> v) const;
    void find_drives(const SmoothDynamics& inputs);
    void find_dampers(const SmoothDynamics& inputs, const JointState<double>& state);
    void find_link_forces(const SmoothDynamics& inputs);
    void add_bushings(const Workspace<double>& ws);
    void find_shares_of_bases(const SmoothDynamics& inputs, const JointState<double>& state);

    std::vector<Motion<double>> motion_;  // (links)
    bool has_dampers_ = false, has_tendon_dampers_ = false, has_medium_ = false, has_bushings_ = false;
    bool pulls_stretches_ = false;  // dampers of bushings do
};

// What kinematic bodies do per second by the joints of the links on them, W. After inverse_dynamics with the
// accelerations and the forces on bodies. Forces that are not among these count as if they came through the
// joints.
double power_through_roots(const Workspace<double>& ws);

}  // namespace lig
