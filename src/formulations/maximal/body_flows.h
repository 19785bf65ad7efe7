#pragma once

// BodyFlows: the smooth forces of a BodySystem's state by where their work is booked (simulation/
// force_flows.h), as vectors of the system, so that their power at any velocities of the bodies is a product.

#include "formulations/maximal/body_system.h"
#include "simulation/force_flows.h"

#include <span>
#include <vector>

namespace lig::maximal {

class BodyFlows {
public:
    explicit BodyFlows(const BodySystem& system);

    // Whether forces do work that is booked, kinematic bodies apart.
    bool act(const SmoothDynamics& inputs) const { return forces_.any(inputs); }
    // Of the state whose bodies `system` looks at, after BodyDynamics::find_forces with it, which has filled
    // `inputs`. reads: whether it has (BodyDynamics::reads_joints); otherwise nothing but bases does work.
    // other: forces on joints beside those of `inputs`, or empty.
    void find(const BodySystem& system, const SmoothDynamics& inputs, const JointState<double>& state,
              bool reads, std::span<const double> other = {});

    // The powers at velocities u of the bodies, W, or the work of impulses that are `time` times the forces.
    // What rows do is not in it.
    EnergyFlows work(std::span<const double> u, double time) const;
    // What bases do by the rows of joints and equalities, where bodies were pushed by −Jᵀ y: by the rows and
    // base_rates that the system has.
    static double work_of_rows(const BodySystem& system, std::span<const double> y);

private:
    void add_bases(const BodySystem& system, std::span<const double> tau, double& sum) const;

    ForceFlows forces_;
    bool acts_ = false;
    std::vector<double> drives_, applied_, dampers_;  // (body entries)
    // By the motion of the bases that joints hang on: what is in these vectors of it, and all.
    double drives_at_bases_ = 0, applied_at_bases_ = 0, dampers_at_bases_ = 0, kinematic_ = 0;
    std::vector<double> tau_;  // (nv)
};

}  // namespace lig::maximal
