#pragma once

// BodyStepper: smooth phases of `multiplier`: RATTLE, or Runge–Kutta methods with projection, on bodies that
// are kept between steps (body_motion.h).

#include "formulations/maximal/body_algebra.h"
#include "formulations/maximal/kept_bodies.h"
#include "formulations/multiplier/body_motion.h"
#include "formulations/smooth_step.h"

#include <vector>

namespace lig::multiplier {

class BodyStepper final : public SmoothStepper {
public:
    // Keeps references.
    BodyStepper(StepContext& context, maximal::BodyAlgebra& algebra, Stiffness& stiffness);

    MotionReport advance(JointState<double>& state, double duration, SmoothOptions& options) override;
    void give_stage_times(StageSeconds& seconds) override { bodies_in_time_.stages.give_to(seconds); }

    void state_was_set(const JointState<double>& state) override;
    void velocities_were_set(const JointState<double>& state) override;
    bool has_bodies_of(const JointState<double>& state) const override {
        return context_.options.coordinates != Coordinates::joint && bodies_.poses_match(state);
    }
    Momenta momenta_of(const JointState<double>& state, MomentumAccount& account) override {
        return bodies_.momenta_of(state, *context_.model, account);
    }

private:
    void save_or_restore(NumberStream& numbers) override;
    bool find_bodies(JointState<double>& state, MotionReport& report);
    int explicit_parts(const JointState<double>& state, double duration);

    StepContext& context_;
    maximal::BodyAlgebra& algebra_;
    Stiffness& stiffness_;
    BodyMotion bodies_in_time_;
    maximal::KeptBodies bodies_;
    maximal::BodyCoordinates found_;  // from the coordinates of joints, scratch
    std::vector<double> inertias_;    // (nv) along freedoms, scratch
};

}  // namespace lig::multiplier
