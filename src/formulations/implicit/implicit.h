#pragma once

// `implicit`: stiff joints in linear time, after Hernandez et al. 2011. implicit.cpp has the main line.

#include "formulations/formulation.h"
#include "formulations/implicit/difference_stepper.h"
#include "formulations/maximal/body_algebra.h"
#include "formulations/smooth_step.h"
#include "formulations/velocity/velocity_step.h"

#include <memory>

namespace lig {

class Implicit final : public Formulation {
public:
    // Keeps a reference to the options.
    Implicit(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void look_back() override { velocity_.look_back(); }

private:
    void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                   StepReport& report) override;

    const bool by_penalties_;
    maximal::BodyAlgebra algebra_;
    Stiffness stiffness_;
    implicit::DifferenceStepper stepper_;
    SmoothStep smooth_;
    VelocityStep velocity_;
};

}  // namespace lig
