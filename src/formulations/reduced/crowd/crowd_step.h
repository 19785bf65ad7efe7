#pragma once

// CrowdStep: a step for many bodies in each other's way, at a price that a frame can pay. Joints are exact,
// as always on joint coordinates; what is given up is the accuracy of impulses and the second order of
// motion.
//
// A step is divided into a few sub-steps. Of each, with the momenta p that links have brought along and the
// inertia M̂ that implicit springs, dampers, drives and passed limits (HeldLimits) make larger,
//     M̂ v⁺ = Sᵀ p + h τ + Jᵀ λ,    q⁺ = q ⊕ h v⁺,    p⁺ = the momenta of v⁺ at q, carried to q⁺.
// The velocities at q⁺ are those whose momenta are nearest to p⁺ in the metric of the inertia. No Coriolis
// force appears, and the projection never makes energy; it is of first order and dissipates.
// λ come from two sweeps: one with errors of position to be removed, whose velocities move the coordinates,
// and one without, whose velocities stay. Impulses of the last sub-step are the guess.

#include "formulations/reduced/crowd/held_limits.h"
#include "formulations/reduced/joint_algebra.h"
#include "formulations/step_context.h"
#include "formulations/surroundings.h"
#include "formulations/turning_inertia.h"
#include "formulations/velocity/end_velocities.h"
#include "formulations/velocity/step_assembly.h"
#include "formulations/velocity/step_ledger.h"

#include <vector>

namespace lig {

class CrowdStep {
public:
    // Keeps references.
    CrowdStep(StepContext& context, JointAlgebra& algebra, Stiffness& stiffness);

    void take(JointState<double>& state, double dt, const Callbacks& callbacks, StepReport& report);

private:
    int choose_substeps(double dt);
    bool take_substep(JointState<double>& state, double h, const Callbacks& callbacks, StepReport& report);
    bool factor(const JointState<double>& state, double h, StepReport& report);
    void resolve(const JointState<double>& state, double h, StepReport& report);
    void bounce(double h);
    bool move(JointState<double>& state, double h, StepReport& report);
    double power_of_weight() const;

    StepContext& context_;
    JointAlgebra& algebra_;
    StepEquations equations_;
    StepAssembly assembly_;
    HeldLimits limits_;
    TurningInertia turning_;
    EndVelocities ends_;
    StepLedger ledger_;
    Surroundings surroundings_;
    std::vector<double> turns_;                  // (links) how fast links turn
    std::vector<double> rate_, biased_, kept_;   // (rows) J v, with errors to be removed, and without
    std::vector<double> lambda_;                 // (rows)
    std::vector<double> x_, moving_;             // (nv)
    std::vector<double> free_, back_, s_;        // of the algebra: without λ, by limits brought back, with λ
    std::vector<double> q_;                      // (nq)
    double raised_ = 0;                          // W, by velocities that only move coordinates
};

}  // namespace lig
