#pragma once

// `multiplier`: simulation on body coordinates, after Baraff 1996.
//
// Joints are constraints, their forces Lagrange multipliers, and one sparse factorization finds them:
//     (M  Jᵀ; J  −C) (a; −λ) = (f; −c)          body_matrix.h, linalg/block_ldlt.h
// Unknowns: six accelerations per body and a multiplier per row; cost: O(n) on trees, equalities by their own
// fill. Smooth phases: RATTLE, or Runge–Kutta methods with projection (body_motion.h). Steps in which limits,
// contacts, dry friction or bounded drives may act: velocity steps, with these as auxiliary constraints in
// anticipation of the joints (body_algebra.h). Forces too stiff for explicit kicks are left to velocity
// steps, too, which take them implicitly. Not handled, and refused by name: tendons with inertia, couplings
// of tendons, bodies without mass, steps from event to event.
//
// The state that the world sees is in joint coordinates, read from the poses after every step. The poses are
// kept between steps (Coordinates::maximal), or found anew from the coordinates in every step
// (Coordinates::joint, the middle ground of sec. 2.2).

#include "formulations/maximal/body_algebra.h"
#include "formulations/maximal/kept_bodies.h"
#include "formulations/multiplier/body_motion.h"
#include "formulations/velocity_formulation.h"

namespace lig {

class Multiplier final : public VelocityFormulation {
public:
    Multiplier(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void state_was_set(const JointState<double>& state) override;
    void velocities_were_set(const JointState<double>& state) override;
    void save_bodies(std::vector<double>& out) const override;
    void restore_bodies(std::span<const double> numbers) override;

private:
    StepAlgebra& algebra() override { return algebra_; }
    bool has_bodies_of(const JointState<double>& state) const override {
        return options_.coordinates != Coordinates::joint && bodies_.poses_match(state);
    }
    MotionReport advance_smoothly(JointState<double>& state, double duration,
                                  SmoothOptions& options) override;
    void take_stage_times(StageSeconds& seconds) override { bodies_in_time_.stages.give_to(seconds); }
    bool find_bodies(JointState<double>& state, MotionReport& made);
    int explicit_parts(const JointState<double>& state, double duration);
    Momenta momenta_of(const JointState<double>& state) override;

    maximal::BodyAlgebra algebra_;
    multiplier::BodyMotion bodies_in_time_;
    maximal::KeptBodies bodies_;
    maximal::BodyCoordinates found_;  // from the coordinates of joints, scratch
    std::vector<double> inertias_;  // (nv) along freedoms, scratch
};

}  // namespace lig
