#pragma once

// EndVelocities: the velocities at the end of a velocity step, where coordinates have got to.
//
// Half of what the curvature of coordinates takes is in the forces of the step. The other half comes with the
// new coordinates: with p the momenta that the links have after impulses,
//     v̄ = M(q⁺)⁻¹ Sᵀ(q⁺) p,    velocities afterwards ½ (v⁺ + v̄).
// Links that fly freely have a better rule (momentum_transport.h); trees that float get the momentum that is
// due to them (tree_momenta.h).

#include "dynamics/joint_factor.h"
#include "formulations/momentum_transport.h"
#include "formulations/step_algebra.h"
#include "formulations/step_context.h"
#include "formulations/tree_momenta.h"
#include "formulations/velocity/step_equations.h"

#include <span>
#include <vector>

namespace lig {

class EndVelocities {
public:
    // Keeps references.
    EndVelocities(StepContext& context, StepAlgebra& algebra, const StepEquations& equations);

    TreeMomenta trees;

    // At the beginning of the step. After outward of the impulses.
    void find_momenta();
    // (links) Momenta after impulses, about centres of mass; moments by which tension has held links back.
    std::span<const Force<double>> momenta() const { return momenta_; }
    std::span<const Vec3d> held_back() const { return held_back_; }

    // Whether links fly freely on joints that hold to the world: weight acts on them, and what is applied to
    // joints, but nothing elastic, nothing one-sided, and no equality. What floats is placed by its momentum.
    bool flies(std::span<const double> lambda);
    // Of a step in flight: coordinates move with half of what forces do to velocities, and the curvature of
    // coordinates is left to the transport of momenta. Before anything moves, and after find_momenta.
    bool take_off(const JointState<double>& state, double h, std::span<double> moving);

    // The velocities of the state where coordinates have got to, before anything has been put back.
    void find(JointState<double>& state, bool in_flight);
    // Coordinates become q without time, and q what they were: links keep their momenta, as far as joints let
    // them, by which kinetic energy is never made. The velocities of joints would carry a heavy load along
    // wherever light links are put. After forward_kinematics of the state.
    void carry(JointState<double>& state, std::vector<double>& q);
    // Gives the trees that float their momenta. After forward_kinematics of the state.
    void restore_trees(JointState<double>& state);
    // Equalities that are taut (a rope drawn straight) let links go in no direction, though no row of
    // velocities says so: closing has taken back what they have moved, from one q to another within a step of
    // length h, and they lose the velocity of it, as far as that takes energy. After forward_kinematics of
    // the state.
    void slow_down_with_closing(JointState<double>& state, std::span<const double> open_q,
                                std::span<const double> closed_q, double h);

private:
    RigidInertia<double> inertia_of(std::size_t link) const;
    void take_momenta_to_origins();
    void average(JointState<double>& state);
    void keep_deforming(std::span<const double> v, std::span<double> to) const;
    double kinetic_energy_of(std::span<const double> v);

    StepContext& context_;
    StepAlgebra& algebra_;
    const StepEquations& equations_;
    MomentumTransport transport_;
    JointFactor factor_;  // of the inertia alone, at the end of the step
    std::vector<Force<double>> momenta_;  // (links) about centres of mass; of `carry`, about origins, too
    std::vector<Vec3d> held_back_;
    std::vector<Motion<double>> motions_;     // (links) scratch
    std::vector<double> x_, found_, closing_;  // (nv) scratch
};

}  // namespace lig
