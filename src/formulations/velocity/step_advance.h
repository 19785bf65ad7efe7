#pragma once

// StepAdvance: from impulses to the new state of a velocity step.
//
//     q⁺ = q ⊕ h (v + the change by landing impulses, corrected),   v⁺ = v + the change by impulses with
//     bounces,
// then equalities are closed and limits put back in q⁺, and velocities found where coordinates have got to
// (end_velocities.h). Impulses are kept for the next step. A state that is not good enough is taken back.

#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/velocity/contact_gaps.h"
#include "formulations/velocity/end_velocities.h"
#include "formulations/velocity/equality_closing.h"
#include "formulations/velocity/limits_put_back.h"
#include "formulations/velocity/step_checks.h"
#include "formulations/velocity/step_equations.h"
#include "formulations/velocity/step_impulses.h"
#include "formulations/velocity/step_ledger.h"
#include "simulation/energy_guard.h"

#include <span>
#include <string>
#include <vector>

namespace lig {

class StepAdvance {
public:
    // Keeps references.
    StepAdvance(StepContext& context, StepAlgebra& algebra, const StepEquations& equations,
                StepImpulses& impulses, StepChecks& checks);

    StepOutcome advance(JointState<double>& state, double h, const SubstepRules& rules, StepReport& report);
    // Of a step whose equalities stayed open: which.
    const std::string& open_equality() const { return closing_.where(); }

private:
    bool velocities_are_finite(StepReport& report) const;
    bool find_moving(const JointState<double>& state, double h, StepReport& report);
    double correction_share(double h) const;
    void correct(const JointState<double>& state, double h, StepReport& report);
    double overlap_behind(const JointState<double>& state, std::span<const double> velocities, double h);
    double potential_without_corrections(const JointState<double>& state, double h);
    StepOutcome put_right(JointState<double>& state, double h, const SubstepRules& rules,
                          StepReport& report);
    void find_end_velocities(JointState<double>& state, double h, bool in_flight);
    bool admits(JointState<double>& state, const SubstepRules& rules, EnergyFlows& flows,
                StepReport& report);

    StepContext& context_;
    StepAlgebra& algebra_;
    const StepEquations& equations_;
    StepImpulses& impulses_;
    StepChecks& checks_;
    ContactGaps gaps_;
    EqualityClosing closing_;
    LimitsPutBack limits_;
    EndVelocities ends_;
    StepLedger ledger_;
    Brake brake_;
    std::vector<double> moving_;       // (nv) velocities that coordinates move by,
    std::vector<double> uncorrected_;  // (nv) … and without corrections of errors
    std::vector<double> correction_;   // (nv)
    std::vector<Motion<double>> kept_motion_;  // (links) by the change of velocities that is kept
    JointState<double> tried_;                 // scratch
};

}  // namespace lig
