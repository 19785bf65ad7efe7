#pragma once

// StepAssembly: forces and rows of a velocity step.
//
//     x = h (τ_applied + τ_smooth − weight − ½ c) of a step of length h, springs, dampers and drives
//     implicitly as far as that goes (smooth_impulses.h), and with the law of things that are dragged about
//     m v = f (Baraff 1996, sec. 3); rows J in the order drives, tendons, bushings | equalities | limits, dry
//     friction, contacts.

#include "constraints/bounded_constraints.h"
#include "constraints/equalities.h"
#include "constraints/row_context.h"
#include "constraints/smooth_impulses.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/stiffness.h"
#include "formulations/velocity/step_equations.h"

#include <vector>

namespace lig {

class StepAssembly {
public:
    // Keeps references.
    StepAssembly(StepContext& context, JointTerms& terms, Stiffness& stiffness, StepEquations& equations);

    // The equations, the context's rows and the terms, for a step of length h. After forward_kinematics.
    // False: a force is not finite, and the report says which.
    bool assemble(const JointState<double>& state, double h, StepReport& report);
    bool has_constraint_drives() const { return bounded_constraints_.drive(); }

private:
    void push_by_forces(const JointState<double>& state);
    void add_bias(const JointState<double>& state, double h);
    void add_forces(const JointState<double>& state, const RowContext& context);
    void add_drives(const SmoothImpulses::Step& step);
    bool forces_are_finite(StepReport& report) const;
    double product_share() const;
    void add_equality_rows(const JointState<double>& state, const RowContext& context);
    void add_one_sided_rows(const JointState<double>& state, const RowContext& context);
    void note_tendons();

    StepContext& context_;
    JointTerms& terms_;
    Stiffness& stiffness_;
    StepEquations& equations_;
    SmoothImpulses smooth_impulses_;
    PoseDrive pose_drive_;
    const Equalities equalities_;
    std::vector<EqualityTerms> equality_terms_;
    BoundedConstraints bounded_constraints_;
    std::vector<double> zero_, scratch_;       // (nv)
    std::vector<Force<double>> steady_;  // (links) forces that do not come from velocities, about origins
};

}  // namespace lig
