#pragma once

// DifferenceStepper: smooth phases of `implicit`, and its whole steps where what touches acts by penalties:
// backward differences on bodies that are kept between steps (implicit_motion.h).

#include "formulations/implicit/implicit_motion.h"
#include "formulations/maximal/kept_bodies.h"
#include "formulations/smooth_step.h"

#include <vector>

namespace lig::implicit {

class DifferenceStepper final : public SmoothStepper {
public:
    // Keeps a reference to the context.
    DifferenceStepper(StepContext& context, bool with_penalties);

    MotionReport advance(JointState<double>& state, double duration, SmoothOptions& options) override;
    void give_stage_times(StageSeconds& seconds) override { bodies_in_time_.stages.give_to(seconds); }
    // For whoever asks for forces: those of the last step with penalties, at its end. Where nothing is
    // touched they follow from the state.
    void keep_penalties(const JointState<double>& state);

    void state_was_set(const JointState<double>& state) override;
    bool has_bodies_of(const JointState<double>& state) const override { return bodies_.match(state); }
    double penalty_energy() const override;
    Momenta momenta_of(const JointState<double>& state, MomentumAccount& account) override {
        return bodies_.momenta_of(state, *context_.model, account);
    }

private:
    void save_or_restore(NumberStream& numbers) override;
    bool find_bodies(JointState<double>& state, MotionReport& report);

    StepContext& context_;
    ImplicitMotion bodies_in_time_;
    maximal::KeptBodies bodies_;
    // What acted at the end of the last step with penalties, as rows, and the accelerations.
    Rows acting_;
    std::vector<EqualityTerms> terms_;
    std::vector<double> accelerations_;  // (nv)
};

}  // namespace lig::implicit
