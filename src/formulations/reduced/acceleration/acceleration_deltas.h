#pragma once

// AccelerationDeltas: what a test force adds to the accelerations, from the factor of one evaluation
// [K04 sec. 4.3].
//
// Solved:   ᵈv̇ = M⁻¹ Jᵀ f_t, and ᵈa of all links                          [eq. 12]; K by eq. 13
// How:      an inbound loop from link l, on which the force acts, and an outbound loop over all links
// Cost:     O(n) for each force, without anything that depends on the state alone
//
// The paper's letters and ours, for a link on one freedom:
//     ᵈp̂ = −F,   ᵈu = ŝ′F = √d s,   ĥ = √d U,   ŝ = √d S     (Dof::U and Dof::S of JointFactor)
//     line 15   ᵈp̂ᵢ += X̂ (ᵈp̂ₖ + ᵈuₖ/dₖ ĥₖ)       F of the parent += F − s U, at the parent's origin
//     line 16   ᵈuᵢ = −ŝ′ᵢ ᵈp̂ᵢ (+ gₗ)             s = S · F (+ gₗ/√d)
//     line 21   ᵈq̈ = (ᵈu − ĥ′ X̂ ᵈâ)/d             t = s − U · a,   v̇ = t/√d
//     line 22   ᵈâᵢ = X̂ ᵈâⱼ + ŝ ᵈq̈                a += S t
// Departures:
// - Where the paper keeps ĥ and d, JointFactor keeps both divided by the root of D = L Lᵀ: then joints of
//   several freedoms run through the same lines, without the paper's massless links.
// - World axes: X̂ is a shift of the origin.
// - The inbound loop visits the ancestors of l only. The paper's runs over all links before l, of which those
//   on other branches stay zero.
// - A row may act in several places at once (two points, a loop, several joints): the inbound loop
//   starts at the outermost of them.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"

#include <span>
#include <vector>

namespace lig {

class AccelerationDeltas {
public:
    explicit AccelerationDeltas(const Model& model);

    // A force on a link, about its origin in world axes; a torque (or force) on a freedom; a row of unit
    // force.
    void of_external_force(const JointFactor& factor, int link, const Force<double>& force);
    void of_joint_torque(const JointFactor& factor, int dof, double torque);
    void of_row(const JointFactor& factor, const Rows& rows, const RowBlock& block, const Row& row);

    // J times the change: h(ᵈv̇) of a row [eq. 13].
    double value(const Rows& rows, const RowBlock& block, const Row& row) const;

    std::span<const double> joints() const { return qacc_; }         // ᵈv̇ (nv)
    std::span<const Motion<double>> links() const { return a_; }     // ᵈa (links) about the origins

private:
    void push(int link, const Force<double>& force);
    void twist(const JointFactor& factor, int dof, double torque);
    void inbound(const JointFactor& factor);
    void outbound(const JointFactor& factor);

    std::vector<Force<double>> force_;  // (links) F; zero where not reached
    std::vector<char> reached_;         // (links)
    int outermost_ = -1;
    std::vector<double> s_;             // (nv) zero where not reached; first L⁻¹ g
    std::vector<double> qacc_;          // (nv)
    std::vector<Motion<double>> a_;     // (links)
};

}  // namespace lig
