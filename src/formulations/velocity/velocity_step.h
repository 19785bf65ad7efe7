#pragma once

// VelocityStep: a step on the velocities at its end, whatever the linear algebra (step_algebra.h).
//
// Solved in a velocity step of length h, with the inertia and what implicit springs, dampers and tension add,
//     M̂ (v⁺ − v) = h (τ − ½ c − h K v) + Jᵀ λ,    rows of rows.h on J v⁺,    q⁺ = q ⊕ h v⁺,
// c being what the curvature of joint coordinates takes (Coriolis and centrifugal forces). The other half of
// it comes with the new coordinates: v̄ = M(q⁺)⁻¹ Sᵀ(q⁺) p has the momenta p of the links that v⁺ has at q,
// and the velocities afterwards are ½ (v⁺ + v̄), put onto the equalities; trees that float get the momentum
// that is due to them. Equalities are asked for J v⁺ = −½ h γ, so that q⁺ leaves them by O(h³) only; what is
// left is closed behind the step, and a step that cannot be closed is taken again, shorter.
// Contacts and limits that could be reached within the step have rows already (their gaps enter the bias), so
// nothing is passed unseen. Errors of position are removed in q⁺ alone; v⁺ is computed without them. Where no
// such row acts, a step is left to the smooth integrator (smooth_step.h).
//
// Here are the main line and the lengths of sub-steps. Its parts, by stage:
//   look       StepChecks     what could touch; how long a step may be, and whether one has led astray
//   assemble   StepAssembly   forces and rows: StepEquations
//   factor     StepImpulses   by the algebra
//   resolve    StepImpulses   impulses along the rows, and bounces
//   advance    StepAdvance    the new state: EqualityClosing, LimitsPutBack, EndVelocities, StepLedger

#include "formulations/smooth_step.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/velocity/step_advance.h"
#include "formulations/velocity/step_assembly.h"
#include "formulations/velocity/step_checks.h"
#include "formulations/velocity/step_equations.h"
#include "formulations/velocity/step_impulses.h"

#include <vector>

namespace lig {

class VelocityStep {
public:
    // Keeps references.
    VelocityStep(StepContext& context, StepAlgebra& algebra, SmoothStep& smooth, Stiffness& stiffness);

    // Moves the state on by dt, by velocity steps: exactly one, or as many as accuracy asks, with smooth ones
    // between them where nothing is touched.
    void take(JointState<double>& state, double dt, bool automatic, const Callbacks& callbacks,
              StepReport& report);
    // Forces are asked for at the state that the last velocity step began with, where all of the curvature
    // counts: accelerations and forces of equalities are found again for that, the other impulses stay.
    void look_back();

private:
    struct Substeps;
    enum class Attempt {
        made,
        too_long,
        failed
    };
    double begin_substep(JointState<double>& state, Substeps& steps, const Callbacks& callbacks,
                         StepReport& report);
    bool solve_rows(const JointState<double>& state, double h, StepReport& report);
    void glide(JointState<double>& state, double h, Substeps& steps, const Callbacks& callbacks,
               StepReport& report);
    bool is_too_long(const JointState<double>& state, double h, Substeps& steps);
    Attempt end_at_impact(const JointState<double>& state, double& h, Substeps& steps, StepReport& report);
    Attempt take_substep(JointState<double>& state, double h, const Substeps& steps, StepReport& report);
    void report_misses(const Substeps& steps, StepReport& report) const;

    StepContext& context_;
    StepAlgebra& algebra_;
    SmoothStep& smooth_;
    StepEquations equations_;
    StepAssembly assembly_;
    StepImpulses impulses_;
    StepChecks checks_;
    StepAdvance advance_;
    std::vector<double> lambda_;  // (rows) scratch of look_back
};

}  // namespace lig
