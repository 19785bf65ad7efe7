#pragma once

// StepAlgebra: what a velocity step needs of linear algebra. Formulations differ in it.
//
// A step asks for the change of the velocities by impulses x on the freedoms and λ along rows, under
//     M̂ (v⁺ − v) = x + Jᵀ λ,   M̂ = M + terms,
// and keeps it as a vector s of the algebra's own coordinates, which only the algebra reads: those of
// JointFactor for joint coordinates, velocities of bodies where joints are rows themselves. s is linear in x
// and λ but for what an algebra adds by itself to keep equalities closed.

#include "dynamics/joint_terms.h"
#include "formulations/impulse_solver.h"

#include <ligament/workspace.h>

#include <cstddef>
#include <span>

namespace lig {

class StepAlgebra : public ImpulseSolver {
public:
    explicit StepAlgebra(const Model& model) : terms(model) {}

    // Set before prepare:
    JointTerms terms;
    double equalities_open = 0;  // relative to their sizes: rows at smaller angles than that mean nothing

    // The length of vectors s.
    virtual std::size_t size() const = 0;

    // Factors, and finds the responses of the rows; keeps a reference to them until the next call. After
    // forward_kinematics of the state. Blocks from equalities_begin to two_sided are equalities; those of
    // their rows that follow from others are counted in the report and get no impulses (their bounds become
    // 0). Before two_sided are drives and tendons as well, behind it what touches. Returns −1, or the link
    // whose inertia is not positive.
    virtual int prepare(const JointState<double>& state, const Workspace<double>& ws, Rows& rows,
                        int equalities_begin, int two_sided, StepReport& report) = 0;

    // Of what the first row of a block would move its links by, squared, the share that equalities leave of
    // it (and joints, where they are rows themselves); 1: no loop is near. After prepare.
    virtual double yield_of(std::size_t block) const = 0;

    // s of impulses x (nv) on the freedoms. b: velocities of the rows before the step with the biases that
    // are kept, for an algebra that holds equalities without λ; others do not look at it.
    virtual void free_change(std::span<const double> x, std::span<const double> b, std::span<double> s) = 0;

    // Makes equalities hold exactly that are rows, by their own impulses; the others stay. Returns how much s
    // changes.
    virtual double hold_equalities(std::span<const double>, std::span<double>, std::span<double>) {
        return 0;
    }

    // (nv) The change of the velocities that s is,
    virtual void outward(std::span<const double> s, std::span<double> v) = 0;
    // and of a link's velocity by the last outward, about its origin.
    virtual const Motion<double>& link_motion(int link) const = 0;
};

}  // namespace lig
