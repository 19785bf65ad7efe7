#pragma once

// Stiffness: how stiff springs, dampers, tendons, bushings and drives are for a step of length h, by the
// terms and rows that a velocity step of that length takes them implicitly with.

#include "constraints/smooth_impulses.h"
#include "formulations/step_context.h"

#include <vector>

namespace lig {

class Stiffness {
public:
    // terms: those of the formulation's algebra, which `find` writes. Keeps references.
    Stiffness(StepContext& context, JointTerms& terms);

    // For steps by forces alone, which do not assemble: writes the terms, and the context's rows.
    void find(const JointState<double>& state, double h);
    // Whether one of them is stiff. What else makes smooth steps short, as tension of light links does,
    // velocity steps would only damp away. Calls `find`.
    bool has_stiff_forces(const JointState<double>& state, double h);
    // Whether tendons, bushings or drives that are rows are so stiff that links move as they have it: halves
    // of curvature would be taken by them.
    bool has_stiff_rows() const;

private:
    // Of a freedom: the inertia of its link alone.
    double inertia_along(int dof) const;

    StepContext& context_;
    JointTerms& terms_;
    SmoothImpulses smooth_impulses_;
    std::vector<int> link_of_dof_;   // (nv)
    std::vector<double> unused_;     // (nv) impulses on the freedoms, which nobody asks for
};

}  // namespace lig
