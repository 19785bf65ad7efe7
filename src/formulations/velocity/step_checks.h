#pragma once

// StepChecks: how long a velocity step may be, and whether one has led into something that its rows, tangents
// at its beginning, have not seen.

#include "constraints/bounded_constraints.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/surroundings.h"
#include "formulations/velocity/step_equations.h"

#include <memory>
#include <vector>

namespace lig {

class StepChecks {
public:
    // Keeps references.
    StepChecks(StepContext& context, StepAlgebra& algebra, const StepEquations& equations);

    // Kinematics, and what could touch within h.
    void look(const JointState<double>& state, double h, StepReport& report);
    // The longest step up to h in which contact points do not leave their tangents by more than they may, as
    // their bodies turn now.
    double longest_step(double h) const;
    // Whether the step with these impulses is short enough: an impact can make joints turn so fast that
    // limits and contact points leave their tangents within the step.
    bool fits(const JointState<double>& state, double h, const Impulses& impulses);

    // m: how deep the deepest contact is that was found for the sub-step; and by how much all geoms are in
    // each other where the bodies are now, after forward_kinematics.
    double deepest() const;
    double overlap_here();

    // What was deep, and beyond its limits, before a smooth step; m, rad.
    struct Passed {
        double deep, beyond;
    };
    Passed passed_at(const JointState<double>& state);
    // Whether the smooth step has led into something that it was to pass by.
    bool has_passed(const JointState<double>& state, const Passed& before);
    // The same of a velocity step of length h, by the bodies as they are now. Limits have been looked at
    // before, but for what closing equalities has done; limits_stay: some could not be put back. After
    // forward_kinematics of the state's coordinates.
    bool leads_astray(const JointState<double>& state, double h, bool limits_stay);

private:
    bool look_here();

    StepContext& context_;
    StepAlgebra& algebra_;
    const StepEquations& equations_;
    Surroundings surroundings_;
    std::unique_ptr<CollisionWorkspace> probe_;  // to see what is touched without that being an event
    BoundedConstraints bounded_constraints_;
    std::vector<double> moving_;                 // (nv) scratch
    JointState<double> tried_;                   // scratch
};

}  // namespace lig
