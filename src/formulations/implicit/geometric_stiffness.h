#pragma once

// Geometric stiffness: the forces of joints, equalities and contacts go on acting at points that turn with
// their bodies.
//
// A force f on a body at the arm r from its centre of mass has the moment r × f, which changes by
// (δ × r) × f = −((f·r) 1 − r fᵀ) δ when the body turns by δ. That is the stiffness
//     K = Σ ((f·r) 1 − r fᵀ)
// over what holds the body: a taut rod resists turning as a string does, by its tension. Constraints that are
// linearized know nothing of it; a step of length h is then unstable where h² K is not small beside the
// inertia (Tournier et al. 2015), and Newton's method does not converge.
//
// The skew part of K is half the moment of all these forces, which is what inertia takes, and is left out.
// The symmetric part may be indefinite, and LDLᵀ wants it positive beside the inertia. In the principal axes
// of the body, e₁ … e₃ with the moments I₁ … I₃, and N = I + η² K,
//   - on the diagonal, what would take more than a share of Iᵢ is left out (a rod that is pushed together
//     buckles; the moments themselves know of it);
//   - beside it, N_ij is bounded by a share of √(N_ii N_jj), so that N is positive definite. For a thin rod
//     (I₁ small) under a tension with a part across its axis that is what matters: the exact N₁₂ belongs to
//     an N₁₁ that is next to nothing, and to make N definite by raising N₁₁ would tie the rod's spin about
//     its axis to the tension.
// What is left out changes how fast Newton's method converges, and nothing of what it converges to.

#include "formulations/maximal/body_system.h"

#include <span>
#include <vector>

namespace lig::implicit {

class GeometricStiffness {
public:
    explicit GeometricStiffness(const maximal::BodySystem& system);

    // A force on a body at an arm from its centre of mass that turns with it.
    struct Load {
        int link;
        Vec3d arm, force;
    };
    // Adds η² K to the blocks of the bodies, for the impulses y = −η λ of the rows and for other forces.
    // After find_inertias and find_rows.
    void add(std::span<const double> y, std::span<const Load> loads, double eta,
             maximal::BodySystem& system);

private:
    void hold(int link, const Vec3d& arm, const Vec3d& force);

    std::vector<Sym3d> moments_;  // (links) the symmetric part of Σ r fᵀ
};

}  // namespace lig::implicit
