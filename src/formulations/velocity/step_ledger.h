#pragma once

// StepLedger: the energy of a velocity step: what forces and rows do, by their impulses and the mean of the
// velocities before and after them. That is exact for the kinetic energy at the beginning's position.

#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/velocity/step_equations.h"

#include <vector>

namespace lig {

class StepLedger {
public:
    // impulses: along the rows, by which velocities change; rates: J v of the rows before. Keeps references.
    StepLedger(StepContext& context, const StepAlgebra& algebra, const StepEquations& equations,
               const std::vector<double>& impulses, const std::vector<double>& rates)
        : context_(context),
          algebra_(algebra),
          equations_(equations),
          impulses_(impulses),
          rates_(rates) {}

    // Of a step of length h from the state, before anything moves; after outward of the impulses into the
    // context's change of velocities.
    void add_flows(const JointState<double>& state, double h, EnergyFlows& flows);
    // For the momentum ledger: what acts from outside, at the beginning of the step.
    void propose_impulses(double h);

private:
    void add_flows_of_rows(double h, EnergyFlows& flows) const;
    void add_flows_of_bushings(const JointState<double>& state, double h, EnergyFlows& flows) const;
    void add_flows_of_joints(const JointState<double>& state, double h, EnergyFlows& flows) const;
    void add_flows_of_drives(const JointState<double>& state, EnergyFlows& flows) const;
    void add_flows_of_bodies(double h, EnergyFlows& flows);

    StepContext& context_;
    const StepAlgebra& algebra_;
    const StepEquations& equations_;
    const std::vector<double>& impulses_;
    const std::vector<double>& rates_;
};

}  // namespace lig
