#pragma once

// Implicit: stiff joints in linear time (Hernandez et al. 2011). Bodies go by backward differences,
// everything at the end of the step (implicit_motion.h). With Touching::hard limits, contacts and dry
// friction go by impulses on velocities, on the same factorization with anticipation, as in `multiplier`, and
// steps are implicit in time where nothing is touched. With Touching::penalty they are stiff one-sided
// springs in the same equations, as in the paper. Touching::automatic is hard, unless the model has bushings,
// which velocity steps take explicitly.

#include "formulations/implicit/implicit_motion.h"
#include "formulations/maximal/body_algebra.h"
#include "formulations/maximal/kept_bodies.h"
#include "formulations/velocity_formulation.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

class Implicit final : public VelocityFormulation {
public:
    // Keeps a reference to the options.
    Implicit(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void state_was_set(const JointState<double>& state) override;
    void save_bodies(std::vector<double>& out) const override;
    void restore_bodies(std::span<const double> numbers) override;

protected:
    StepAlgebra& algebra() override { return algebra_; }
    MotionReport advance_smoothly(JointState<double>& state, double duration,
                                  SmoothOptions& options) override;
    void take_stage_times(StageSeconds& seconds) override { bodies_in_time_.stages.give_to(seconds); }
    void step_automatically(JointState<double>& state, double dt, const Callbacks& callbacks,
                            StepReport& report) override;

private:
    double penalty_energy() const override;
    Momenta momenta_of(const JointState<double>& state) override;
    bool find_bodies(JointState<double>& state, MotionReport& made);
    void keep_penalties(const JointState<double>& state);
    bool by_penalties() const;

    maximal::BodyAlgebra algebra_;
    implicit::ImplicitMotion bodies_in_time_;
    maximal::KeptBodies bodies_;
    // What acted at the end of the last step with penalties, as rows, and the accelerations.
    Rows acting_;
    std::vector<EqualityTerms> terms_;
    std::vector<double> accelerations_;  // (nv)
};

}  // namespace lig
